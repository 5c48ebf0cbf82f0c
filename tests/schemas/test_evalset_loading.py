"""Eval sets read from disk: texts as written, and every unusable case named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceopt_tui.errors import InputError
from schemas.checks import Contains, Regex
from schemas.evalset import Case, EvalSet
from schemas.evalset_rules import cases_without_answer
from schemas.loading import LoadedEvalSet, load_evalset

DATA = Path(__file__).parents[1] / "data" / "schemas"


def load_text(tmp_path: Path, text: str) -> LoadedEvalSet:
    path = tmp_path / "cases.yaml"
    path.write_text(text, encoding="utf-8")
    return load_evalset(path)


def refusal(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_text(tmp_path, text)
    return [f"{problem.line}: {problem.key}: {problem.message}" for problem in caught.value.problems]


def test_numbers_dates_and_words_stay_as_written() -> None:
    loaded = load_evalset(DATA / "triage.yaml")
    first, second = loaded.evalset.cases
    assert (first.id, first.expected, first.tags, first.kind) == (
        "refund-after-30-days",
        "returns",
        ("returns",),
        "failure",
    )
    assert (second.id, second.expected, second.kind) == ("007", "2024-05-01", "guard")
    assert second.tags == ("no", "12:30", "1e3")
    assert second.input == {"question": "What does 1.10 cost?", "count": 5, "code": "007"}
    assert second.split == "holdout"
    assert loaded.line("cases", 1, "id") == 10


@pytest.mark.parametrize(
    ("word", "side"), [("train", "selection"), ("selection", "selection"), ("test", "holdout"), ("held_out", "holdout")]
)
def test_words_for_the_two_sides(word: str, side: str) -> None:
    assert Case.model_validate({"id": "a", "input": "x", "split": word}).split == side


def test_expected_json_is_json(tmp_path: Path) -> None:
    expected = "{n: 3, price: 1.10, zip: 007, ok: true}"
    text = f"name: x\ncheck: {{type: json_fields}}\ncases:\n  - {{id: a, input: x, expected: {expected}}}\n"
    assert load_text(tmp_path, text).evalset.cases[0].expected == {"n": 3, "price": 1.1, "zip": "007", "ok": True}


def test_a_null_answer_is_no_answer_and_a_quoted_one_is_a_word(tmp_path: Path) -> None:
    text = 'name: x\ncases:\n  - {id: a, input: x, expected: null}\n  - {id: b, input: x, expected: "null"}\n'
    loaded = load_text(tmp_path, text)
    assert [case.expected for case in loaded.evalset.cases] == [None, "null"]
    assert [problem.line for problem in cases_without_answer(loaded.evalset, loaded.document)] == [3]


def test_a_shared_check_needs_no_answer_of_its_own(tmp_path: Path) -> None:
    text = "name: x\ncheck: {type: contains, values: [yes]}\ncases:\n  - {id: a, input: x}\n"
    loaded = load_text(tmp_path, text)
    assert loaded.evalset.check == Contains(type="contains", values=("yes",))
    assert cases_without_answer(loaded.evalset, loaded.document) == []


def test_doubled_ids_name_both_lines(tmp_path: Path) -> None:
    text = """name: x
cases:
  - {id: dup, input: a, expected: b}
  - {id: same, input: a, expected: b}
  - {id: dup, input: c, expected: d}
  - {id: same, input: a, expected: b}
  - {id: Dup, input: c, expected: d}
