"""Foreign text for plain terminal output: on one line, in so many columns, with nothing in it that could act."""

import unicodedata

_CONTROL_PICTURES = 0x2400
_DELETE, _DELETE_PICTURE = 0x7F, "\u2421"
_SPACES = {"\n": "\u21b5", "\t": " ", "\r": ""}


def visible(text: str) -> str:
    """The text on one line, control and formatting characters as marks that cannot act."""
    return "".join(_SPACES.get(character, _shown(character)) for character in text)


def columns(text: str) -> int:
    """Terminal columns the text takes."""
    return sum(map(_width, text))


def fitted(text: str, width: int) -> str:
    """The visible text cut or padded to exactly `width` columns."""
    text = visible(text)
    if columns(text) > width:
        kept, room = [], width - 1
        for character in text:
            room -= _width(character)
            if room < 0:
                break
            kept.append(character)
        text = "".join(kept) + "\u2026"
    return text + " " * (width - columns(text))


def _shown(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    if code == _DELETE:
        return _DELETE_PICTURE
    return "\ufffd" if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") else character


def _width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
