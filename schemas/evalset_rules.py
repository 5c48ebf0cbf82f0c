"""Rules between the keys of an eval set: unique ids, and checks that have the `expected` they compare with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from ceopt_tui.errors import Problem
from schemas.checks import AllOf, Check, Contains, Exact, JsonFields, JsonSchema, Length, Normalized, Number
from schemas.evalset import Case, EvalSet, Expected
from schemas.problems import problem_at
from schemas.schema_fault import schema_fault
from schemas.yaml_strict import Document

V = TypeVar("V")
_CASE: TypeAdapter[Case] = TypeAdapter(Case)
_CHECK: TypeAdapter[Check] = TypeAdapter(Check)


def broken_case_rules(evalset: EvalSet | None, document: Document) -> list[Problem]:
    """Every rule that does not hold; with None the cases that are valid by themselves are checked."""
    raw = document.at(("cases",))
    if not isinstance(raw, list):
        return []
    cases = evalset.cases if evalset else [_valid(_CASE, entry) for entry in raw]
    shared = evalset.check if evalset else _valid(_CHECK, document.at(("check",)))
    problems = list(_doubled_ids(raw, document))
    if shared:
        problems.extend(problem_at(document, ("check",), reason) for reason in _unusable(shared))
    for number, case in enumerate(cases):
        if case is None:
            continue
        path = ("cases", number)
        if case.check:
            problems.extend(problem_at(document, (*path, "check"), reason) for reason in _unusable(case.check))
        if check := case.check or shared:
            reasons = _unfit(check, case.expected, _null_hint(document, number))
            problems.extend(problem_at(document, (*path, "expected"), reason) for reason in reasons)
    return problems


def cases_without_answer(evalset: EvalSet, document: Document) -> list[Problem]:
    """Cases that only a judge could score: no check of their own, none of the file, and no `expected`."""
    if evalset.check is not None:
        return []
    return [
        problem_at(
            document, ("cases", number, "expected"), f"is required without a check{_null_hint(document, number)}"
        )
        for number, case in enumerate(evalset.cases)
        if case.check is None and case.expected is None
    ]


def _valid(adapter: TypeAdapter[V], data: Any) -> V | None:
    try:
        return adapter.validate_python(data)
    except ValidationError:
        return None


def _doubled_ids(raw: list[Any], document: Document) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for number, entry in enumerate(raw):
        name = entry.get("id") if isinstance(entry, dict) else None
        if not isinstance(name, str):
            continue
        if name not in first:
            first[name] = number
            continue
        earlier = first[name]
        lines = f"{document.line(('cases', earlier, 'id'))} and {document.line(('cases', number, 'id'))}"
        content = "same content" if raw[earlier] == entry else "different content"
        message = f"duplicate id '{name}' on lines {lines} ({content})"
        yield problem_at(document, ("cases", number, "id"), message)


def _unusable(check: Check) -> Iterator[str]:
    """Why the check could not be carried out, or could never fail."""
    if isinstance(check, AllOf):
        for inner in check.checks:
            yield from _unusable(inner)
    elif isinstance(check, JsonSchema):
        if fault := schema_fault(check.schema_):
            yield f"the schema {fault}"
    elif isinstance(check, Length):
        if check.minimum is None and check.maximum is None:
            yield "check length needs `minimum` or `maximum`"
        elif check.minimum is not None and check.maximum is not None and check.minimum > check.maximum:
            yield f"no output is at least {check.minimum} and at most {check.maximum} {check.unit} long"


def _null_hint(document: Document, number: int) -> str:
    """What to say of an `expected` that is written and still empty: the word null means nothing is there."""
    entry = document.at(("cases", number))
    return "; the word null needs quotes" if isinstance(entry, dict) and "expected" in entry else ""


def _unfit(check: Check, expected: Expected | None, null_hint: str) -> Iterator[str]:
    """Why `expected` cannot be compared by the check."""
    if isinstance(check, AllOf):
        for inner in check.checks:
            yield from _unfit(inner, expected, null_hint)
    elif not _compares(check):
        return
    elif expected is None:
        yield f"is required by check {check.type}{null_hint}"
    elif isinstance(check, JsonFields):
        yield from _unfit_fields(check, expected)
    elif not isinstance(expected, str):
        yield f"must be text for check {check.type}; use json_fields to compare JSON"
    elif isinstance(check, Number) and not _is_number(expected):
        yield f'must be a number for check number, not "{expected}"'


def _compares(check: Check) -> bool:
    return isinstance(check, (Exact, Normalized, JsonFields, Number)) or (
        isinstance(check, Contains) and not check.values
    )


def _unfit_fields(check: JsonFields, expected: Expected) -> Iterator[str]:
    if isinstance(expected, str):
        try:
            expected = json.loads(expected)
        except ValueError:
            yield "must be a mapping, or JSON, for check json_fields"
            return
    if not isinstance(expected, dict):
        if check.fields:
            yield "must be a mapping for check json_fields with fields"
        return
    for field in check.fields:
        if field not in expected:
            yield f"has no field `{field}`, which check json_fields compares"


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False
