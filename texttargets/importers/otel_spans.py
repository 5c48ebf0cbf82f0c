"""Traces of OpenTelemetry, with the names of GenAI or of OpenInference (Phoenix): model calls and verdicts on them.

Where spans of a file were judged, these are the cases; where none was, its model calls are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from texttargets.importers.otel_attributes import Span, spans_in
from texttargets.importers.record_stream import columns, inner, records
from texttargets.importers.recorded import answer, question
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source

_LISTS = ("data", "spans")
_CALLS = ("chat", "text_completion", "generate_content", "completion")
_ASKED = ("llm.input_messages", "gen_ai.input.messages", "gen_ai.prompt")
_ANSWERED = ("llm.output_messages", "gen_ai.output.messages", "gen_ai.completion")


def looks_like(source: Source) -> bool:
    """Whether the first records are spans or batches of them."""
    batches = {"resourceSpans", "resource_spans"}
    of_table = {"context.span_id", "attributes.input.value"}
    return bool(of_table & columns(source)) or any(
        batches & record.keys()
        or of_table & record.keys()
        or (isinstance(record.get("attributes"), dict | list) and record.keys() & {"context", "span_id", "spanId"})
        for record in inner(source, *_LISTS)
    )


def read(source: Source) -> Iterator[Item]:
    """Every judged span, or every model call; the rest is named as steps."""
    spans: list[Span] = []
    for row in records(source, *_LISTS):
        if isinstance(row, BadRow):
            yield row
        else:
            spans += spans_in(row.values, row.line)
    judged = any(span.judgements for span in spans)
    calls = any(map(_is_call, spans))
    for span in spans:
        if judged and not span.judgements:
            yield LeftOut(span.line, f"{span.name} {span.id}: no verdict on this span, but on others of the file")
        elif not judged and calls and not _is_call(span):
            yield LeftOut(span.line, f"{span.name} {span.id}: a step, no call of a model")
        elif not judged and not calls and span.parent:
            yield LeftOut(span.line, f"{span.name} {span.id}: a step inside another span")
        else:
            yield _item(span)


def _is_call(span: Span) -> bool:
    kind = span.attributes.get("openinference.span.kind")
    return kind == "LLM" or (kind is None and span.attributes.get("gen_ai.operation.name") in _CALLS)


def _item(span: Span) -> Item:
    name, notes = f"{span.name} {span.id}", list[str]()
    asked, said = _text(span, _ASKED, "input.value"), _text(span, _ANSWERED, "output.value")
    prompt, spoken = question(asked, notes)
    output = answer(said, notes) or spoken
    if span.failed and output is None:
        return LeftOut(span.line, f"{name}: ended in an error, not imported")
    if prompt is None and output is None:
        return LeftOut(span.line, f"{name}: no input or output in the export (was their recording switched off?)")
    values = {"id": span.id or None, "input": prompt, "output": output, "scores": list(span.judgements) or None}
    return Row(span.line, values, tuple(f"{name}: {note}" for note in dict.fromkeys(notes)), of_run=True)


def _text(span: Span, lists: tuple[str, ...], value: str) -> Any:
    """Messages where there are any, else the value as a whole."""
    for name in lists:
        messages = span.messages(name)
        if messages:
            return messages
    given = (span.attributes.get(name) for name in (*lists, value) if span.attributes.get(name) is not None)
    return next(given, None)
