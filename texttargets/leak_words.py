"""Words of a text as the leak guard compares them: case, width, hidden characters and punctuation aside."""

import re
import unicodedata
from dataclasses import dataclass

from texttargets.language_words import COMMON_WORDS

_HIDDEN = "\u00ad\u0300-\u036f\u180e\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff"  # accents of their own too
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(
    rf"[{_UNSPACED}]"
    r"|\d+(?:[.,:/-]\d+)+(?![\w])"  # an amount, a date, a time
    rf"|(?:(?![{_UNSPACED}])(?:[^\W_]|[{_HIDDEN}]))+(?:['’](?:(?![{_UNSPACED}])[^\W_])+)*"
)
_DROPPED = re.compile(rf"[{_HIDDEN}]")
_LATIN = re.compile("[a-z]")
# Letters that look like Latin ones, small or as capitals: Cyrillic, Greek, Armenian, then small capitals and the like.
_LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕһԁԛԝѵвкнмтӏүҽαβεικνορτυχηγωσςօսհոյցզıɑɡɩʏᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡᴢøłđħ",
    "aeopcyxijshdqwvbkhmtlyeabeikvoptuxnywocouhnjgqiagiyabcdefghijklmnoprstuvwzoldh",
)
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
    matches = list(_WORD.finditer(text))
    norms = _unmasked([normalise(match[0]) for match in matches])
    for match, norm in zip(matches, norms, strict=True):
        if norm:
            first = match[0][:1]
            capital = first.isupper() and norm not in _CALENDAR and (len(norm) == 1 or not match[0].isupper())
            opens = capital and _opens_sentence(text, match.start())
            words.append(Word(norm, match.start(), match.end(), not first.isupper(), capital, opens))
    return words


def _opens_sentence(text: str, start: int) -> bool:
    return start == 0 or _SENTENCE_START.search(text, max(0, start - 4), start) is not None


def normalise(word: str) -> str:
    """A word as it is compared: a letter of another script in a Latin word is the Latin one it looks like."""
    if word.isascii():
        return word.casefold()
    plain = unicodedata.normalize("NFKC", word).replace("’", "'").casefold()
    bare = unicodedata.normalize("NFC", _DROPPED.sub("", unicodedata.normalize("NFD", plain)))
    return look_alike(bare) if _LATIN.search(bare) else bare


def look_alike(norm: str) -> str:
    """The same with every letter that looks like a Latin one taken for it."""
    return norm if norm.isascii() else norm.translate(_LOOK_ALIKES)


def _unmasked(norms: list[str]) -> list[str]:
    """A word all of look-alikes is a Latin one beside Latin words, and a word of its own language elsewhere."""
    for at, norm in enumerate(norms):
        if not norm.isascii() and (folded := look_alike(norm)).isascii():
            beside = norms[max(0, at - 1) : at] + norms[at + 1 : at + 2]
            norms[at] = folded if any(_LATIN.search(other) for other in beside) else norm
    return norms


def is_unspaced(norm: str) -> bool:
    """Whether a word is one sign of a script without spaces."""
    return len(norm) == 1 and re.match(f"[{_UNSPACED}]", norm) is not None


STOP_WORDS: frozenset[str] = frozenset(
    normalise(word) for words in (_MORE_STOP_WORDS.split(), *COMMON_WORDS.values()) for word in words
)
