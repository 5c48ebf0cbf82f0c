"""Reads the outputs `ceopt judge` scores: JSON Lines with id, input, output and, where known, expected and bucket.

Reports every bad line at once; reads nothing else of a line.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ceopt_tui.errors import InputError, Problem
from judges.judged_item import JudgedItem

T = TypeVar("T")

_MISSING = object()


@dataclass(frozen=True)
class Items:
    """The items in file order, each id once, what was merged on the way, and the bucket of those that name one."""

    items: tuple[JudgedItem, ...]
    notes: tuple[str, ...] = ()
    buckets: Mapping[str, str] = field(default_factory=dict)


def read_items(path: Path) -> Items:
    """Read a file of items. Raises InputError."""
    rows: list[tuple[int, _Row]] = []
    problems: list[Problem] = []
    # Only a line feed ends a record: U+2028 and its like are allowed inside JSON strings.
    for number, line in enumerate(_text_of(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append((number, _row(line)))
        except _LineFault as fault:
            problems.append(Problem(str(path), number, fault.key, str(fault)))
    unique, notes = _unique(str(path), rows, problems)
    if not unique and not problems:
        problems.append(Problem(str(path), 0, "", "there are no items in this file"))
    if problems:
        raise InputError(problems, 'One item a line: {"id": "…", "input": "…", "output": "…"}')
    buckets = {row.item.id: row.bucket for row in unique if row.bucket is not None}
    return Items(tuple(row.item for row in unique), tuple(notes), buckets)


@dataclass(frozen=True)
class _Row:
    item: JudgedItem
    bucket: str | None


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


def _row(line: str) -> _Row:
    try:
        row = json.loads(line, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise _LineFault(f"not one JSON object: {error.msg} (column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise _LineFault("not one JSON object: a value is no JSON") from error
    if not isinstance(row, dict):
        raise _LineFault("not a JSON object")
    item = JudgedItem(_id(row), _content(row, "input", dict), _content(row, "output"), _expected(row))
    return _Row(item, _bucket(row))


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


def _bucket(row: dict[str, Any]) -> str | None:
    value = row.get("bucket")
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise _LineFault("a bucket is a name, a text that is not blank", "bucket")
    return value if value is None else _encodable(value, "bucket")


def _encodable(value: T, key: str) -> T:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise _LineFault("holds half of a character pair (a lone surrogate)", key) from error
    return value


def _unique(file: str, rows: list[tuple[int, _Row]], problems: list[Problem]) -> tuple[list[_Row], list[str]]:
    first: dict[str, tuple[int, _Row]] = {}
    notes: list[str] = []
    for number, row in rows:
        earlier, same = first.setdefault(row.item.id, (number, row))
        if earlier == number:
            continue
        lines = f"duplicate id {row.item.id!r} on lines {earlier} and {number}"
        if same == row:
            notes.append(f"{lines} (identical, read once)")
        else:
            problems.append(Problem(file, number, "id", f"{lines} (different content)"))
    return [row for _, row in first.values()], notes
