"""promptfoo's results (`promptfoo eval -o results.json` or `.jsonl`): failing tests with the reason of their grader."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.json_document import elements
from texttargets.importers.promptfoo_asserts import read_asserts
from texttargets.importers.record_stream import records
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source
from texttargets.importers.shape import mapping

_FAULT_OF_PROVIDER = 2  # promptfoo's ResultFailureReason.ERROR


def looks_like(source: Source) -> bool:
    """Whether the document holds results with the variables of their tests, or lines do."""
    return _is_results(source.document) or any(map(_is_result, source.head))


def read(source: Source) -> Iterator[Item]:
    """Every test of the run. Raises InputError when the file is no results file."""
    if any(map(_is_result, source.head)):
        for row in records(source):
            yield _item(row.line, row.values) if isinstance(row, Row) else row
        return
    if not _is_results(source.document):
        raise source.fault("no promptfoo results: there is no list results.results with vars")
    outer = source.document["results"]
    for line, test in elements(source.text, *(("results", "results") if isinstance(outer, dict) else ("results",))):
        yield _item(line, test) if isinstance(test, dict) else BadRow(line, "not a JSON object")


def _is_results(document: Any) -> bool:
    results = document.get("results") if isinstance(document, dict) else None
    results = results.get("results") if isinstance(results, dict) else results
    return isinstance(results, list) and any(isinstance(test, dict) and "vars" in test for test in results)


def _is_result(record: Mapping[str, Any]) -> bool:
    """Whether a record is one result, as a JSONL file of promptfoo has it on each line."""
    return "vars" in record and "success" in record and bool(record.keys() & {"response", "gradingResult", "testIdx"})


def _item(line: int, test: Mapping[str, Any]) -> Item:
    name = f"test {test.get('testIdx', '?')}"
    response, grading = mapping(test.get("response")), mapping(test.get("gradingResult"))
    output = response.get("output")
    if test.get("failureReason") == _FAULT_OF_PROVIDER or (
        output is None and (test.get("error") or response.get("error"))
    ):
        return LeftOut(line, f"{name}: provider error, not imported")
    if output is None:
        return LeftOut(line, f"{name}: no output in the export, not imported")
    case = mapping(test.get("testCase"))
    variables = mapping(test.get("vars")) or mapping(case.get("vars"))
    asserted = read_asserts(case.get("assert"), variables, case)
    metadata = mapping(case.get("metadata"))
    passed = test.get("success", grading.get("pass"))
    values = {
        "id": metadata.get("id"),
        "vars": variables,
        "output": output,
        "expected": asserted.expected,
        "check": asserted.check,
        "reason": None if passed is True else grading.get("reason") or test.get("error"),
        "passed": passed,
        "scores": test.get("namedScores") or grading.get("namedScores") or None,
        "tags": metadata.get("tags"),
    }
    return Row(line, values, tuple(f"{name}: {note}" for note in asserted.notes))
