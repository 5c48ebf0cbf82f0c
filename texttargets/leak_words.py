"""Words of a text as the leak guard compares them: case, width, hidden characters and punctuation aside."""

import re
import unicodedata
from dataclasses import dataclass

from texttargets.language_words import COMMON_WORDS

_HIDDEN = "\u00ad\u200b-\u200d\u2060\ufeff"
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(
    rf"[{_UNSPACED}]"
    r"|\d+(?:[.,:/-]\d+)+(?![\w])"  # an amount, a date, a time
    rf"|(?:(?![{_UNSPACED}])[\w{_HIDDEN}])+(?:['’](?:(?![{_UNSPACED}])[\w])+)*"
)
_DROPPED = re.compile(rf"[{_HIDDEN}]")
# Letters of other scripts that look like Latin ones; a word that has both kinds is a Latin word in disguise.
_LATIN = re.compile("[a-z]")
_LOOK_ALIKES = str.maketrans("аеорсухіјѕһԁԛԝѵαικνορτυχ", "aeopcyxijshdqwvaiknoptux")
_SENTENCE_START = re.compile(r"(?:[.!?:;\n\"“„«>|•*#-])[\s\"'“‘(\[]*$")
_MONTHS_AND_DAYS = (
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december"
)
_MORE_STOP_WORDS = (
    "i i'm me my we our us he she they them their his her its was were will would can could should has have had been "
    "does did what which who where how there here than then these those into out up about over after before so but "
    "no yes any all some each every one more most other such also just very please"
)
_CALENDAR = frozenset(_MONTHS_AND_DAYS.split())
STOP_WORDS: frozenset[str] = frozenset(_MORE_STOP_WORDS.split()).union(*COMMON_WORDS.values())


@dataclass(frozen=True)
class Word:
    """One word: `norm` is compared, `start` and `end` are offsets in the text; only a capital can open a sentence.

    A `capital` is the first letter's alone: a word in capitals throughout is a keyword or an abbreviation, no name.
    """

    norm: str
    start: int
    end: int
    lower: bool
    capital: bool
    opens_sentence: bool


def split_words(text: str) -> list[Word]:
    """The words of a text in order; scripts without spaces give one word a sign."""
    words = []
    for match in _WORD.finditer(text):
        norm = normalise(match[0])
        if norm:
            first = match[0][:1]
            capital = first.isupper() and norm not in _CALENDAR and (len(norm) == 1 or not match[0].isupper())
            opens = capital and _opens_sentence(text, match.start())
            words.append(Word(norm, match.start(), match.end(), not first.isupper(), capital, opens))
    return words


def _opens_sentence(text: str, start: int) -> bool:
    return start == 0 or _SENTENCE_START.search(text, max(0, start - 4), start) is not None


def normalise(word: str) -> str:
    """A word as it is compared."""
    if word.isascii():
        return word.casefold().strip("_")
    folded = unicodedata.normalize("NFKC", _DROPPED.sub("", word)).replace("’", "'").casefold().strip("_")
    return folded.translate(_LOOK_ALIKES) if _LATIN.search(folded) else folded


def is_unspaced(norm: str) -> bool:
    """Whether a word is one sign of a script without spaces."""
    return len(norm) == 1 and re.match(f"[{_UNSPACED}]", norm) is not None
