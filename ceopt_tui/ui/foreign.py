"""Foreign text made safe to look at: control characters become visible marks, secrets are hidden.

Whoever puts text of users, models, git or the disk on a screen takes it from here, and never as markup.
"""

from __future__ import annotations

import unicodedata

from ceopt_tui.core.masking import mask

_PICTURES = 0x2400  # Unicode has a picture of every ASCII control character
_DELETE = 0x7F
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def shown(text: str) -> str:
    """The text with every control or formatting character as a mark; line breaks stay."""
    return "".join(map(_mark, text.replace("\r\n", "\n")))


def one_line(text: str) -> str:
    """The text as `shown`, on one line."""
    return shown(text).replace("\n", " ↵ ")


def said(message: str) -> str:
    """A message of a program, ready to show: marks for control characters, secrets hidden."""
    return shown(mask(message))


def _mark(character: str) -> str:
    code = ord(character)
    if character == "\n" or not (code < 0x20 or unicodedata.category(character) in _UNSAFE):
        return character
    if code < 0x20:
        return chr(_PICTURES + code)
    return "\u2421" if code == _DELETE else "\ufffd"
