"""promptfoo's results file (`promptfoo eval -o results.json`): failing tests with the reason their grader gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.json_document import elements
from texttargets.importers.promptfoo_asserts import read_asserts
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source

_FAULT_OF_PROVIDER = 2  # promptfoo's ResultFailureReason.ERROR


def looks_like(source: Source) -> bool:
    """Whether the document holds results with the variables of their tests."""
    return _is_results(source.document)


def read(source: Source) -> Iterator[Item]:
    """Every test of the run. Raises InputError when the file is no results file."""
    if not _is_results(source.document):
        raise source.fault("no promptfoo results: there is no list results.results with vars")
    outer = source.document["results"]
    for line, test in elements(source.text, *(("results", "results") if isinstance(outer, dict) else ("results",))):
        yield _item(line, test) if isinstance(test, dict) else BadRow(line, "not a JSON object")


def _is_results(document: Any) -> bool:
    results = document.get("results") if isinstance(document, dict) else None
    results = results.get("results") if isinstance(results, dict) else results
    return isinstance(results, list) and any(isinstance(test, dict) and "vars" in test for test in results)


def _item(line: int, test: Mapping[str, Any]) -> Item:
    name = f"test {test.get('testIdx', '?')}"
    response, grading = _mapping(test.get("response")), _mapping(test.get("gradingResult"))
    output = response.get("output")
    if test.get("failureReason") == _FAULT_OF_PROVIDER or (
        output is None and (test.get("error") or response.get("error"))
    ):
        return LeftOut(line, f"{name}: provider error, not imported")
    if output is None:
        return LeftOut(line, f"{name}: no output in the export, not imported")
    case = _mapping(test.get("testCase"))
    variables = _mapping(test.get("vars")) or _mapping(case.get("vars"))
    asserted = read_asserts(case.get("assert"), variables)
    metadata = _mapping(case.get("metadata"))
    values = {
        "id": metadata.get("id"),
        "vars": variables,
        "output": output,
        "expected": asserted.expected,
        "check": asserted.check,
        "reason": grading.get("reason") or test.get("error"),
        "passed": test.get("success", grading.get("pass")),
        "tags": metadata.get("tags"),
    }
    return Row(line, values, tuple(f"{name}: {note}" for note in asserted.notes))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
