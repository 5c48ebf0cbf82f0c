"""Deterministic checks: what passes, what fails, and what a failing check says."""

import json
from typing import Any

import pytest
from pydantic import TypeAdapter

from ceopt_tui.errors import InputError
from schemas.checks import Check
from schemas.evalset import Case, EvalSet
from texttargets.checks import check_output, expected_fails_own_check, scorer, unusable_check

CHECK: TypeAdapter[Check] = TypeAdapter(Check)


def case(expected: Any = None, **check: Any) -> Case:
    return Case(id="c", input="x", expected=expected, check=CHECK.validate_python(check) if check else None)


@pytest.mark.parametrize(
    ("item", "output", "passed"),
    [
        (case("returns"), " returns\n", True),
        (case("returns"), "Returns", False),
        (case(""), " \n", True),
        (case("returns", type="normalized"), "RETURNS.\n", True),
        (case("a  b", type="normalized"), "Ａ b!", True),
        (case("!", type="normalized"), "?", False),
        (case("ok", type="contains"), "it is ok now", True),
        (case(None, type="contains", values=["a", "b"]), "only a", False),
        (case(None, type="contains", values=["A"], ignore_case=True), "a", True),
        (case(None, type="none_of", values=["sorry"]), "Sorry", True),
        (case(None, type="none_of", values=["sorry"], ignore_case=True), "Sorry", False),
        (case(None, type="regex", pattern=r"\d{4}-\d\d-\d\d"), "on 2024-05-01.", True),
        (case(None, type="regex", pattern=r"\d{4}-\d\d-\d\d", full=True), "on 2024-05-01.", False),
        (case(None, type="regex", pattern=r"\d{4}", full=True), "2024\n", True),
        (case("0.3", type="number", tolerance=0.1), "0.2", True),
        (case("100", type="number", tolerance=0.05, relative=True), "105.1", False),
        (case("1e3", type="number"), "+1000.0", True),
        (case("5", type="number"), "5 euros", False),
        (case("5", type="number"), "٥", False),
        (case(None, type="length", maximum=3, unit="words"), "one two three", True),
        (case(None, type="length", maximum=1, unit="lines"), "one\ntwo", False),
        (case(None, type="length", minimum=1), "  ", False),
        (case({"a": 1}), '{"a": 1.0}', True),
        (case({"a": 1}), '{"a": true}', False),
        (case({"a": 1}), '```json\n{"a": 1}\n```', False),
        (case({"a": 1, "b": 2}, type="json_fields", fields=["a"]), '{"a": 1, "b": 3}', True),
        (case({"a": 1}, type="json_fields"), '{"a": 1, "more": 0}', False),
        (case('{"a": [1, 2]}', type="json_fields"), '{"a": [2, 1]}', False),
        (case({"a": 1}, type="json_fields"), '{"a": 2, "a": 1}', False),
        (case(None, type="json_schema", schema={"type": "object", "required": ["a"]}), '{"a": 1}', True),
        (case(None, type="json_schema", schema={"type": "object", "required": ["a"]}), '{"b": 1}', False),
        (case(None, type="json_schema", schema={"type": "number"}), "NaN", False),
        (case("x", type="all", checks=[{"type": "exact"}, {"type": "length", "maximum": 1}]), "x", True),
        (case("x", type="all", checks=[{"type": "contains"}, {"type": "length", "maximum": 1}]), "x y", False),
    ],
)
def test_outputs_pass_or_fail(item: Case, output: str, passed: bool) -> None:
    score = check_output(item, output, None)
    assert (score.passed, score.score) == (passed, float(passed))
    assert bool(score.detail) != passed


