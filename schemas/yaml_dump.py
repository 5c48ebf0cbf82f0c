"""Writes YAML for people: block style, keys in order, no escapes for readable characters, texts as literal blocks.

What is written reads back exactly, in any YAML reader: text that another reader could take for a number, a boolean or
a date is quoted.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

_WIDTH = 88
_STEP = 2
_KEY_LIMIT = 1000  # readers look no further for the colon after a key

_BREAK = "\\\n"

_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"})
_PLAIN = re.compile(r"[^\W\d][\w ./()'?!;=%$@-]*", re.UNICODE)
_LITERAL = re.compile("[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def dump(data: Any) -> str:
    """The YAML text of JSON-like `data`. Raises ValueError for what YAML files of ceopt do not hold."""
    return "\n".join(_block(data, 0)) + "\n"


def scalar(value: str | int | float | bool | None) -> str:
    """One value on one line."""
    if isinstance(value, str):
        return value if _is_plain(value) else _quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    raise ValueError(f"{value!r} cannot be written as YAML")


def _block(value: Any, column: int) -> Iterator[str]:
    """The lines of a value that starts on a line of its own at `column`."""
    pad = " " * column
    inline = _inline(value)
    if inline is not None:
        yield pad + inline
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _entry(key, item, column)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _item(item, column)
    else:
        first, *rest = _text_lines(value, column + _STEP)
        yield pad + first
        yield from rest


def _entry(key: Any, item: Any, column: int) -> Iterator[str]:
    if not isinstance(key, str):
        raise ValueError(f"the key {key!r} is not text")
    pad, name = " " * column, scalar(key)
    if len(name) > _KEY_LIMIT:
        yield f"{pad}? {name}"
        name = ""
    yield from _after(f"{pad}{name}:", item, column)


def _item(item: Any, column: int) -> Iterator[str]:
    pad = " " * column
    if isinstance(item, (Mapping, list, tuple)) and _inline(item) is None:
        first, *rest = _block(item, column + _STEP)
        yield f"{pad}- {first.lstrip(' ')}"
        yield from rest
    else:
        yield from _after(f"{pad}-", item, column)


def _after(lead: str, item: Any, column: int) -> Iterator[str]:
    """The lines of a value that may start on the line of its key or dash."""
    inline = _inline(item)
    if inline is not None:
        yield f"{lead} {inline}"
    elif isinstance(item, (Mapping, list, tuple)):
        yield lead
        yield from _block(item, column + _STEP)
    else:
        first, *rest = _text_lines(item, column + _STEP)
        yield f"{lead} {first}"
        yield from rest


def _inline(value: Any) -> str | None:
    """The value on one line, where that reads well."""
    if isinstance(value, str):
        return scalar(value) if "\n" not in value.rstrip("\n") and value.count("\n") < 2 else None
    if isinstance(value, Mapping):
        return None if value else "{}"
    if not isinstance(value, (list, tuple)):
        return scalar(value)
    if any(isinstance(item, (Mapping, list, tuple)) or (isinstance(item, str) and "\n" in item) for item in value):
        return None
    text = "[" + ", ".join(scalar(item) for item in value) + "]"
    return text if len(text) <= _WIDTH else None


def _text_lines(text: str, column: int) -> list[str]:
    """A text of several lines: its header, then its lines at `column`."""
    if _LITERAL.fullmatch(text) and text.strip("\n"):
        return _literal(text, column)
    return _folded_quotes(text, column)


def _literal(text: str, column: int) -> list[str]:
    body = text.removesuffix("\n")
    chomping = "-" if body == text else "+" if body.endswith("\n") else ""
    # readers take the indentation from the first line, which must then not start with white space
    indicator = str(_STEP) if text[0] in " \t\n" else ""
    lines = body.split("\n")
    return [f"|{indicator}{chomping}", *(" " * column + line if line else "" for line in lines)]


def _folded_quotes(text: str, column: int) -> list[str]:
    """A quoted text with a line for each of its own; a backslash at the end joins them without adding anything."""
    parts = [_quoted(part)[1:-1] for part in text.splitlines(keepends=True)]
    # a leading space would be taken for indentation
    lines = [f"\\{part}" if part[:1] == " " else part for part in parts]
    return f'"{(_BREAK + " " * column).join(lines)}"'.split("\n")


def _is_plain(text: str) -> bool:
    return (
        len(text) <= _WIDTH
        and _PLAIN.fullmatch(text) is not None
        and not text.endswith(" ")
        and text.lower() not in _WORDS
    )


def _quoted(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: _escape(ord(match.group())), quoted)


def _escape(code: int) -> str:
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError(f"half of a character (U+{code:04X}) cannot be written as YAML")
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"
