"""pytest's results as JSON: the report of pytest-json-report, and the lines of pytest-reportlog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from texttargets.importers.record_stream import records
from texttargets.importers.records import BadRow, Item, LeftOut, Row, Source
from texttargets.importers.shape import mapping, sequence
from texttargets.strict_json import as_text

_NOT_RUN = frozenset({"skipped", "xfailed", "xpassed", "deselected"})


def looks_like(source: Source) -> bool:
    """Whether the file is a report with tests by node id, or a log of such reports."""
    tests = sequence(mapping(source.document).get("tests"))
    return any("nodeid" in mapping(test) for test in tests[:1]) or any("$report_type" in head for head in source.head)


def read(source: Source) -> Iterator[Item]:
    """Every test that was called."""
    for row in records(source, "tests"):
        if isinstance(row, BadRow):
            yield row
        elif row.values.get("$report_type", "TestReport") == "TestReport" and not _is_step(row.values):
            yield _item(row)


def _is_step(record: Mapping[str, Any]) -> bool:
    """Whether it is about a set-up or tear-down that went well."""
    return record.get("when", "call") != "call" and record.get("outcome") == "passed"


def _item(row: Row) -> Item:
    record, call = row.values, mapping(row.values.get("call"))
    if not record.get("nodeid"):
        return BadRow(row.line, "no report of a test: it has no nodeid")
    name, outcome = as_text(record.get("nodeid") or "test"), as_text(record.get("outcome"))
    if outcome in _NOT_RUN:
        return LeftOut(row.line, f"{name}: {outcome}, no verdict")
    if outcome == "error" or record.get("when", "call") != "call":
        return LeftOut(row.line, f"{name}: error around the test, not a failed assertion")
    given = {**_recorded(record.get("user_properties")), **mapping(record.get("metadata"))}
    values = {
        "id": name,
        "input": given.get("input", name),
        "expected": given.get("expected"),
        "output": given.get("output") or call.get("stdout") or _stdout(record.get("sections")),
        "passed": outcome == "passed",
        "reason": _reason(call if call else record),
    }
    notes = () if "input" in given else ("no property `input`; the name of the test stands for it",)
    return Row(row.line, values, notes)


def _reason(report: Mapping[str, Any]) -> str | None:
    longest = report.get("longrepr")
    crash = mapping(report.get("crash")) or mapping(mapping(longest).get("reprcrash"))
    said = crash.get("message") or (longest if isinstance(longest, str) else None)
    return as_text(said) if said else None


def _recorded(properties: Any) -> dict[str, Any]:
    """What `record_property` noted: pairs, or objects of one name."""
    found: dict[str, Any] = {}
    for entry in sequence(properties):
        if isinstance(entry, list) and len(entry) == 2:
            entry = {as_text(entry[0]): entry[1]}
        found |= {name.lower(): value for name, value in mapping(entry).items()}
    return found


def _stdout(sections: Any) -> str | None:
    parts = [part for part in sequence(sections) if isinstance(part, list) and len(part) == 2]
    return next((as_text(text) for title, text in parts if as_text(title).startswith("Captured stdout call")), None)
