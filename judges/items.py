"""Reads the outputs `ceopt judge` scores: JSON Lines with id, input, output and, where known, expected.

Reports every bad line at once; reads nothing else of a line.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ceopt_tui.errors import InputError, Problem
from judges.judged_item import JudgedItem

T = TypeVar("T")

_MISSING = object()


@dataclass(frozen=True)
class Items:
    """The items in file order, each id once, and what was merged on the way."""

    items: tuple[JudgedItem, ...]
    notes: tuple[str, ...] = ()


def read_items(path: Path) -> Items:
    """Read a file of items. Raises InputError."""
    rows: list[tuple[int, JudgedItem]] = []
    problems: list[Problem] = []
    # Only a line feed ends a record: U+2028 and its like are allowed inside JSON strings.
    for number, line in enumerate(_text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append((number, _item(line)))
        except _LineFault as fault:
            problems.append(Problem(str(path), number, fault.key, str(fault)))
    items, notes = _unique(str(path), rows, problems)
    if not items and not problems:
        problems.append(Problem(str(path), 0, "", "there are no items in this file"))
    if problems:
        raise InputError(problems, 'One item a line: {"id": "…", "input": "…", "output": "…"}')
    return Items(tuple(items), tuple(notes))


class _LineFault(ValueError):
    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError([Problem(str(path), 0, "", f"cannot be read: {error.strerror}")]) from error
    except UnicodeDecodeError as error:
        byte = f"not UTF-8: byte 0x{error.object[error.start]:02X} at {error.start}"
        raise InputError([Problem(str(path), 0, "", byte)]) from error


def _item(line: str) -> JudgedItem:
    try:
        row = json.loads(line, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise _LineFault(f"not one JSON object: {error.msg} (column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise _LineFault("not one JSON object: a value is no JSON") from error
    if not isinstance(row, dict):
        raise _LineFault("not a JSON object")
    return JudgedItem(_id(row), _content(row, "input", dict), _content(row, "output"), _expected(row))


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _id(row: dict[str, Any]) -> str:
    value = row.get("id", _MISSING)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise _LineFault("every item needs an id, a text that is not blank", "id")
    return _encodable(value, "id")


def _content(row: dict[str, Any], key: str, *others: type) -> Any:
    value = row.get(key, _MISSING)
    if value is _MISSING or value is None:
        raise _LineFault(f'there is no {key}; write "" for an empty one', key)
    if not isinstance(value, (str, *others)):
        raise _LineFault(f"the {key} must be a text; put quotation marks around it", key)
    return _encodable(value, key)


def _expected(row: dict[str, Any]) -> Any:
    value = row.get("expected")
    if value is None or isinstance(value, str | dict | list):
        return _encodable(value, "expected")
    return _encodable(json.dumps(value), "expected")


def _encodable(value: T, key: str) -> T:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise _LineFault("holds half of a character pair (a lone surrogate)", key) from error
    return value


def _unique(
    file: str, rows: list[tuple[int, JudgedItem]], problems: list[Problem]
) -> tuple[list[JudgedItem], list[str]]:
    first: dict[str, tuple[int, JudgedItem]] = {}
    notes: list[str] = []
    for number, item in rows:
        earlier, same = first.setdefault(item.id, (number, item))
        if earlier == number:
            continue
        lines = f"duplicate id {item.id!r} on lines {earlier} and {number}"
        if same == item:
            notes.append(f"{lines} (identical, read once)")
        else:
            problems.append(Problem(file, number, "id", f"{lines} (different content)"))
    return [item for _, item in first.values()], notes
