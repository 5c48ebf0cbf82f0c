"""One span, whoever wrote it down: OTLP, the console exporter, Phoenix' API, or a table of spans. Knows no cases.

Attributes come out as a flat mapping of dotted names; lists of messages are put together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from texttargets.importers.recorded import decoded
from texttargets.importers.shape import mapping, objects, sequence
from texttargets.strict_json import as_text

_NUMBERED = re.compile(r"(?P<list>.+?)\.(?P<number>\d+)\.(?:message\.)?(?P<field>.+)")
_VALUES = ("stringValue", "boolValue", "intValue", "doubleValue", "string_value", "bool_value", "int_value",
           "double_value")  # fmt: skip


@dataclass(frozen=True)
class Span:
    """`judgements` are evaluations and annotations of this very span, by name, with value and comment."""

    id: str
    parent: str
    name: str
    line: int
    attributes: Mapping[str, Any]
    failed: bool
    judgements: tuple[Mapping[str, Any], ...] = ()

    def messages(self, name: str) -> list[dict[str, Any]] | None:
        """The messages of `llm.input_messages` and its like: a list, JSON, or attributes with numbered names."""
        whole = decoded(self.attributes.get(name))
        if isinstance(whole, list):
            return [_message(item) for item in objects(whole)] or None
        found: dict[int, dict[str, Any]] = {}
        for key, value in self.attributes.items():
            match = _NUMBERED.fullmatch(key)
            if match and match["list"] == name:
                found.setdefault(int(match["number"]), {})[match["field"]] = value
        return [found[number] for number in sorted(found)] or None


def _message(item: dict[str, Any]) -> dict[str, Any]:
    """A message without what OpenInference puts around its fields."""
    item = dict(mapping(item.get("message"))) or {key.removeprefix("message."): value for key, value in item.items()}
    if "content" not in item and "contents" in item:
        item["content"] = [
            {key.removeprefix("message_content."): value for key, value in _inner(part).items()}
            for part in objects(item["contents"])
        ]
    return item


def _inner(part: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(part.get("message_content")) or part


def spans_in(record: Mapping[str, Any], line: int) -> Iterator[Span]:
    """The spans of one record: itself, or all of an OTLP batch."""
    batches = record.get("resourceSpans") or record.get("resource_spans")
    if not isinstance(batches, list):
        yield _span(record, line)
        return
    for batch in objects(batches):
        for scope in objects(batch.get("scopeSpans") or batch.get("scope_spans")):
            for span in objects(scope.get("spans")):
                yield _span(span, line)


def _span(record: Mapping[str, Any], line: int) -> Span:
    context, status = mapping(record.get("context")), mapping(record.get("status"))
    attributes = dict(_flat(_plain(record.get("attributes"))))
    attributes |= {key.removeprefix("attributes."): decoded(value) for key, value in record.items()
                   if key.startswith("attributes.")}  # fmt: skip
    events = [_event(event) for event in objects(record.get("events"))]
    for name, content in events:
        if name in ("gen_ai.content.prompt", "gen_ai.content.completion", "gen_ai.client.inference.operation.details"):
            attributes |= {key: value for key, value in content.items() if key not in attributes}
    span_id = record.get("spanId") or record.get("span_id") or context.get("span_id") or record.get("context.span_id")
    code = as_text(record.get("status_code") or status.get("status_code") or status.get("code") or "")
    return Span(
        id=as_text(span_id or record.get("id") or ""),
        parent=as_text(record.get("parentSpanId") or record.get("parent_span_id") or record.get("parent_id") or ""),
        name=as_text(record.get("name") or "span"),
        line=line,
        attributes=attributes,
        failed=code in ("2", "ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR"),
        judgements=tuple(_judgements(record, events)),
    )


def _judgements(record: Mapping[str, Any], events: list[tuple[str, dict[str, Any]]]) -> Iterator[Mapping[str, Any]]:
    """Phoenix' annotations, and OTel's events of an evaluation."""
    for annotation in objects(record.get("annotations") or record.get("span_annotations")):
        result = mapping(annotation.get("result", annotation))
        yield _judgement(annotation.get("name"), result.get("score"), result.get("label"), result.get("explanation"))
    for name, content in events:
        if name == "gen_ai.evaluation.result":
            score, label = content.get("gen_ai.evaluation.score.value"), content.get("gen_ai.evaluation.score.label")
            yield _judgement(content.get("gen_ai.evaluation.name"), score, label,
                             content.get("gen_ai.evaluation.explanation"))  # fmt: skip


def _judgement(name: Any, score: Any, label: Any, explanation: Any) -> Mapping[str, Any]:
    return {"name": name or "annotation", "value": score if score is not None else label, "comment": explanation}


def _event(event: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    return as_text(event.get("name") or ""), dict(_flat(_plain(event.get("attributes"))))


def _plain(attributes: Any) -> Any:
    """OTLP's list of keys and typed values as a mapping; everything else as it is."""
    if isinstance(attributes, list):
        return {as_text(item["key"]): _value(item.get("value")) for item in objects(attributes) if "key" in item}
    return attributes if isinstance(attributes, dict) else {}


def _value(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    for name in _VALUES:
        if name in value:
            return value[name]  # OTLP writes whole numbers as texts
    array = value.get("arrayValue") or value.get("array_value")
    if array is not None:
        return [_value(item) for item in sequence(mapping(array).get("values"))]
    return _plain(mapping(value.get("kvlistValue") or value.get("kvlist_value")).get("values"))


def _flat(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        if isinstance(item, dict):
            yield from _flat(item, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", item
