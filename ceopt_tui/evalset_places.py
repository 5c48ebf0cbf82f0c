"""Where the cases of an eval set stand in its text: every case, every key of it, in characters from the start.

Reads a text that is known to be valid; changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass
class KeyPlace:
    """One key with its value. `end` is behind the value's last character, or at the start of the line after it."""

    name: str
    start: int
    column: int
    end: int = 0
    keeps_blanks: bool = False  # a literal block that holds the empty lines at its end


@dataclass
class CasePlace:
    """One case. A `flow` case is written in braces."""

    start: int
    flow: bool
    end: int = 0
    keys: list[KeyPlace] = field(default_factory=list)

    def key(self, name: str) -> KeyPlace | None:
        return next((key for key in self.keys if key.name == name), None)


@dataclass
class CasesPlace:
    """The list of cases. A `flow` list is written in brackets; else `column` is that of the dashes."""

    flow: bool
    column: int
    cases: list[CasePlace] = field(default_factory=list)


def places_of(text: str) -> CasesPlace | None:
    """The places of all cases; None where `cases` is no list of mappings."""
    events: Iterator[Any] = iter(yaml.parse(text, Loader=_LOADER))
    for event in events:
        if _is(event, yaml.MappingStartEvent):
            return _in_document(events, text)
    return None


def _in_document(events: Iterator[Any], text: str) -> CasesPlace | None:
    for key in events:
        if not _is(key, yaml.ScalarEvent):
            return None
        value = next(events)
        if key.value == "cases":
            return _list(value, events, text)
        _passed(value, events)
    return None


def _list(start: Any, events: Iterator[Any], text: str) -> CasesPlace | None:
    if not _is(start, yaml.SequenceStartEvent):
        return None
    found = CasesPlace(bool(start.flow_style), start.start_mark.column)
    for event in events:
        if _is(event, yaml.SequenceEndEvent):
            return found
        if not _is(event, yaml.MappingStartEvent):
            return None
        found.cases.append(_case(event, events, text))
    return None


def _case(start: Any, events: Iterator[Any], text: str) -> CasePlace:
    place = CasePlace(start.start_mark.index, bool(start.flow_style))
    for event in events:
        if _is(event, yaml.MappingEndEvent):
            place.end = event.end_mark.index if place.flow else place.keys[-1].end
            return place
        key = KeyPlace(str(getattr(event, "value", "")), event.start_mark.index, event.start_mark.column)
        _passed(event, events)
        value = next(events)
        key.end = _passed(value, events)
        if _is(value, yaml.ScalarEvent) and value.style in ("|", ">"):
            header_end = text.find("\n", value.start_mark.index)
            key.keeps_blanks = "+" in text[value.start_mark.index : header_end].partition("#")[0]
            key.end = key.end if key.keeps_blanks else _without_blank_lines(text, key.end)
        place.keys.append(key)
    return place


def _passed(event: Any, events: Iterator[Any]) -> int:
    """Takes the rest of a value; gives where its last leaf ends."""
    depth, end = 0, 0
    while True:
        opens = _is(event, yaml.MappingStartEvent, yaml.SequenceStartEvent)
        closes = _is(event, yaml.MappingEndEvent, yaml.SequenceEndEvent)
        depth += opens - closes
        # a block collection ends where the next token starts, behind comments that are none of its own
        if not closes or event.end_mark.index > event.start_mark.index:
            end = event.end_mark.index
        if depth == 0:
            return int(end)
        event = next(events)


def _is(event: Any, *kinds: type) -> bool:
    return isinstance(event, kinds)


def _without_blank_lines(text: str, end: int) -> int:
    """The start of the line after the last line that holds something."""
    last = len(text[:end].rstrip())
    line_end = text.find("\n", last, end)
    return end if line_end < 0 else line_end + 1
