"""Checks that cannot tell outputs apart, and checks that only look as if they could not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from schemas.checks import Check
from schemas.evalset import Case
from texttargets.harness import harness_findings

CHECK: TypeAdapter[Check] = TypeAdapter(Check)


def case(expected: Any = None, **check: Any) -> Case:
    return Case(id="c", input="q", expected=expected, check=CHECK.validate_python(check) if check else None)


def every(*checks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "all", "checks": list(checks)}


def found(one: Case, *outputs: str) -> str | None:
    """The fault of one case, or None."""
    findings = harness_findings([one], outputs)
    assert len(findings) <= 1
    return findings[0].fault if findings else None


@pytest.mark.parametrize(
    "check",
    [
        {"type": "regex", "pattern": ".*"},
        {"type": "regex", "pattern": "[^x]*"},
        {"type": "length", "minimum": 0},
        {"type": "length", "maximum": 2_000_000},
        every({"type": "regex", "pattern": "x*"}, {"type": "length", "minimum": 0}),
        {"type": "regex", "pattern": "(?!sorry)"},  # behind the last character nothing follows
        {"type": "regex", "pattern": "(?i)(?!as an ai).*$"},
        {"type": "regex", "pattern": r"\b|(?!x)"},
    ],
)
def test_checks_that_accept_whatever_comes_out(check: dict[str, Any]) -> None:
    assert found(case(**check), "x", "y") == "never_fails"
    assert found(case(**check)) == "never_fails"


@pytest.mark.parametrize(
    "check",
    [
        {"type": "none_of", "values": ["sorry"]},
        {"type": "length", "maximum": 10_000},
        {"type": "length", "maximum": 1_000, "unit": "words"},
        {"type": "length", "minimum": 1},
        {"type": "json_schema", "schema": {}},
        {"type": "regex", "pattern": r"^(?!.*\bsorry\b)"},
        {"type": "regex", "pattern": r"(?s)^(?!.*as\s+an\s+AI)"},
        {"type": "regex", "pattern": r"\A(?![\s\S]*never seen)"},
        {"type": "regex", "pattern": "(?!sorry).*", "full": True},
        {"type": "regex", "pattern": r"(?<!sorry)\Z"},
        {"type": "regex", "pattern": r"(?s)^(?!sorry).*$"},
        {"type": "regex", "pattern": "^[^!]*$"},
        {"type": "regex", "pattern": "^[^äöü]*$", "full": True},
        {"type": "regex", "pattern": r"(?s)^.{0,2000}$"},
        {"type": "regex", "pattern": r"^\D*$"},
        {"type": "regex", "pattern": r"^(?!\s*```)"},
        every({"type": "length", "minimum": 0}, {"type": "none_of", "values": ["sorry"]}),
    ],
)
def test_bans_and_limits_are_no_fault_because_nothing_has_met_them_yet(check: dict[str, Any]) -> None:
    assert found(case(**check), "b", "quite another answer") is None
    assert found(case(**check)) is None


@pytest.mark.parametrize(
    ("expected", "check"),
    [
        ("a", {"type": "regex", "pattern": "^b$"}),
        ("yes", {"type": "length", "minimum": 2, "maximum": 1}),
        (None, {"type": "length", "minimum": 2, "maximum": 1}),
        (None, every({"type": "contains", "values": ["a"]}, {"type": "none_of", "values": ["a"]})),
        (None, every({"type": "contains", "values": ["a"], "ignore_case": True},
                     {"type": "none_of", "values": ["A"], "ignore_case": True})),
        (None, every({"type": "contains", "values": ["a long phrase"]}, {"type": "length", "maximum": 5})),
        (None, every({"type": "length", "minimum": 9, "unit": "words"},
                     every({"type": "length", "maximum": 8, "unit": "words"}))),
    ],
)  # fmt: skip
def test_checks_that_accept_nothing(expected: str | None, check: dict[str, Any]) -> None:
    assert found(case(expected, **check), "x", "z") == "never_passes"
    assert found(case(expected, **check)) == "never_passes"


@pytest.mark.parametrize(
    ("expected", "check"),
    [
        ("a", {}),
        ({"label": "a"}, {}),
        ("7", {"type": "number"}),
        (None, {"type": "contains", "values": ["thanks"]}),
        (None, {"type": "length", "minimum": 50, "unit": "words"}),
        (None, {"type": "regex", "pattern": r"^\d{4}-\d{2}-\d{2}$"}),
        (None, {"type": "json_schema", "schema": {"type": "object", "required": ["label"]}}),
        (None, every({"type": "contains", "values": ["total"]}, {"type": "regex", "pattern": r"^\d"})),
        (None, every({"type": "contains", "values": ["a"], "ignore_case": True}, {"type": "none_of", "values": ["a"]})),
        (None, every({"type": "contains", "values": ["ab"], "ignore_case": True}, {"type": "length", "maximum": 1})),
        ("say that you are sorry", {"type": "contains", "values": ["sorry"]}),
    ],
)
def test_a_case_that_no_text_passes_yet_is_no_fault_of_its_check(expected: Any, check: dict[str, Any]) -> None:
    assert found(case(expected, **check), "b", "quite another answer") is None


def test_a_case_that_its_text_always_passes_is_no_fault_of_its_check() -> None:
    assert found(case("a"), "a") is None


def test_what_some_output_passed_can_pass() -> None:
    assert found(case("a", type="regex", pattern="^b$"), "x", "b") is None


def test_a_wanted_call_of_a_tool_needs_a_tool() -> None:
    wanted = '[calls get_weather {"city": "Oslo"}]\n[calls send_mail]'
    (finding,) = harness_findings([case(wanted)], ["It is cold."])
    assert (finding.fault, finding.reason) == (
        "needs_tools",
        "its expected answer is the call of a tool (get_weather, send_mail), and the runner has no tools",
    )
    assert found(case(wanted), wanted) is None  # it can be had as a text
    assert found(case(wanted, type="contains", values=["Oslo"]), "cold") is None
    assert found(case("[calls for help]?"), "cold") is None


def test_cases_that_only_a_judge_can_score_are_no_findings() -> None:
    assert found(case(), "b") is None


def test_a_reason_names_what_was_tried_and_quotes_none_of_it() -> None:
    anything = case(type="regex", pattern=".*")
    (finding,) = harness_findings([anything], ["secret one", "secret two"])
    assert finding.reason == (
        "its check accepts whatever comes out: all 2 different outputs seen, an empty one and nonsense"
    )
    assert harness_findings([anything], [])[0].reason.endswith("out: an empty one and nonsense")
    (refused,) = harness_findings([case("a", type="regex", pattern="^b$")], ["secret"])
    assert refused.reason == "no answer is known that its check accepts: its own expected answer fails it"


SOME_CHECKS = st.sampled_from(
    [
        {"type": "regex", "pattern": ".*"},
        {"type": "regex", "pattern": "^b$"},
        {"type": "length", "minimum": 2, "maximum": 1},
        {"type": "none_of", "values": ["a"]},
        every({"type": "contains", "values": ["a"]}, {"type": "none_of", "values": ["a"]}),
        {},
    ]
)


@given(SOME_CHECKS, st.sets(st.text("ab ", max_size=3)), st.sets(st.text("ab ", max_size=3)))
def test_more_outputs_never_give_more_findings(check: dict[str, Any], seen: set[str], more: set[str]) -> None:
    """So the baseline's outputs settle it for both sides, and a case is never flagged later."""
    one = case("a", **check)
    fewer = {(each.case_id, each.fault) for each in harness_findings([one], seen | more)}
    assert fewer <= {(each.case_id, each.fault) for each in harness_findings([one], seen)}
