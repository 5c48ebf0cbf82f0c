"""SkillOpt's items (a JSON list in train, val and test folders) and the results of its rollouts.

The folder names the side of the split: what SkillOpt trains and selects on selects here too, its test is held out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.alternatives import one_of
from texttargets.importers.record_stream import inner, records
from texttargets.importers.records import BadRow, Item, Row, Source
from texttargets.strict_json import as_text

_LISTS = ("data", "items", "results")
_WANTED = ("ground_truth", "ground_truths", "answers", "answer", "expected")
_CONTEXT = ("context", "reference_text", "reference", "documents")
_SIDES = {"train": "selection", "val": "selection", "valid": "selection", "validation": "selection", "test": "holdout"}


def looks_like(source: Source) -> bool:
    """Whether records are scored rollouts, or the file is `items.json` with questions and their ground truth."""
    return any(
        record.keys() >= {"hard", "soft"}
        or ("task_type" in record and "question" in record and record.keys() & set(_WANTED))
        or (source.name == "items.json" and _asked(record) and record.keys() & set(_WANTED))
        for record in inner(source, *_LISTS)
    )


def read(source: Source) -> Iterator[Item]:
    """Every item, every rollout."""
    side = _SIDES.get(source.path.parent.name.lower())
    for row in records(source, *_LISTS):
        yield row if isinstance(row, BadRow) else _item(row, side)


def _asked(record: Mapping[str, Any]) -> Any:
    return next((record[key] for key in ("question", "input", "task", "instruction") if record.get(key)), None)


def _item(row: Row, side: str | None) -> Item:
    record = row.values
    wanted = next((record[key] for key in _WANTED if record.get(key) not in (None, [])), None)
    expected, check = one_of(wanted)
    asked, context = _asked(record), {key: record[key] for key in _CONTEXT if record.get(key)}
    values = {
        "id": record.get("id", record.get("uid")),
        "input": {"question": asked, **context} if context and asked is not None else asked,
        "expected": expected,
        "check": check,
        "output": record.get("predicted_answer", record.get("prediction")),
        "passed": record.get("hard"),
        "reason": record.get("fail_reason") or None,
        "tags": [as_text(record["task_type"])] if record.get("task_type") else None,
        "split": side,
    }
    return Row(row.line, values)
