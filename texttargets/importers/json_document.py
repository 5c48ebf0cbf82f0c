"""A JSON document: a list of objects, an object holding one under a usual name, or one record. Keeps line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from texttargets.importers.fields import NAMES, fold
from texttargets.importers.records import BadRow, Item, Row, Source
from texttargets.strict_json import loads, loads_from

LIST_NAMES = ("cases", "items", "examples", "data", "rows", "records", "results", "failures")
_BLANK = re.compile(r"[ \t\r\n]*")


def looks_like(source: Source) -> bool:
    """Whether the text is one JSON value that holds records."""
    value = source.document
    if isinstance(value, list):
        return not value or any(isinstance(item, dict) for item in value)
    return isinstance(value, dict) and (_list_name(value) is not None or _is_record(value))


def read(source: Source) -> Iterator[Item]:
    """Every element of the list. Raises InputError when the document as a whole cannot be read."""
    try:
        document = loads(source.text)
    except ValueError as error:
        raise source.fault(str(error)) from None
    if isinstance(document, list):
        yield from rows(elements(source.text))
        return
    if isinstance(document, dict) and _is_record(document):
        yield Row(1, document)
        return
    name = _list_name(document) if isinstance(document, dict) else None
    if name is None:
        raise source.fault(f"no list of records; looked for a list, or one under {', '.join(LIST_NAMES)}")
    yield from rows(elements(source.text, name))


def elements(text: str, *path: str) -> Iterator[tuple[int, Any]]:
    """Line and value of each element of the document's list, or of the list at the keys of `path`; sound JSON only."""
    start = _list_at(text, path)
    if start is None:
        return
    position, line, counted = start + 1, 1, 0
    while True:
        position = _skip(text, position)
        if text[position] == "]":
            return
        line += text.count("\n", counted, position)
        counted = position
        value, position = loads_from(text, position)
        yield line, value
        position = _skip(text, position)
        position += text[position] == ","


def _list_at(text: str, path: Sequence[str]) -> int | None:
    position = _skip(text, 0)
    for name in path:
        found = _value_of(text, position, name)
        if found is None:
            return None
        position = found
    return position if text[position : position + 1] == "[" else None


def _value_of(text: str, position: int, name: str) -> int | None:
    """Where the value of a key begins in the object at `position`."""
    if text[position : position + 1] != "{":
        return None
    position = _skip(text, position + 1)
    while text[position] != "}":
        key, position = loads_from(text, position)
        position = _skip(text, _skip(text, position) + 1)
        if key == name:
            return position
        _, position = loads_from(text, position)
        position = _skip(text, position)
        position = _skip(text, position + (text[position] == ","))
    return None


def rows(found: Iterator[tuple[int, Any]]) -> Iterator[Item]:
    """Objects as rows; anything else is a bad one."""
    for line, value in found:
        yield Row(line, value) if isinstance(value, dict) else BadRow(line, "not a JSON object")


def _is_record(document: dict[str, Any]) -> bool:
    return any(fold(name) in NAMES["input"] for name in document)


def _list_name(document: dict[str, Any]) -> str | None:
    return next((name for name in LIST_NAMES if isinstance(document.get(name), list)), None)


def _skip(text: str, position: int) -> int:
    blank = _BLANK.match(text, position)
    return blank.end() if blank else position
