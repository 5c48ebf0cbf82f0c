"""Evals of a skill: `evals.json` of skill-creator, and the older files with a query and its expected behaviour.

What is expected is described in words there, so it takes a judge, or a check that a person adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.record_stream import inner, records
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source
from texttargets.importers.shape import sequence
from texttargets.strict_json import as_text

_LISTS = ("evals", "evaluations")
_POINTS = ("expectations", "assertions", "expected_behavior")


def looks_like(source: Source) -> bool:
    """Whether the file names a skill with its evals, or records have points that are expected."""
    if isinstance(source.document, dict) and "skill_name" in source.document and _LISTS[0] in source.document:
        return True
    return any(_asked(record) and record.keys() & {*_POINTS, "should_trigger"} for record in inner(source, *_LISTS))


def read(source: Source) -> Iterator[Item]:
    """Every eval of the file."""
    for row in records(source, *_LISTS):
        yield row if isinstance(row, BadRow) else _item(row)


def _asked(record: Mapping[str, Any]) -> Any:
    return record.get("prompt") or record.get("query")


def _item(row: Row) -> Item:
    record = row.values
    name = f"eval {as_text(record.get('id', row.line))}"
    if "should_trigger" in record:
        return LeftOut(row.line, f"{name}: asks whether the skill is loaded, not what it answers")
    points = [_point(point) for key in _POINTS for point in sequence(record.get(key))]
    described = [as_text(record["expected_output"])] if record.get("expected_output") else []
    expected = "\n".join([*described, *(f"- {point}" for point in points)])
    notes = ["what is expected is described in words; it needs a judge, or a check of your own"] if expected else []
    files = sequence(record.get("files"))
    if files:
        notes.append(f"{name}: its files are not imported: {', '.join(map(as_text, files))}")
    values = {"id": record.get("id"), "input": _asked(record), "expected": expected or None, "tags": record.get("tags")}
    return Row(row.line, values, tuple(notes))


def _point(point: Any) -> str:
    if isinstance(point, dict):
        return as_text(point.get("text") or point.get("description") or point.get("name") or point)
    return as_text(point)
