"""Which language a text is written in, roughly: script first, then common words. Unsure is None, never a guess."""

import re
from collections import Counter

from ceopt_tui.core.ports import Refusal
from texttargets.fences import fenced_lines, split_lines

_COMMON = {
    "English": "the of and to in is that it for with as this are be not or if your when you must only from any do use",
    "German": "der die das und ist nicht mit ein eine einen dem den für auf wenn sie nur oder als auch wird zu im bei",
    "French": "le la les des est une un et dans pour pas que qui vous sur avec ou si votre du ne ce cette être au",
    "Spanish": "el los las una un es que en por para con no del si su se lo como más al y cuando debe este esta",
    "Italian": "il gli che una per non con del della è sono se come più nel alla dei un di le solo quando deve questo",
    "Portuguese": "o os as um uma que não para com do da em se por mais dos na no é ao quando deve você seu sua",
    "Dutch": "de het een en van is niet met voor op dat als zijn aan je wordt ook maar bij om alleen wanneer deze",
    "Swedish": "och att det som en på är av för med till inte den om ett var endast när ska du eller från",
    "Polish": "i w na nie się z do jest to że jak dla o po od tylko gdy lub przez oraz jeśli są tym",
    "Turkish": "ve bir bu için ile de da olarak daha çok gibi ne veya eğer sadece değil her en olan mi",
}
COMMON_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
_SCRIPTS = {
    "Latin": (re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"), 1),
    "Cyrillic": (re.compile("[\u0400-\u052f]"), 1),
    "Greek": (re.compile("[\u0370-\u03ff]"), 1),
    "Arabic": (re.compile("[\u0600-\u06ff\u0750-\u077f]"), 1),
    "Hebrew": (re.compile("[\u0590-\u05ff]"), 1),
    "Devanagari": (re.compile("[\u0900-\u097f]"), 1),
    "Thai": (re.compile("[\u0e00-\u0e7f]"), 1),
    "Japanese": (re.compile("[\u3040-\u30ff]"), 3),  # one sign says about what three letters say
    "Korean": (re.compile("[\uac00-\ud7af]"), 3),
    "Chinese": (re.compile("[\u3400-\u9fff]"), 3),
}
_PLACEHOLDER = re.compile(r"\$?\{[^{}\n]*\}|<[^<>\n]{1,60}>|`[^`\n]*`|https?://\S+")
_DOMINANT = 0.6
_MIN_LETTERS = 12
_MIN_COMMON = 4
_LEAD = 1.5  # times the common words of the second language


def guess_language(text: str) -> str | None:
    """The language or script of the prose outside fences, or None when the text does not say clearly."""
    lines = split_lines(text)
    fenced = fenced_lines(lines)
    prose = _PLACEHOLDER.sub(" ", "".join(line for index, line in enumerate(lines) if index not in fenced))
    weights = {name: len(pattern.findall(prose)) * weight for name, (pattern, weight) in _SCRIPTS.items()}
    if weights["Japanese"] * 5 > weights["Chinese"]:
        weights["Japanese"] += weights.pop("Chinese")
    script = max(weights, key=lambda name: weights[name])
    if weights[script] < _MIN_LETTERS or weights[script] < _DOMINANT * sum(weights.values()):
        return None
    return script if script != "Latin" else _latin_language(prose)


def check_language(before: str, after: str) -> list[Refusal]:
    """Code language: the text is clearly in another language than it was."""
    was, now = guess_language(before), guess_language(after)
    if was is None or now is None or was == now:
        return []
    return [Refusal("language", f"the text was {was} and is now {now}", 1)]


def _latin_language(prose: str) -> str | None:
    words = Counter(re.findall(r"[^\W\d_]+", prose.casefold()))
    hits = {name: sum(words[word] for word in common) for name, common in COMMON_WORDS.items()}
    (first, most), (_, second) = sorted(hits.items(), key=lambda entry: -entry[1])[:2]
    return first if most >= _MIN_COMMON and most >= _LEAD * second else None
