"""Scores an output by the deterministic check of its case. Pure: no model, no files.

`detail` goes to proposers, so it names the kind of difference and never quotes a pattern, a schema or a listed value.
"""

from __future__ import annotations

from collections.abc import Callable

from ceopt_tui.core.ports import Score, Scorer
from ceopt_tui.errors import InputError, Problem
from schemas.checks import AllOf, Check, Contains, Exact, JsonFields, Length, NoneOf, Normalized, Number
from schemas.checks import JsonSchema as JsonSchemaCheck
from schemas.checks import Regex as RegexCheck
from schemas.evalset import Case, EvalSet
from texttargets import json_checks, text_checks
from texttargets.strict_json import as_text

Fault = str | None

_EXACT, _FIELDS = Exact(), JsonFields(type="json_fields")


def check_of(case: Case, default: Check | None) -> Check | None:
    """The check in force for a case: its own, the set's, or equality with `expected`; None when there is neither."""
    if case.check is not None:
        return case.check
    if default is not None:
        return default
    if case.expected is None:
        return None
    return _EXACT if isinstance(case.expected, str) else _FIELDS


def check_output(case: Case, output: str, default: Check | None) -> Score:
    """Score of one output, 1.0 or 0.0. Raises InputError when the case cannot be checked without a judge."""
    check = check_of(case, default)
    fault = _unusable(case, check)
    if check is None or fault:
        raise InputError([Problem("", 0, f"case {case.id}", fault or "")])
    return _score(_difference(case, check, output))


def scorer(evalset: EvalSet) -> Scorer:
    """A scorer for the cases of `evalset`. Raises InputError naming every case it could not score."""
    faults = [(case, _unusable(case, check_of(case, evalset.check))) for case in evalset.cases]
    problems = [Problem(evalset.name, 0, f"case {case.id}", fault) for case, fault in faults if fault]
    if problems:
        raise InputError(problems, "Give these cases an `expected` answer or a `check`, or score them with a judge.")

    def score(case: Case, output: str) -> Score:
        return check_output(case, output, evalset.check)

    return score


def unusable_check(case: Case, default: Check | None) -> str | None:
    """Why a case cannot be checked (nothing to compare with, a schema that is none), else None."""
    return _unusable(case, check_of(case, default))


def needs_expected(check: Check) -> bool:
    """Whether the check compares with the case's `expected`."""
    if isinstance(check, AllOf):
        return any(needs_expected(part) for part in check.checks)
    return isinstance(check, Exact | Normalized | JsonFields | Number) or (
        isinstance(check, Contains) and not check.values
    )


def expected_fails_own_check(case: Case, default: Check | None = None) -> str | None:
    """Why the expected answer itself would fail, else None: such a case can never pass."""
    check = check_of(case, default)
    if case.expected is None or check is None or _unusable(case, check):
        return None
    return _difference(case, check, as_text(case.expected))


def _score(fault: Fault) -> Score:
    return Score(1.0, True) if fault is None else Score(0.0, False, fault)


def _unusable(case: Case, check: Check | None) -> str | None:
    if check is None:
        return "has neither an expected answer nor a check"
    if case.expected is None and needs_expected(check):
        return f"the check {check.type} compares with `expected`, which is not given"
    if isinstance(check, AllOf):
        return next((fault for part in check.checks if (fault := _unusable(case, part))), None)
    if isinstance(check, JsonSchemaCheck):
        return json_checks.schema_fault(check.schema_)
    if isinstance(check, Number):
        return text_checks.number_fault(as_text(case.expected))
    if isinstance(check, JsonFields):
        return json_checks.expected_fault(case.expected, check.fields)
    return None


def _difference(case: Case, check: Check, output: str) -> Fault:
    if isinstance(check, AllOf):
        return next((fault for part in check.checks if (fault := _difference(case, part, output)) is not None), None)
    return _DIFFERENCES[type(check)](check, case, output)


def _exact(check: Exact, case: Case, output: str) -> Fault:
    if isinstance(case.expected, str):
        return text_checks.exact(case.expected, output, strict=check.strict)
    return json_checks.fields(case.expected, (), output)


def _normalized(check: Normalized, case: Case, output: str) -> Fault:
    return text_checks.normalized(as_text(case.expected), output)


def _contains(check: Contains, case: Case, output: str) -> Fault:
    return text_checks.contains(check.values or (as_text(case.expected),), output, check.ignore_case)


def _none_of(check: NoneOf, case: Case, output: str) -> Fault:
    return text_checks.none_of(check.values, output, check.ignore_case)


def _regex(check: RegexCheck, case: Case, output: str) -> Fault:
    return text_checks.regex(check.pattern, check.full, output)


def _json_schema(check: JsonSchemaCheck, case: Case, output: str) -> Fault:
    return json_checks.schema(check.schema_, output)


def _json_fields(check: JsonFields, case: Case, output: str) -> Fault:
    return json_checks.fields(case.expected, check.fields, output)


def _number(check: Number, case: Case, output: str) -> Fault:
    return text_checks.number(as_text(case.expected), check.tolerance, check.relative, output)


def _length(check: Length, case: Case, output: str) -> Fault:
    return text_checks.length(check.minimum, check.maximum, check.unit, output)


_DIFFERENCES: dict[type, Callable[..., Fault]] = {
    Exact: _exact,
    Normalized: _normalized,
    Contains: _contains,
    NoneOf: _none_of,
    RegexCheck: _regex,
    JsonSchemaCheck: _json_schema,
    JsonFields: _json_fields,
    Number: _number,
    Length: _length,
}
