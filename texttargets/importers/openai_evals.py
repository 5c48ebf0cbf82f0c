"""OpenAI's evals: samples with their ideal answers, and the log of a run, whose events belong together by sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.alternatives import one_of
from texttargets.importers.record_stream import records
from texttargets.importers.recorded import answer, question
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source
from texttargets.strict_json import as_text

_EVENT = {"run_id", "sample_id", "type", "data"}
_SAMPLED = ("sampled", "completion", "picked")


def looks_like(source: Source) -> bool:
    """Whether the records are events of a run, or samples with an ideal answer."""
    return any(
        record.keys() >= _EVENT
        or ("ideal" in record and "input" in record)
        or (isinstance(record.get("spec"), dict) and "eval_name" in record["spec"])
        for record in source.head
    )


def read(source: Source) -> Iterator[Item]:
    """Every sample, or every sample that a run has logged, in the order of its first event."""
    events: dict[str, dict[str, tuple[int, Mapping[str, Any]]]] = {}
    for row in records(source, "samples", "data"):
        if isinstance(row, BadRow):
            yield row
        elif row.values.keys() >= _EVENT:
            kinds = events.setdefault(as_text(row.values["sample_id"]), {})
            data = row.values["data"] if isinstance(row.values["data"], dict) else {}
            kinds[as_text(row.values["type"])] = (row.line, data)  # of several attempts the last one counts
        elif "ideal" in row.values:
            yield _sample(row)
        elif not row.values.keys() & {"spec", "final_report"}:
            yield BadRow(row.line, "neither a sample (input, ideal) nor an event of a run (sample_id, type, data)")
    for sample, kinds in events.items():
        yield _logged(sample, kinds)


def _sample(row: Row) -> Item:
    notes: list[str] = []
    expected, check = one_of(row.values["ideal"])
    values = {
        "id": row.values.get("id", row.values.get("sample_id")),
        "input": question(row.values.get("input"), notes)[0],
        "expected": expected,
        "check": check,
        "tags": row.values.get("tags"),
    }
    return Row(row.line, values, tuple(notes))


def _logged(sample: str, kinds: Mapping[str, tuple[int, Mapping[str, Any]]]) -> Item:
    line, match = kinds.get("match") or kinds.get("metrics") or kinds.get("sampling") or next(iter(kinds.values()))
    sampling = kinds.get("sampling", (0, {}))[1]
    if "error" in kinds and not sampling:
        return LeftOut(kinds["error"][0], f"sample {sample}: ended in an error, not imported")
    notes: list[str] = []
    asked = question(sampling.get("prompt", match.get("prompt")), notes)[0]
    said = next((found[name] for found in (sampling, match) for name in _SAMPLED if found.get(name) is not None), None)
    said = said[0] if isinstance(said, list) and said else said
    if asked is None:
        return LeftOut(line, f"sample {sample}: its prompt is not in the log")
    expected, check = one_of(match.get("expected"))
    metrics = kinds.get("metrics", (0, {}))[1]
    values = {
        "id": sample,
        "input": asked,
        "output": answer(said, notes),
        "expected": expected,
        "check": check,
        "passed": match.get("correct"),
        "scores": {name: value for name, value in metrics.items() if isinstance(value, bool | int | float)} or None,
    }
    return Row(line, values, tuple(f"sample {sample}: {note}" for note in dict.fromkeys(notes)))
