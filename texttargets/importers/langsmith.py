"""LangSmith: examples of a dataset, and runs with their feedback, as the client, the CLI and the export write them.

The outputs of an example are what was wanted, those of a run are what came out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.record_stream import inner, records
from texttargets.importers.recorded import answer, question, wanted
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source
from texttargets.importers.shape import key
from texttargets.strict_json import as_text

_LISTS = ("runs", "examples", "data", "results")
_OF_A_RUN = frozenset({"run_type", "dotted_order", "reference_example_id", "feedback_stats", "session_id", "run_id",
                       "reference_outputs", "feedback", "parent_run_id"})  # fmt: skip
_OF_AN_EXAMPLE = frozenset({"id", "name", "inputs", "outputs", "dataset_id", "source_run_id", "created_at",
                            "modified_at", "split", "metadata", "attachments", "attachment_urls"})  # fmt: skip


def looks_like(source: Source) -> bool:
    """Whether the first records have `inputs` and `outputs`, with names of LangSmith or nothing else."""
    return any(_is_ours(record) for record in inner(source, *_LISTS))


def read(source: Source) -> Iterator[Item]:
    """Every example, every run that is not a step of another one in the file."""
    rows = list(records(source, *_LISTS))
    found = [row.values for row in rows if isinstance(row, Row)]
    ids = {key(_id(record)) for record in found} - {""}
    examples = Counter(key(record.get("reference_example_id")) for record in found)
    for row in rows:
        if isinstance(row, BadRow):
            yield row
        elif key(row.values.get("parent_run_id")) in ids:
            yield LeftOut(row.line, f"run {_id(row.values)}: a step of another run")
        else:
            example = row.values.get("reference_example_id")
            # A run of an example keeps the example's id, so that the next experiment brings the same case up to date.
            yield _item(row, example if examples[key(example)] == 1 else None)


def _is_ours(record: Mapping[str, Any]) -> bool:
    if "inputs" not in record:
        return False
    return bool(record.keys() & _OF_A_RUN) or ("outputs" in record and record.keys() <= _OF_AN_EXAMPLE)


def _id(record: Mapping[str, Any]) -> Any:
    return record.get("id") or record.get("run_id")


def _item(row: Row, example: Any) -> Item:
    record, notes = row.values, list[str]()
    is_run = bool(record.keys() & _OF_A_RUN)
    name = f"{'run' if is_run else 'example'} {as_text(_id(record) or row.line)}"
    asked, spoken = question(record.get("inputs"), notes)
    outputs = answer(record.get("outputs"), notes)
    if is_run and record.get("error"):
        return LeftOut(row.line, f"{name}: ended in an error, not imported")
    if asked is None and outputs is None:
        return LeftOut(row.line, f"{name}: no input or output in the export")
    metadata = record.get("metadata")
    values = {
        "id": example or _id(record),
        "input": asked,
        "scores": record.get("feedback") or record.get("feedback_stats"),
        "tags": record.get("tags") or None,
        "split": _split(record, metadata),
    }
    if is_run:
        reference = record.get("reference_outputs") or record.get("reference")
        values |= {"output": outputs or spoken, "expected": wanted(reference, notes)}
    else:
        values["expected"] = wanted(record.get("outputs"), notes)
    return Row(row.line, values, tuple(f"{name}: {note}" for note in dict.fromkeys(notes)), of_run=is_run)


def _split(record: Mapping[str, Any], metadata: Any) -> Any:
    split = record.get("split") or (metadata.get("dataset_split") if isinstance(metadata, dict) else None)
    split = split[0] if isinstance(split, list) and split else split
    return None if split in ("base", [], None) else split
