"""Refusals about a text that is not whole: cut off in the middle of something, or with parts left out.

How a reply finished says more; this is for texts that came without. A text may end without a full stop, be shorter than
before and end in almost any word.
"""

import re
from itertools import pairwise

from ceopt_tui.core.ports import Refusal
from texttargets.excerpt import excerpt

_LEFT_OUT = re.compile(
    r"""^\W*(?:(?:the\ )?(?:rest|remainder|remaining)\b[^\n]{0,60}
          \b(?:unchanged|same|as\ before|as\ above|omitted|original|as\ it\ (?:is|was))
    |(?:existing|previous|original)\b[^\n]{0,40}\b(?:unchanged|here|stays?|remains?|continues?)
    |(?:truncated|omitted\ for\ brevity|unchanged))\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_STRICT = frozenset(("a", "an", "the", "and", "or", "if", "your", "und", "oder", "et", "ou"))  # nothing ends in these
_LOOSE = frozenset(("of", "to", "with", "that", "for", "by", "from", "in", "on", "at", "as", "which", "when"))
_FEW_WORDS = 3
_ENDINGS = frozenset(("s", "es", "ly", "ing", "ed", "er", "d", "n", "en", "e", "al", "y", "r"))  # a word may lose these
_SENTENCE_END = tuple(".!?:;)]}>\"'`”’»*|。！？」』】…")
_BARE_MARK = re.compile(r"(?:\d{1,3}[.)]|[-*+]|#{1,6})")
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
_TAG = re.compile(r"^[ \t]*<([A-Za-z][\w-]*)>[ \t]*\r?$", re.MULTILINE)


def check_truncation(before: str, after: str) -> list[Refusal]:
    """Code truncated: the reply behind a whole text seems to have ended early or to have left parts out."""
    if not after.strip():
        return [Refusal("truncated", "the text is empty", 1)] if before.strip() else []
    known = {line.strip() for line in before.split("\n")}
    for number, line in enumerate(after.split("\n"), start=1):
        if _has_half_character(line):
            return [Refusal("truncated", f"half a character in line {number}", number)]
        if line.strip() not in known and _LEFT_OUT.match(line.strip()):
            return [Refusal("truncated", f"line {number} stands for text that was left out: {excerpt(line)}", number)]
    old, new = _filled(before), _filled(after)
    if _breaks_off(old, new) or _leaves_tag_open(before, after):
        number = after.rstrip().count("\n") + 1
        return [Refusal("truncated", f"the text breaks off in line {number}: {excerpt(new[-1][-60:])}", number)]
    return []


def _filled(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _breaks_off(old: list[str], new: list[str]) -> bool:
    last = new[-1]
    if old and last == old[-1]:
        return False
    if _HEADING.match(last) or _BARE_MARK.fullmatch(last):
        return len(new) > 1 and not _was_empty(last, old)
    return last not in old and (_is_cut(old, new) or _is_open(last, old) or _dangles(new))


def _was_empty(heading: str, old: list[str]) -> bool:
    """Nothing stood under such a heading before: another followed at once."""
    return any(line == heading and (not after or _HEADING.match(after)) for line, after in pairwise([*old, ""]))


def _is_cut(old: list[str], new: list[str]) -> bool:
    """A line of before ends within a word; or within its sentence, with all that followed gone and the line above kept.

    The last line alone may be shortened, and a word may lose an ending.
    """
    last = new[-1]
    at = next((at for at, line in enumerate(old) if len(last) > 2 and line.startswith(last)), None)
    if at is None or last.endswith(_SENTENCE_END):
        return False
    tail = old[at][len(last) :]
    word = re.match(r"\w*", tail)
    if word and word[0] and last[-1].isalnum() and word[0] not in _ENDINGS:
        return True
    rest = old[at + 1 :]
    kept_above = at > 0 and len(new) > 1 and new[-2] == old[at - 1]
    return kept_above and bool(rest) and old[at].endswith(_SENTENCE_END) and not set(rest) & set(new)


def _is_open(last: str, old: list[str]) -> bool:
    """The last line opens a bracket, a quotation, code or a table row that it does not close."""
    if last.endswith((",", "(", "[", "{")):
        return True
    if last.endswith(_SENTENCE_END):
        return False
    if last.startswith("|"):
        return any(line.startswith("|") and line.endswith("|") for line in old)
    pairs = _PAIRS if "„" not in last else _PAIRS[:2]
    return last.count("`") % 2 == 1 or any(last.count(first) > last.count(second) for first, second in pairs)


def _dangles(new: list[str]) -> bool:
    """The last word ends no sentence; or none so short, in a text whose other sentences have a full stop."""
    last = new[-1]
    words = last.rstrip("-–").split()
    if len(words) < 2 or last.endswith(_SENTENCE_END):
        return False
    word = words[-1].casefold()
    stops = ". " in last or any(line.endswith(".") for line in new[:-1])
    short = len(last.rsplit(". ", 1)[-1].split()) <= _FEW_WORDS
    return word in _STRICT or (word in _LOOSE and short and stops)


def _leaves_tag_open(before: str, after: str) -> bool:
    """A tag alone in its line is open at the end, and `before` closed every such tag."""
    return any(
        after.count(f"</{name}>") < len(re.findall(rf"<{name}>", after)) and f"</{name}>" in before
        for name in set(_TAG.findall(after))
        if before.count(f"</{name}>") >= len(re.findall(rf"<{name}>", before))
    )


def _has_half_character(line: str) -> bool:
    return not line.isascii() and any("\ud800" <= character <= "\udfff" for character in line)
