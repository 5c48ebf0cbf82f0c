"""Which language a text is written in, roughly: script first, then common words. Unsure is None, never a guess."""

import re
from collections import Counter

from ceopt_tui.core.ports import Refusal
from texttargets.fences import fenced_lines, split_lines
from texttargets.language_words import COMMON_WORDS, TELLING_LETTERS

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
_SOLE, _FEW_LETTERS = 0.8, 6  # where the language is unsure, the script alone may tell
_LEAST = 4.0  # common words that make a language sure; a telling letter is worth a part of one
_LETTER = 0.5
_MOST_LETTERS = 2.0
_LEAD = 1.4  # times what the second language has
_FEW, _FAR_AHEAD = 3.0, 3.0  # of a short text


def guess_language(text: str) -> str | None:
    """The language or script of the prose outside fences, or None when the text does not say clearly."""
    prose = _prose(text)
    return _language(prose, _script_weights(prose))


def check_language(before: str, after: str) -> list[Refusal]:
    """Code language: the text is clearly in another language, or in another script, than it was."""
    old, new = _prose(before), _prose(after)
    old_weights, new_weights = _script_weights(old), _script_weights(new)
    was, now = _language(old, old_weights), _language(new, new_weights)
    if was is not None and now is not None:
        return [Refusal("language", f"the text was {was} and is now {now}", 1)] if was != now else []
    scripts = _sole_script(old_weights), _sole_script(new_weights)
    if None in scripts or scripts[0] == scripts[1] or set(scripts) == {"Chinese", "Japanese"}:  # few kanji are both
        return []
    return [Refusal("language", f"the script of the text was {scripts[0]} and is now {scripts[1]}", 1)]


def _prose(text: str) -> str:
    lines = split_lines(text)
    fenced = fenced_lines(lines)
    return _PLACEHOLDER.sub(" ", "".join(line for index, line in enumerate(lines) if index not in fenced))


def _script_weights(prose: str) -> dict[str, int]:
    weights = {name: len(pattern.findall(prose)) * weight for name, (pattern, weight) in _SCRIPTS.items()}
    if weights["Japanese"] * 5 > weights["Chinese"]:
        weights["Japanese"] += weights.pop("Chinese")
    return weights


def _language(prose: str, weights: dict[str, int]) -> str | None:
    script = max(weights, key=lambda name: weights[name])
    if weights[script] < _MIN_LETTERS or weights[script] < _DOMINANT * sum(weights.values()):
        return None
    return script if script != "Latin" else _latin_language(prose)


def _sole_script(weights: dict[str, int]) -> str | None:
    """The script that is nearly alone in a text, which says more than the few words of it may: none of two mixed."""
    script = max(weights, key=lambda name: weights[name])
    return script if weights[script] >= max(_FEW_LETTERS, _SOLE * sum(weights.values())) else None


def _latin_language(prose: str) -> str | None:
    folded = prose.casefold()
    words = Counter(re.findall(r"[^\W\d_]+", folded))
    letters = Counter(folded)
    hits = {name: float(sum(words[word] for word in common)) for name, common in COMMON_WORDS.items()}
    for name, telling in TELLING_LETTERS.items():
        hits[name] += min(_MOST_LETTERS, _LETTER * sum(letters[letter] for letter in telling))
    (first, most), (_, second) = sorted(hits.items(), key=lambda entry: -entry[1])[:2]
    clear = most >= _LEAST and most >= _LEAD * second
    return first if clear or (most >= _FEW and most >= _FAR_AHEAD * second) else None
