"""An imported check passes what promptfoo passed, and nothing else; what cannot be one is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from texttargets.checks import check_output
from texttargets.importers.js_regex import python_pattern
from texttargets.importers.promptfoo_asserts import read_asserts
from texttargets.importers.promptfoo_cells import written
from texttargets.importers.reading import ImportResult, read_failures
from texttargets.patterns import found


def imported(tmp_path: Path, *tests: dict[str, Any], **config: Any) -> ImportResult:
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"prompts": ["{{q}}"], **config, "tests": list(tests)}), "utf-8")
    return read_failures([path])


def asserting(kind: str, value: Any = None, **more: Any) -> dict[str, Any]:
    return {"vars": {"q": "x", "n": 5.0}, "assert": [{"type": kind, "value": value, **more}]}


@pytest.mark.parametrize(
    ("kind", "value", "passes", "fails"),
    [
        ("equals", "Paris", ["Paris"], ["Paris\n", " Paris", "paris", "Paris."]),
        ("equals", " a ", [" a "], ["a"]),
        ("equals", 5, ["5"], ["5.0", "5 "]),
        ("equals", "{{n}}", ["5"], ["5.0"]),
        ("equals", True, ["true"], ["True"]),
        ("equals", {"a": [1]}, ['{"a": [1]}', ' {"a":[1.0]}\n'], ['{"a": [1], "b": 2}', '{"a": ["1"]}', "no JSON"]),
        ("equals", [1, 2], ["[1,2]"], ["[2,1]"]),
        ("equals", '{"a": 1}', ['{"a": 1}'], ['{"a":1}']),
        ("not-equals", "a.c", ["abc", "a.c\n"], ["a.c"]),
        ("not-equals", {"a": 1}, ['{"a": 2}'], ['{"a":1}', "no JSON"]),
        ("contains", 12.50, ["12.5"], ["12,5"]),
        ("icontains", "ANN", ["hello ann"], ["hello"]),
        ("contains-all", "a, b", ["b a"], ["a"]),
        ("icontains-all", ["A", "b"], ["xB a"], ["b"]),
        ("not-contains-all", ["a", "b"], ["a\nx", ""], ["b\n\na"]),
        ("not-icontains-all", ["A", "b"], ["b"], ["B\na"]),
        ("contains-any", '"a, b", c', ["a, b", "xc"], ["a", "b"]),
        ("icontains-any", '"a, b", c', ['"A'], ["a, B"]),
        ("not-contains-any", ["a", "b"], ["c"], ["b"]),
        ("starts-with", "a", ["a\n"], [" a"]),
        ("not-starts-with", "a", ["ba"], ["ab"]),
        ("ends-with", "a", ["ba"], ["a\n", "ab"]),
        ("not-ends-with", "a", ["a\n"], ["ba"]),
        ("regex", "^a$", ["a"], ["a\n", "A"]),
        ("regex", "/a/i", ["/a/i"], ["a"]),
        ("not-regex", "a$", ["a\n"], ["\nba"]),
        ("is-json", None, [" [1] "], ["{a: 1}", "```json\n{}\n```"]),
        ("is-json", "type: object\nrequired: [a]\n", ['{"a": 1}'], ['{"b": 1}', "[]"]),
        ("is-json", '{"maximum": 3}', ["3"], ["4"]),
        ("is-json", {"items": [{"type": "string"}], "type": "array"}, ['["a", 1]'], ["[1]"]),
        ("word-count", "2", ["a b"], ["a"]),
        ("word-count", {"max": 2.0}, ["a b", ""], ["a b c"]),
    ],
)
def test_a_check_is_as_strict_as_promptfoo(
    tmp_path: Path, kind: str, value: Any, passes: list[str], fails: list[str]
) -> None:
    (case,) = imported(tmp_path, asserting(kind, value)).cases
    assert case.check is not None
    assert [check_output(case, output, None).passed for output in (*passes, *fails)] == [
        *(True for _ in passes),
        *(False for _ in fails),
    ]


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (asserting("regex", "(?i)a"), "no regular expression that JavaScript and Python share"),
        (asserting("regex", r"\p{L}"), "no regular expression that JavaScript and Python share"),
        (asserting("not-is-json"), "assertion not-is-json is no check"),
        (asserting("contains-json", {"type": "object"}), "assertion contains-json is no check"),
        (asserting("not-word-count", 2), "assertion not-word-count is no check"),
        (asserting("similar", "a", threshold=0.8), "assertion similar is no check"),
        (asserting("contains", "{{ q | upper }}"), "is a template that ceopt does not fill"),
        (asserting("contains-all", ["a", "file://b.txt"]), "keeps its value in file://b.txt"),
        (asserting("contains", "a", transform="output.x"), "changes the output (transform) before it"),
        (asserting("contains", "a", weight=0), "has no weight"),
        (asserting("contains", ["a"]), "assertion contains is no check"),
        ({**asserting("contains", "a"), "options": {"transform": "output.x"}}, "(transform) before it checks it"),
        ({**asserting("contains", "a"), "assertScoringFunction": "file://s.js"}, "assertScoringFunction"),
    ],
)
def test_what_cannot_be_carried_over_is_named_and_no_check(tmp_path: Path, test: dict[str, Any], told: str) -> None:
    result = imported(tmp_path, test)
    assert (result.cases[0].check, result.cases[0].expected) == (None, None)
    assert any("test 1: " in note and told in note for note in result.notes), result.notes


@pytest.mark.parametrize(
    ("threshold", "weights", "taken"),
    [
        (None, (1, 1), 2),
        (0, (1, 1), 2),
        (1, (1, 1), 2),
        (0.5, (1, 1), 0),
        (0.6, (1, 1), 2),
        (0.5, (1, 3), 0),
        (0.8, (1, 3), 2),
        (0.9, (1, 0), 1),
        (0.5, (1, 0), 1),
        ("0.5", (1, 1), 0),
    ],
)
def test_a_threshold_that_every_assertion_is_needed_for_is_none(
    tmp_path: Path, threshold: Any, weights: tuple[float, ...], taken: int
) -> None:
    asserts = [{"type": "contains", "value": f"v{n}", "weight": weight} for n, weight in enumerate(weights)]
    result = imported(tmp_path, {"vars": {"q": "x"}, "threshold": threshold, "assert": asserts})
    check = result.cases[0].check
    assert (0 if check is None else len(getattr(check, "checks", "1"))) == taken
    assert any("(threshold)" in note for note in result.notes) is (taken == 0)


def test_what_the_default_test_says_holds_for_all(tmp_path: Path) -> None:
    default = {"threshold": 0.5, "options": {"prefix": "Please: "}, "assert": [{"type": "contains", "value": "a"}]}
    result = imported(tmp_path, asserting("contains", "b"), {"vars": {"q": "y"}}, defaultTest=default)
    assert [case.check is None for case in result.cases] == [True, False]  # one of one is all of them
    assert sum("(threshold)" in note for note in result.notes) == 1
    assert any("changes what the model is asked (prefix)" in note for note in result.notes)
    elsewhere = imported(tmp_path, asserting("contains", "b"), defaultTest="file://default.yaml")
    assert any("file://default.yaml" in str(mention) for mention in elsewhere.skipped)


def test_results_know_transforms_and_thresholds_too(tmp_path: Path) -> None:
    case = {**asserting("contains", "a"), "options": {"transform": "output.x"}}
    test = {"vars": {"q": "x"}, "success": False, "response": {"output": "o"}, "testCase": case, "testIdx": 1}
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"results": {"results": [test]}}), "utf-8")
    result = read_failures([path])
    assert result.cases[0].check is None
    assert any("(transform)" in note for note in result.notes)


def test_tests_that_ask_the_same_for_other_checks_are_two_cases(tmp_path: Path) -> None:
    result = imported(tmp_path, asserting("contains", "a"), asserting("contains", "b"), asserting("contains", "b"))
    assert [case.check.model_dump()["values"] for case in result.cases if case.check] == [("a",), ("b",)]
    assert len(result.merged) == 1


def test_two_wanted_answers_cannot_both_come(tmp_path: Path) -> None:
    both = [{"type": "equals", "value": "a"}, {"type": "equals", "value": "b"}]
    (case,) = imported(tmp_path, {"vars": {"q": "x"}, "assert": both}).cases
    assert not any(check_output(case, output, None).passed for output in ("a", "b", "a\nb"))


def test_a_format_in_a_schema_is_named() -> None:
    schema = {"properties": {"when": {"type": "string", "format": "date"}}}
    asserted = read_asserts([{"type": "is-json", "value": schema}], {})
    assert asserted.check is not None
    assert "`format` in its schema is not checked" in asserted.notes[0]
    plain = read_asserts([{"type": "is-json", "value": {"properties": {"format": {"type": "string"}}}}], {})
    assert plain.notes == ()


@pytest.mark.parametrize(
    ("cell", "assertion"),
    [
        ("note: closed", {"type": "equals", "value": "note: closed"}),
        ("http://x.org", {"type": "equals", "value": "http://x.org"}),
        ("is-json", {"type": "is-json", "value": ""}),
        ("similar(0.8): a", {"type": "similar", "value": "a"}),
        ("not-contains-any: a, b", {"type": "not-contains-any", "value": ["a", "b"]}),
        ("fn: output.length", {"type": "javascript"}),
    ],
)
def test_what_is_written_into_a_cell(cell: str, assertion: dict[str, Any]) -> None:
    assert written(cell) == assertion


def test_columns_that_mean_something_to_promptfoo_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "q,__expected,__expected2,__threshold,__suffix,__config:__expected:threshold\nx,a,contains: a,0.5,!,0.9\n"
    )
    result = read_failures([path])
    assert result.cases[0].check is None
    said = "\n".join(result.notes)
    for words in ("(threshold)", "(suffix)", "the column __config:__expected:threshold is not used"):
        assert words in said


@pytest.mark.parametrize(
    ("pattern", "passes", "fails"),
    [
        (r"^\d+$", ["12"], ["1\n", "١٢"]),
        (r"^\w+$", ["ab_1"], ["é"]),
        (r"^[\w-]+$", ["a-b"], ["é"]),
        (r"\bcaf\b", ["a caf é"], ["cafe"]),
        (r"(?<y>a)\k<y>", ["aa"], ["ab"]),
        (r"(a)\1", ["aa"], ["ab"]),
        (r"a{,2}", ["a{,2}"], ["aa"]),
        (r"a{2,}", ["aa"], ["a"]),
        (r"{x}", ["{x}"], ["x"]),
        (r"[[]a]", ["[a]"], ["a]"]),
        (r"[^]b", ["\nb"], ["b"]),
        (r"a|[]", ["a"], ["b"]),
        (r"\A\Z", ["AZ"], [""]),
        (r"a+?b", ["aab"], ["a"]),
        (r"\/\-\.", ["/-."], ["/-x"]),
        (r"\u00e9\x41", ["éA"], ["eA"]),
        (r"\ud83d\ude00", ["😀"], ["x"]),
        (r"[\b]", ["\b"], ["b"]),
        (r"\cJ\0", ["\n\0"], ["J0"]),
        (r"(?=a)(?!ab)(?:a.)(?<=c)(?<!b)", ["ac"], ["ab"]),
        (r"[^\d\s]", ["x"], ["1 "]),
        (r"a}]", ["a}]"], ["a"]),
    ],
)
def test_a_pattern_of_javascript_finds_the_same(pattern: str, passes: list[str], fails: list[str]) -> None:
    translated = python_pattern(pattern)
    assert translated is not None
    assert [found(translated, text) for text in (*passes, *fails)] == [*(True for _ in passes), *(False for _ in fails)]


@pytest.mark.parametrize(
    "pattern",
    ["(?i)a", "(?P<a>b)", "a++", "a*+", "a{2}+", "a+??", "(", "[a", "a\\", r"\p{L}", r"[\W]", r"\u{1F600}", r"\ud83d",
     "(?#x)", "*a", "(?>a)", r"\xg"],
)  # fmt: skip
def test_a_pattern_only_one_of_the_two_knows_is_none(pattern: str) -> None:
    assert python_pattern(pattern) is None
