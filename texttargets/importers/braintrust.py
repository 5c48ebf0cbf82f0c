"""Braintrust: rows of an experiment, a dataset or the logs, as exported or fetched. Scores decide what is a failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.record_stream import columns, inner, records
from texttargets.importers.recorded import answer, decoded, question, wanted
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source
from texttargets.importers.shape import key
from texttargets.strict_json import as_text

_LISTS = ("events", "data", "rows", "objects")
_MARKS = frozenset({"span_attributes", "root_span_id", "span_parents", "_xact_id", "is_root", "experiment_id",
                    "dataset_record_id", "_pagination_key"})  # fmt: skip


def looks_like(source: Source) -> bool:
    """Whether the first records have the names of Braintrust's events."""
    names = [record.keys() for record in inner(source, *_LISTS)] or [columns(source)]
    return any("input" in name and _MARKS & name for name in names)


def read(source: Source) -> Iterator[Item]:
    """Every row of an experiment, every root of the logs; spans below a root are steps."""
    rows = list(records(source, *_LISTS))
    origins = Counter(key(row.values.get("dataset_record_id")) for row in rows if isinstance(row, Row))
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        record = row.values
        if not _is_root(record):
            yield LeftOut(row.line, f"{as_text(record.get('id', 'span'))}: a step of another span")
            continue
        origin = record.get("dataset_record_id")
        # A row made from a dataset keeps that id, so that the next experiment brings the same case up to date.
        yield _item(row, origin if origin and origins[key(origin)] == 1 else record.get("id"))


def _is_root(record: Mapping[str, Any]) -> bool:
    if isinstance(record.get("is_root"), bool):
        return bool(record["is_root"])
    if decoded(record.get("span_parents")):
        return False
    return record.get("span_id") in (None, record.get("root_span_id")) or "span_parents" in record


def _item(row: Row, case_id: Any) -> Item:
    record, notes = row.values, list[str]()
    name = as_text(record.get("id") or row.line)
    if record.get("error"):
        return LeftOut(row.line, f"{name}: ended in an error, not imported")
    asked, spoken = question(record.get("input"), notes)
    said = answer(record.get("output"), notes) or spoken
    expected = wanted(record.get("expected"), notes)
    if asked is None and said is None and expected is None:
        return LeftOut(row.line, f"{name}: no input or output in the export")
    metadata = decoded(record.get("metadata"))
    values = {
        "id": case_id,
        "input": asked,
        "output": said,
        "expected": expected,
        "scores": decoded(record.get("scores")),
        "tags": decoded(record.get("tags")) or None,
        "reason": metadata.get("comment") if isinstance(metadata, dict) else None,
    }
    return Row(row.line, values, tuple(f"{name}: {note}" for note in dict.fromkeys(notes)), of_run=said is not None)
