"""Worked examples made from cases by exchanging what input and expected value share.

`arriving 7 June 2025` → `2025-06-07` becomes `arriving 7 June 2031` → `2031-06-07`: the pair is right by construction,
answers no case, and only a few words around the exchanged values are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

from schemas.evalset import Case

WORDS_BEFORE = 4
LONGEST_FRAME_WORDS = 5  # kept between two exchanged values, so that no example quotes its case
LARGEST_DAY = 28  # a day every month has
_DIGITS = re.compile(r"(?<!\d)\d{1,9}(?!\d)")  # longer runs are codes, not amounts


@dataclass(frozen=True)
class Example:
    """One worked example."""

    input: str
    output: str


@dataclass(frozen=True)
class _Slot:
    """A span of the input, and the field of the expected value that repeats it."""

    start: int
    end: int
    field: int
    text: str


def exchange_numbers(case: Case, cases: Sequence[Case], random: Random) -> Example | None:
    """An example in which numbers that input and expected text share are exchanged, or None when they share none."""
    if not isinstance(case.input, str) or not isinstance(case.expected, str):
        return None
    source = case.input
    fields = list(_DIGITS.finditer(case.expected))
    slots = [slot for slot in _number_slots(source, fields) if slot is not None]
    if not slots:
        return None
    pools = _field_values(cases, len(fields))
    texts = {slot.field: _other_number(slot.text, fields[slot.field][0], pools[slot.field], random) for slot in slots}
    output = _replaced(case.expected, [(match.start(), match.end(), texts.get(at)) for at, match in enumerate(fields)])
    given = _replaced(source, [(slot.start, slot.end, _like(slot.text, texts[slot.field])) for slot in slots])
    if output in {other.expected for other in cases}:
        return None
    return Example(_window(given, source, slots), output)


def exchange_values(case: Case, cases: Sequence[Case], random: Random) -> Example | None:
    """An example in which the record's values that stand in the input are exchanged with those of other cases."""
    if not isinstance(case.input, str) or not isinstance(case.expected, dict):
        return None
    donors = [other.expected for other in cases if isinstance(other.expected, dict) and other.id != case.id]
    record = dict(case.expected)
    spans: list[tuple[int, int, str | None]] = []
    for key, value in case.expected.items():
        span = _only_place(case.input, value)
        choices = [donor[key] for donor in donors if type(donor.get(key)) is type(value) and donor[key] != value]
        if span is None or not choices:
            continue
        record[key] = random.choice(choices)
        spans.append((*span, str(record[key])))
    spans.sort()
    overlapping = any(one[1] > other[0] for one, other in pairwise(spans))
    if not spans or overlapping or _longest_frame(case.input, spans) > LONGEST_FRAME_WORDS or record in donors:
        return None
    return Example(_replaced(case.input, spans), json.dumps(record, ensure_ascii=False))


def _number_slots(source: str, fields: Sequence[re.Match[str]]) -> list[_Slot | None]:
    """For each field the one number of the input that equals it and stands by itself."""
    slots: list[_Slot | None] = []
    for at, field in enumerate(fields):
        same = [match for match in _DIGITS.finditer(source) if int(match[0]) == int(field[0])]
        twice = sum(int(other[0]) == int(field[0]) for other in fields) > 1
        glued = same and source[same[0].end() : same[0].end() + 1].isalpha()
        free = len(same) == 1 and not twice and not glued
        slots.append(_Slot(same[0].start(), same[0].end(), at, same[0][0]) if free else None)
    return slots


def _field_values(cases: Sequence[Case], fields: int) -> list[list[int]]:
    rows = [_DIGITS.findall(case.expected) for case in cases if isinstance(case.expected, str)]
    return [[int(row[at]) for row in rows if len(row) == fields] for at in range(fields)]


def _other_number(given: str, written: str, pool: Sequence[int], random: Random) -> str:
    """Another number as wide as the expected field: near the given one where it is long, else one that was seen."""
    value = int(given)
    if len(written) >= 3:
        return str(value + random.randint(3, 9)).zfill(len(written))
    seen = sorted({other for other in pool if other != value and 0 < other <= LARGEST_DAY})
    return str(random.choice(seen) if seen else value).zfill(len(written))


def _like(given: str, written: str) -> str:
    """A number with the leading zeros the input's own has."""
    return written if given.startswith("0") or len(given) == len(written) else written.lstrip("0") or "0"


def _replaced(text: str, spans: Sequence[tuple[int, int, str | None]]) -> str:
    parts, done = [], 0
    for start, end, new in sorted(spans, key=lambda span: span[0]):
        parts += [text[done:start], text[start:end] if new is None else new]
        done = end
    return "".join([*parts, text[done:]])


def _window(given: str, source: str, slots: Sequence[_Slot]) -> str:
    """The exchanged numbers with a few words around them."""
    tokens = given.split()
    first_at = len(source[: min(slot.start for slot in slots)].split())
    last_at = len(source[: max(slot.end for slot in slots)].split()) - 1
    if source[: min(slot.start for slot in slots)][-1:].strip():
        first_at -= 1  # the number stands inside a word, as in 02/05/2025
    lead: list[str] = []
    for token in reversed(tokens[max(0, first_at - WORDS_BEFORE) : first_at]):
        if token.endswith((".", "!", "?", ":", ";")):
            break
        lead.insert(0, token)
    return " ".join([*lead, *tokens[first_at : last_at + 1]]).strip(" ,;:.!?")


def _only_place(source: str, value: Any) -> tuple[int, int] | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    found = list(re.finditer(rf"(?<!\w){re.escape(str(value))}(?!\w)", source))
    return found[0].span() if len(found) == 1 else None


def _longest_frame(source: str, spans: Sequence[tuple[int, int, str | None]]) -> int:
    edges = [0, *(edge for start, end, _ in spans for edge in (start, end)), len(source)]
    return max(len(source[start:end].split()) for start, end in zip(edges[::2], edges[1::2], strict=True))


def exchanged(case: Case, cases: Sequence[Case], random: Random) -> Example | None:
    """The example a case yields, by values for records and by numbers for texts."""
    if isinstance(case.expected, Mapping):
        return exchange_values(case, cases, random)
    return exchange_numbers(case, cases, random)
