"""Examples of DSPy and GEPA as dictionaries: an `answer` there is what is wanted, not what came out.

Also what they save of a run: the demonstrations of a compiled program, and records with generated outputs and feedback.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.alternatives import one_of
from texttargets.importers.record_stream import records
from texttargets.importers.recorded import question
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source
from texttargets.importers.shape import mapping, objects
from texttargets.strict_json import as_text, plain

_LISTS = ("examples", "trainset", "devset", "valset", "data")
_WANTED = ("answer", "answers", "label", "gold_answer", "target", "output", "response", "expected")
_OWN = frozenset({"dspy_uuid", "dspy_split", "augmented", "id", "additional_context", "rationale", "reasoning"})


def looks_like(source: Source) -> bool:
    """Whether records have the names that only these tools use."""
    document = mapping(source.document)
    return bool(_demos(document)) or any(
        record.keys() & {"dspy_uuid", "dspy_split", "additional_context"} or "Generated Outputs" in record
        for record in source.head
    )


def read(source: Source) -> Iterator[Item]:
    """Every example; of a saved program its demonstrations."""
    demos = _demos(mapping(source.document))
    if demos:
        yield from (_item(Row(1, demo)) for demo in demos)
        return
    for row in records(source, *_LISTS):
        yield row if isinstance(row, BadRow) else _item(row)


def _demos(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The demonstrations of every predictor of a saved program."""
    parts = [document, *(part for part in document.values() if isinstance(part, dict))]
    return [demo for part in parts if {"demos", "signature"} <= part.keys() for demo in objects(part.get("demos"))]


def _item(row: Row) -> Item:
    record, notes = row.values, list[str]()
    if "Generated Outputs" in record:
        asked = question(record.get("Inputs"), notes)[0]
        values = {"input": asked, "output": record["Generated Outputs"], "reason": record.get("Feedback")}
        return Row(row.line, values, tuple(notes))
    wanted = next((name for name in _WANTED if record.get(name) is not None), None)
    asked = {
        key: plain(value) for key, value in record.items() if key not in _OWN and key != wanted and value is not None
    }
    if not asked:
        return LeftOut(row.line, f"no field but {', '.join(map(as_text, record)) or 'none'}: nothing to ask")
    expected, check = one_of(record.get(wanted)) if wanted else (None, None)
    if "additional_context" in record:
        check = check or ({"type": "contains"} if isinstance(expected, str) else None)  # as GEPA's own evaluator does
        if record["additional_context"]:
            notes.append("additional_context is feedback for GEPA's reflection, not part of the input; left out")
    values = {
        "id": record.get("id", record.get("dspy_uuid")),
        "input": next(iter(asked.values())) if len(asked) == 1 else asked,
        "expected": expected,
        "check": check,
        "split": record.get("dspy_split"),
    }
    return Row(row.line, values, tuple(notes))
