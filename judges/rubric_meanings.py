"""What a rubric says about each score, found in its lines. Pure; it guesses nothing where a line is not plain."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_WORDS = {"pass": 1.0, "fail": 0.0}
# A bullet, a heading's marks or a table's edge; "score" or "level"; the score, perhaps in bold; what sets it apart.
_LINE = re.compile(
    rf"""^\s*(?:[-*+]\s+(?!\d)|[-*+]\s+|\#+\s*|\|\s*)?
    (?:\*\*|__|`)?\s*
    (?:(?:score|level|grade|rating)\s+(?:of\s+)?)?
    (?P<score>{_NUMBER}|pass|fail)
    (?:\s*(?:points?|/\s*{_NUMBER}))?
    \s*(?P<parenthesis>\([^()]*\))?\s*
    (?P<mark>(?:\*\*|__|`)?\s*(?:\s[-–—]\s|[-–—]\s|[:=|)]|\.\s|→|=>)\s*(?:\*\*|__|`)?|(?:\*\*|__|`)\s+)
    \s*(?P<meaning>\S.*?)\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
_NEXT_ITEM = re.compile(r"^\s*(?:[-*+#|>]|\d+[.:)]|$)")
_SEVERAL = re.compile(rf"[,;]\s+(?={_NUMBER}\s*[=:])")  # 5 = perfect, 3 = half, 1 = useless
_RANGE = re.compile(rf"^[-*#|\s]*{_NUMBER}\s*(?:-|–|to|\.\.)\s*{_NUMBER}", re.IGNORECASE)


def meanings(text: str, scores: Collection[float]) -> Mapping[float, str]:
    """What each of `scores` means. One that two lines speak of has the words of the first.

    Lines that are only numbered (`1. …`) are levels where they number exactly the scores and no line is plainer;
    elsewhere they are a list of something else.
    """
    lines = [part for line in text.splitlines() for part in _SEVERAL.split(line)]
    marked: dict[float, str] = {}
    numbered: dict[float, str] = {}
    for number, line in enumerate(lines):
        match = None if _RANGE.match(line) else _LINE.match(line)
        if match is None:
            continue
        name = match["score"].casefold()
        words = _words(match["parenthesis"] or "", match["meaning"] + _continued(lines[number + 1 :], line))
        kind = numbered if match["mark"].strip() in (".", ")") else marked
        kind.setdefault(_WORDS[name] if name in _WORDS else float(name), words)
    found = marked if marked.keys() & set(scores) or numbered.keys() != set(scores) else numbered
    return {score: words for score, words in found.items() if score in scores}


def _continued(following: list[str], line: str) -> str:
    """The indented lines under a level, which are still about it."""
    indent = len(line) - len(line.lstrip())
    words = ""
    for text in following:
        if _NEXT_ITEM.match(text) or len(text) - len(text.lstrip()) <= indent:
            break
        words += " " + text.strip()
    return words


def _words(parenthesis: str, meaning: str) -> str:
    """Without a table's edges and emphasis."""
    cells = [cell.strip() for cell in meaning.strip().strip("|").split("|")] if "|" in meaning else [meaning]
    parts = [parenthesis.strip("()"), " - ".join(cell for cell in cells if cell)]
    text = re.sub(r"\*\*|__|`", "", ": ".join(part for part in parts if part))
    return " ".join(text.split())
