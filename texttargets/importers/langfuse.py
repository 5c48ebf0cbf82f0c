"""Langfuse: dataset items, traces and observations, from the API, the export buttons, the blob storage or a download.

What a trace itself does not say is taken from its model calls. Scores decide what is a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.fields import fold
from texttargets.importers.record_stream import columns, inner, records
from texttargets.importers.recorded import answer, decoded, question, wanted
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source
from texttargets.importers.shape import mapping, objects
from texttargets.strict_json import as_text, loads

_LISTS = ("data", "traces", "items", "observations")
_MARKS = frozenset({"bookmarked", "html_path", "html_url", "observations", "observation_count", "source_trace_id",
                    "source_observation_id", "parent_observation_id", "trace_name", "usage_details"})  # fmt: skip
_ALSO_MARKS = ({"dataset_id", "expected_output"}, {"dataset_name", "expected_output"}, {"trace_id", "type", "level"})
_OF_A_TRACE = frozenset({"input", "output", "timestamp", "name"})
# Every other column of an exported table that holds a list of values is a score of that name.
_OWN = frozenset(
    {"tags", "observations", "scores", "comments", "tool_names", "tool_calls", "input", "output", "metadata"}
)


def looks_like(source: Source) -> bool:
    """Whether the first records have the names of Langfuse."""
    called_so = "langfuse" in source.name.lower()
    document = source.document if isinstance(source.document, dict) else {}
    if {"total_items", "page"} & set(map(fold, mapping(document.get("meta")))):
        called_so = True  # pages of its API
    names = [frozenset(map(fold, keys)) for keys in (*inner(source, *_LISTS), document, columns(source))]
    return any(_has_marks(name) or (called_so and {"input", "output"} <= name) for name in names)


def read(source: Source) -> Iterator[Item]:
    """Every dataset item, trace or observation; a trace with what its observations say."""
    document = source.document
    if isinstance(document, dict) and isinstance(document.get("trace"), dict):  # a downloaded trace
        rest = {name: document[name] for name in ("observations", "scores") if name in document}
        yield _item(Row(1, {**document["trace"], **rest}))
        return
    lists = _LISTS[:3] if isinstance(document, dict) and {"id", "observations"} <= document.keys() else _LISTS
    for row in records(source, *lists):
        yield row if isinstance(row, BadRow) else _item(row)


def _has_marks(names: frozenset[str]) -> bool:
    return bool(names & _MARKS) or any(marks <= names for marks in _ALSO_MARKS) or names >= _OF_A_TRACE


def _item(row: Row) -> Item:
    record = {fold(name): value for name, value in row.values.items()}
    name = f"{as_text(record.get('id') or record.get('name') or 'record')}"
    if record.get("type") in ("SPAN", "EVENT", "TOOL", "RETRIEVER", "EMBEDDING"):
        return LeftOut(row.line, f"{name}: a step ({record['type'].lower()}), no answer of a model")
    if record.get("status") == "ARCHIVED":
        return LeftOut(row.line, f"{name}: archived in its dataset")
    notes: list[str] = []
    asked, said = _exchange(record, notes)
    if asked is None and said is None and record.get("expected_output") is None:
        return LeftOut(row.line, f"{name}: no input or output in the export")
    if said is None and record.get("level") == "ERROR":
        return LeftOut(row.line, f"{name}: ended in an error, not imported")
    scores = record.get("scores")
    if isinstance(scores, list) and scores and not any(isinstance(score, dict) for score in scores):
        notes.append("its scores are named by id only, so what they say is not known; taken as a failure")
    values = {
        "id": record.get("id"),
        "input": asked,
        "output": said,
        "expected": wanted(record.get("expected_output"), notes),
        "scores": scores or _columns_of_scores(row.values) or None,
        "tags": record.get("tags") or None,
    }
    return Row(row.line, values, tuple(f"{name}: {note}" for note in dict.fromkeys(notes)), of_run=said is not None)


def _exchange(record: Mapping[str, Any], notes: list[str]) -> tuple[Any, str | None]:
    """Question and answer of a record; what it leaves open is looked for in its model calls, the last answer first."""
    asked, spoken = question(_unquoted(record.get("input")), notes)
    said = answer(_unquoted(record.get("output")), notes) or spoken
    calls = [{fold(name): value for name, value in call.items()} for call in objects(record.get("observations"))]
    calls = [call for call in calls if call.get("type") == "GENERATION"] or calls
    for call in calls:
        asked = asked if asked is not None else question(call.get("input"), notes)[0]
    for call in reversed(calls):
        said = said if said is not None else answer(call.get("output"), notes)
    return asked, said


def _unquoted(value: Any) -> Any:
    """A text that the export has written as JSON once more, with its quotes."""
    value = decoded(value)
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return loads(value)
        except ValueError:
            return value
    return value


def _columns_of_scores(record: Mapping[str, Any]) -> dict[str, Any]:
    """Scores that an exported table keeps in columns of their own, each a list of values."""
    return {
        name: value
        for name, value in ((name, decoded(value)) for name, value in record.items())
        if fold(name) not in _OWN and isinstance(value, list) and value and not any(isinstance(v, dict) for v in value)
    }