@pytest.mark.parametrize(
    ("item", "output", "detail"),
    [
        (case("returns"), "This is about a return.", "expected one word, got a text of 5 words"),
        (case("returns"), "Queue: returns",
         "holds the expected answer inside a text of 2 words; expected one word alone"),
        (case("returns"), "Returns", "right but for upper and lower case, spacing or closing punctuation"),
        (case("returns"), "billing", "a different answer: one word, as expected, but not the right one"),
        (case("returns"), "", "the output is empty"),
        (case(""), "hello", "expected an empty answer, got one word"),
        (case({"city": "Bonn"}), '{"city": "Oslo"}', "field 'city' differs"),
        (case({"city": "Bonn"}), '{"town": "Bonn"}', "field 'city' is missing"),
        (case({"city": "Bonn"}), "[]", "expected an object, got a list"),
        (case({"city": "Bonn"}), 'Here: {"city": "Bonn"}', "not JSON alone: there is text around it"),
        (case({"city": "Bonn"}), '{"city": "Bo', "not JSON: the JSON value is cut off"),
        (case({"city": "Bonn"}), '```\n{"city": "Bonn"}\n```', "not JSON alone: it is inside a code fence"),
        (case("5", type="number"), "6", "the number is too high"),
        (case(None, type="json_schema", schema={"properties": {"a": {"$ref": "#/none"}}}), '{"a": 1}',
         "JSON, but the schema has a reference that leads nowhere"),
        (case(None, type="json_schema", schema={"properties": {"a": {"enum": ["zebra"]}}}), '{"a": "b"}',
         "JSON, but at 'a' the value is not one of the allowed ones"),
    ],
)  # fmt: skip
def test_a_failing_check_names_the_kind_of_difference(item: Case, output: str, detail: str) -> None:
    assert check_output(item, output, None).detail == detail


@pytest.mark.parametrize(
    "item",
    [
        case(None, type="regex", pattern="zebra[0-9]+"),
        case(None, type="contains", values=["zebra"]),
        case(None, type="none_of", values=["zebra"]),
        case(None, type="json_schema", schema={"type": "object", "required": ["zebra"], "title": "zebra"}),
        case(None, type="json_schema", schema={"enum": ["zebra"]}),
    ],
)
def test_details_never_quote_what_the_check_looks_for(item: Case) -> None:
    details = [check_output(item, output, None).detail for output in ("no", "a zebra", "{}", "3", '{"b": 1}')]
    assert any(details)
    assert not any("zebra" in detail for detail in details)


def test_the_sets_check_serves_cases_without_their_own() -> None:
    evalset = EvalSet(
        name="s",
        check=CHECK.validate_python({"type": "normalized"}),
        cases=(Case(id="a", input="x", expected="Yes"), case("Yes", type="exact")),
    )
    score = scorer(evalset)
    assert score(evalset.cases[0], "yes.").passed
    assert not score(evalset.cases[1], "yes.").passed


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (case(), "neither an expected answer nor a check"),
        (case(None, type="exact"), "`expected`"),
        (case(None, type="all", checks=[{"type": "length"}, {"type": "number"}]), "`expected`"),
        (case(None, type="json_schema", schema={"type": "objekt"}), "not a valid JSON schema"),
        (case(None, type="json_schema", schema={"$ref": "http://127.0.0.1:9/none.json"}), "refers to"),
        (case(None, type="json_schema", schema={"$ref": "#/$defs/none"}), "refers to"),
        (case("five", type="number"), "needs a number"),
        (case("five", type="json_fields"), "needs JSON"),
        (case({"a": 1}, type="json_fields", fields=["b"]), "lacks the field 'b'"),
        (case("[1]", type="json_fields", fields=["b"]), "no JSON object"),
    ],
)
def test_a_check_that_cannot_be_used_is_refused_before_the_run(item: Case, words: str) -> None:
    assert words in (unusable_check(item, None) or "")
    with pytest.raises(InputError, match="case c"):
        scorer(EvalSet(name="s", cases=(item,)))
    with pytest.raises(InputError):
        check_output(item, "x", None)


def test_an_expected_answer_that_fails_its_own_check_is_named() -> None:
    wrong = case("returns", type="regex", pattern="^(billing|shipping)$")
    assert expected_fails_own_check(wrong) == "does not have the required form: one word"
    assert expected_fails_own_check(case("billing", type="regex", pattern="^(billing|shipping)$")) is None
    assert expected_fails_own_check(case({"a": 1})) is None
    assert expected_fails_own_check(case(None, type="length", minimum=9)) is None


@pytest.mark.parametrize(
    "check",
    [
        {"type": "regex", "pattern": "(?:a|a)+b"},
        {"type": "regex", "pattern": "(?:a|a)+b", "full": True},
        {"type": "json_schema", "schema": {"properties": {"word": {"type": "string", "pattern": "(?:a|a)+b"}}}},
    ],
)
def test_a_pattern_that_would_never_end_fails_and_says_why(check: dict[str, Any], monkeypatch: Any) -> None:
    monkeypatch.setattr("texttargets.patterns.LIMIT_S", 0.05)
    output = "a" * 60 + "c" if check["type"] == "regex" else json.dumps({"word": "a" * 60 + "c"})
    score = check_output(case(None, **check), output, None)
    assert not score.passed and "was not decided within" in score.detail
