"""Foreign text inside our own messages: short, on one line, control characters visible."""

import unicodedata

_VISIBLE = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡"}
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def excerpt(text: str, limit: int = 80) -> str:
    """The text in quotation marks, cut to `limit` characters, safe to print on one line."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return f"“{visible(short)}”"


def visible(text: str) -> str:
    """The text with every control or hidden character replaced by a visible mark of its own."""
    return "".join(_mark(character) for character in text)


def _mark(character: str) -> str:
    code = ord(character)
    if code in _VISIBLE:
        return _VISIBLE[code]
    return f"<U+{code:04X}>" if unicodedata.category(character) in _HIDDEN_CATEGORIES else character