"""
    assert refusal(tmp_path, text) == [
        "5: cases[2].id: duplicate id 'dup' on lines 3 and 5 (different content)",
        "6: cases[3].id: duplicate id 'same' on lines 4 and 6 (same content)",
    ]


UNUSABLE = [
    ("{id: a, input: x, check: {type: regex, pattern: '(a'}}", "check.pattern: is no regular expression of Python 3."),
    ("{id: a, input: x, check: {type: regex, pattern: ''}}", "check.pattern: must not be empty"),
    (
        "{id: a, input: x, check: {type: json_schema, schema: {type: objekt}}}",
        "check: the schema is no valid JSON Schema",
    ),
    (
        "{id: a, input: x, check: {type: json_schema, schema: {$ref: 'http://x/y'}}}",
        'check: the schema refers to "http://x/y"',
    ),
    ("{id: a, input: x, check: {type: json_schema, schema: {allOf: [{$ref: y}]}}}", 'check: the schema refers to "y"'),
    ("{id: a, input: x, check: {type: exact}}", "expected: is required by check exact"),
    ("{id: a, input: x, check: {type: contains}}", "expected: is required by check contains"),
    (
        "{id: a, input: x, expected: {a: b}, check: {type: exact}}",
        "expected: must be text for check exact; use json_fields",
    ),
    (
        "{id: a, input: x, expected: twelve, check: {type: number}}",
        'expected: must be a number for check number, not "twelve"',
    ),
    ("{id: a, input: x, expected: 'no json', check: {type: json_fields}}", "expected: must be a mapping, or JSON"),
    (
        "{id: a, input: x, expected: [1], check: {type: json_fields, fields: [a]}}",
        "expected: must be a mapping for check json_fields",
    ),
    ("{id: a, input: x, expected: {a: 1}, check: {type: json_fields, fields: [b]}}", "expected: has no field `b`"),
    ("{id: a, input: x, check: {type: all, checks: [{type: exact}]}}", "expected: is required by check exact"),
    ("{id: a, input: x, check: {type: all, checks: []}}", "check.checks: needs at least 1 entry"),
    ("{id: a, input: x, check: {type: length}}", "check: check length needs `minimum` or `maximum`"),
    (
        "{id: a, input: x, check: {type: length, minimum: 5, maximum: 3}}",
        "check: no output is at least 5 and at most 3",
    ),
    ("{id: a, input: x, check: {type: all, checks: [{type: length}]}}", "check: check length needs"),
    ("{id: a, input: x, check: {type: number, tolerance: -1}}", "check.tolerance: must be at least 0"),
    (
        "{id: a, input: x, check: {type: regx, pattern: a}}",
        "check: has an unknown type; it must be one of exact, normalized",
    ),
    ("{id: a, input: x, check: {pattern: a}}", "check: needs a `type`"),
    ("{id: a, input: x, check: exact}", "check: must be a mapping, such as {type: exact}"),
    (
        "{id: a, input: x, check: {type: regex, pattern: a, ful: true}}",
        "check.ful: is not a known key; did you mean `full`?",
    ),
    ("{id: a, input: x, check: {type: none_of, values: []}}", "check.values: needs at least 1 entry"),
    ("{id: a, input: x, check: {type: none_of, values: ['']}}", "check.values[0]: must not be empty"),
    ("{id: a, input: }", "input: needs a text"),
    ("{id: a, input: [b]}", "input: must be text, not a list"),
    ("{id: a, input: {question}}", "input: `input` must be text and should be quoted"),
    ("{id: '', input: x}", "id: must not be empty"),
    ("{id: '  ', input: x}", "id: must not be blank"),
    ("{id: [a], input: x}", "id: must be text, not a list"),
    ("{input: x}", "id: is required and missing"),
    ("{id: a, input: x, tags: one}", "tags: must be a list; write one entry as [entry]"),
    ("{id: a, input: x, kind: guards}", 'kind: must be one of failure, guard, not "guards"; did you mean guard?'),
    ("{id: a, input: x, split: dev}", "split: must be one of selection, holdout"),
    ("{id: a, input: x, expcted: y}", "expcted: is not a known key; did you mean `expected`?"),
    ("just words", "must be a mapping of keys"),
]


@pytest.mark.parametrize(("case", "said"), UNUSABLE)
def test_an_unusable_case_is_named(tmp_path: Path, case: str, said: str) -> None:
    found = refusal(tmp_path, f"name: x\ncases:\n  - {case}\n")
    assert len(found) == 1
    assert found[0].startswith("3: cases[0]")
    assert said in found[0]


def test_problems_of_all_cases_are_reported_together(tmp_path: Path) -> None:
    cases = "\n".join(f"  - {case.replace('id: a,', f'id: a{place},')}" for place, (case, _) in enumerate(UNUSABLE))
    lines = {int(problem.split(":")[0]) for problem in refusal(tmp_path, f"name: x\ncases:\n{cases}\n")}
    assert lines == set(range(3, 3 + len(UNUSABLE)))


def test_a_broken_shared_check_does_not_hide_the_cases(tmp_path: Path) -> None:
    found = refusal(tmp_path, "name: x\ncheck: {type: number}\ncases:\n  - {id: a, input: x}\n  - {id: b}\n")
    assert [line.split(": ")[1] for line in found] == ["cases[0].expected", "cases[1].input"]
    unusable = refusal(tmp_path, "name: x\ncheck: {type: length}\ncases:\n  - {id: a, input: x}\n")
    assert unusable == ["2: check: check length needs `minimum` or `maximum`"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name: x\n", "cases: is required and missing"),
        ("name: x\ncases:\n", "cases: must be a list"),
        ("name: x\ncases: []\n", "cases: needs at least 1 entry"),
        ("- {id: a, input: x}\n", "must be a mapping of keys"),
    ],
)
def test_files_without_cases(tmp_path: Path, text: str, said: str) -> None:
    assert said in refusal(tmp_path, text)[0]


def test_patterns_of_this_python_are_accepted_even_with_a_warning() -> None:
    assert Regex(type="regex", pattern="[[a]").pattern == "[[a]"


def test_values_in_memory_need_no_quotes() -> None:
    case = Case(id="a", input={"n": 5, "t": "007"}, expected=["a", 1])
    assert case.input == {"n": 5, "t": "007"}
    assert EvalSet(name="x", cases=(case,)).cases == (case,)


def test_a_spec_is_told_from_an_eval_set() -> None:
    with pytest.raises(InputError) as caught:
        load_evalset(DATA / "smallest.yaml")
    assert [problem.message for problem in caught.value.problems] == ["this is a spec, not an eval set"]
