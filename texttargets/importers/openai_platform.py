"""What OpenAI's platform gives out: stored completions, and output items of an eval run with its graders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.record_stream import inner, records
from texttargets.importers.recorded import answer, chat_messages, question
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source
from texttargets.importers.shape import mapping, objects
from texttargets.strict_json import as_text

_LISTS = ("data", "items")
_COMPLETION, _OUTPUT_ITEM = "chat.completion", "eval.run.output_item"
_WANTED = ("expected", "ideal", "reference", "ground_truth", "correct_label", "label")


def looks_like(source: Source) -> bool:
    """Whether the first records say that they are completions or output items, or pair a request with its response."""
    return any(_object(record) in (_COMPLETION, _OUTPUT_ITEM) for record in inner(source, *_LISTS))


def read(source: Source) -> Iterator[Item]:
    """Every completion whose question is recorded with it, every output item."""
    for row in records(source, *_LISTS):
        if isinstance(row, BadRow):
            yield row
        elif _object(row.values) == _OUTPUT_ITEM:
            yield _output_item(row)
        else:
            yield _completion(row)


def _object(record: Mapping[str, Any]) -> str:
    return as_text(record.get("object") or _response(record).get("object") or "")


def _response(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The completion of a record: itself, or what it keeps as the response to a request."""
    response = mapping(record.get("response"))
    return mapping(response.get("body")) or response or record


def _completion(row: Row) -> Item:
    record = row.values
    response, request = _response(record), mapping(record.get("request")) or record
    name = as_text(response.get("id") or record.get("id") or row.line)
    messages = next((found for key in ("messages", "input", "input_messages", "body")
                     if (found := chat_messages(request.get(key)))), None)  # fmt: skip
    notes: list[str] = []
    said = answer({"choices": response.get("choices")}, notes) if response.get("choices") else None
    if not messages:
        return LeftOut(row.line, f"{name}: the question is not in the export; add the `messages` of each completion")
    asked, spoken = question(messages, notes)
    metadata = mapping(record.get("metadata"))
    values = {
        "id": response.get("id") or record.get("id"),
        "input": asked,
        "output": said or spoken,
        "tags": metadata.get("tags"),
        "passed": metadata.get("passed"),
        "score": metadata.get("score"),
        "reason": metadata.get("feedback"),
    }
    return Row(row.line, values, tuple(f"{name}: {note}" for note in dict.fromkeys(notes)), of_run=True)


def _output_item(row: Row) -> Item:
    record, sample = row.values, mapping(row.values.get("sample"))
    data = mapping(record.get("datasource_item"))
    name = f"output item {as_text(record.get('datasource_item_id', record.get('id')))}"
    notes: list[str] = []
    said = answer(sample.get("output"), notes)
    if record.get("status") == "error" or (said is None and sample.get("error")):
        return LeftOut(row.line, f"{name}: ended in an error, not imported")
    asked = question(sample.get("input"), notes)[0]
    data = mapping(data.get("item")) or data
    if asked is None:
        asked = {key: value for key, value in data.items() if key not in _WANTED} or None
    graders = objects(record.get("results"))
    status = {"pass": True, "passed": True, "fail": False, "failed": False}.get(as_text(record.get("status")))
    # A grader says itself whether its score is enough, so its number is not looked at again.
    verdicts = [{"name": grader.get("name", "grader"), "value": grader.get("passed", grader.get("score"))}
                for grader in graders]  # fmt: skip
    values = {
        "id": record.get("datasource_item_id", record.get("id")),
        "input": asked,
        "output": said,
        "expected": next((data[key] for key in _WANTED if data.get(key) is not None), None),
        "passed": status,
        "scores": verdicts or None,
    }
    return Row(row.line, values, tuple(f"{name}: {note}" for note in dict.fromkeys(notes)))
