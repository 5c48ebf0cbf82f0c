"""Foreign text made safe to look at: what could act or hide becomes a mark, secrets are hidden.

Whoever puts text of users, models, git or the disk on a screen or a terminal takes it from here. Pure.
"""

from __future__ import annotations

import unicodedata
from itertools import accumulate

from ceopt_tui.core.masking import mask

_PICTURES = 0x2400  # Unicode has a picture of every ASCII control character
_DELETE, _DELETE_PICTURE = 0x7F, "\u2421"
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """The text with every control or formatting character as a mark; line breaks stay."""
    if text.isprintable():  # most texts hold nothing to mark
        return text
    return "".join(map(_mark, text.replace("\r\n", "\n")))


def one_line(text: str, line_break: str = " \u21b5 ") -> str:
    """The text as `visible`, on one line."""
    return visible(text).replace("\n", line_break)


def said(message: str) -> str:
    """A message ready to show: marks for control characters, secrets hidden."""
    return visible(mask(message))


def columns(text: str) -> int:
    """Terminal columns the text takes."""
    return sum(map(_width, text))


def fitted(text: str, width: int) -> str:
    """The text on one line, cut or padded to exactly `width` columns."""
    text = one_line(text, "\u21b5")
    if columns(text) > width:
        ends = accumulate(map(_width, text))
        text = text[: sum(end < width for end in ends)] + "\u2026"
    return text + " " * (width - columns(text))


def _mark(character: str) -> str:
    code = ord(character)
    if character == "\n":
        return character
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == _DELETE:
        return _DELETE_PICTURE
    return f"<U+{code:04X}>" if unicodedata.category(character) in _UNSAFE else character


def _width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
