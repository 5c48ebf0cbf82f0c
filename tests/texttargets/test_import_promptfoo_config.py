"""promptfoo's configurations and files of tests: every test a case, what it asserts a check where there is one."""

import json
from pathlib import Path
from typing import Any

import pytest

from ceopt_tui.errors import InputError
from texttargets.checks import check_output
from texttargets.importers.promptfoo_asserts import read_asserts
from texttargets.importers.reading import ImportResult, read_failures

DATA = Path(__file__).parents[1] / "data" / "imports"


def imported(tmp_path: Path, name: str, content: str, **options: Any) -> ImportResult:
    path = tmp_path / name
    path.write_text(content, "utf-8")
    return read_failures([path], **options)


def test_a_configuration() -> None:
    result = read_failures([DATA / "promptfooconfig.yaml"])
    assert result.format == "promptfoo-config"
    assert [case.input for case in result.cases] == [
        {"tone": "plain", "ticket": "My parcel is wet"},
        {"tone": "plain", "ticket": "Refund please", "code": "007"},
        {"tone": "plain", "ticket": "Money back, {{tone}}", "code": "007"},
        {"tone": "plain", "ticket": "file://long.txt"},
        {"tone": "plain", "ticket": "Hallo", "language": "German"},
        {"tone": "plain", "ticket": "Salut", "language": "French"},
    ]
    wet, refund = result.cases[:2]
    never = {"type": "none_of", "values": ("as an AI",), "ignore_case": True}
    assert (wet.id, wet.expected, wet.tags) == ("wet", "damage", ("parcels",))
    assert wet.check is not None
    assert wet.check.model_dump()["checks"] == ({"type": "exact", "strict": True}, never)
    assert refund.check is not None
    assert [check["type"] for check in refund.check.model_dump()["checks"]] == ["none_of", "regex", "length"]


def test_what_a_configuration_asks_beyond_checks_is_named() -> None:
    result = read_failures([DATA / "promptfooconfig.yaml"])
    said = "\n".join([*result.notes, *map(str, result.skipped)])
    for words in (
        "test 2: assertion llm-rubric is no check; it needs a judge",
        "test 2: assertion latency is no check: it is not about the text",
        "test 4: assertion regex is no check: '(?<year>",
        "promptfooconfig.yaml:35: test 3: kept in another file, file://more/*.yaml",
        "test 4: the variable ticket names a file",
    ):
        assert words in said


def test_the_same_configuration_as_json(tmp_path: Path) -> None:
    config = {"prompts": ["{{q}}"], "tests": [{"vars": {"q": "x"}, "assert": [{"type": "equals", "value": "y"}]}]}
    result = imported(tmp_path, "c.json", json.dumps(config, indent=1))
    assert [(case.input, case.expected) for case in result.cases] == [({"q": "x"}, "y")]
    assert result.format == "promptfoo-config"


@pytest.mark.parametrize("name", ["tests.yaml", "tests.json", "tests.jsonl"])
def test_a_list_of_tests_alone(tmp_path: Path, name: str) -> None:
    test = {"vars": {"q": "x"}, "assert": [{"type": "contains", "value": "y"}]}
    text = '- vars: {q: "x"}\n  assert:\n    - {type: contains, value: "y"}\n' if name.endswith("yaml") else None
    lines = json.dumps(test) if name.endswith("jsonl") else json.dumps([test])
    (case,) = imported(tmp_path, name, text or lines).cases
    assert case.check is not None
    assert (case.input, case.check.type) == ({"q": "x"}, "contains")


def test_a_table_of_tests() -> None:
    result = read_failures([DATA / "promptfoo_tests.csv"])
    assert [(case.input, case.expected, case.tags) for case in result.cases] == [
        ({"question": "What is 2+2?"}, "4", ("math",)),
        ({"question": "Capital of France?"}, None, ("geo",)),
        ({"question": "A colour?"}, None, ()),
    ]
    checks = [case.check.model_dump() if case.check else None for case in result.cases]
    assert checks[1:] == [
        {"type": "contains", "values": ("Paris",), "ignore_case": False},
        {"type": "regex", "pattern": "red|blue", "full": False},
    ]
    assert any("capital: assertion javascript" in note for note in result.notes)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("prompts: [a]\ntests:\n  - vars: {a: &x b}\n  - vars: {a: *x}\n", "aliases"),
        ("prompts: [a]\ntests:\n  - vars: {a: {{b}}}\n", "a key must be a word"),
        ("prompts: [a]\ntests: file://t.yaml\n", "nothing to import"),
        ("prompts: [a]\ntests: [3]\n", "not a mapping"),
    ],
)
def test_configurations_that_cannot_be_used(tmp_path: Path, content: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        imported(tmp_path, "promptfooconfig.yaml", content).evalset("s")


def test_too_many_combinations_are_refused(tmp_path: Path) -> None:
    config = {"prompts": [], "tests": [{"vars": {"a": [*range(20)], "b": [*range(20)]}}]}
    with pytest.raises(InputError, match="make 400 combinations"):
        imported(tmp_path, "c.json", json.dumps(config))
    config["tests"][0]["options"] = {"disableVarExpansion": True}  # type: ignore[index]
    assert imported(tmp_path, "c.json", json.dumps(config)).cases[0].input["a"] == [*range(20)]  # type: ignore[index]


def test_a_spec_of_another_tool_is_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no list of records"):
        imported(tmp_path, "other.yaml", "prompts: [a]\nmodel: x\n")
    with pytest.raises(InputError, match="no promptfoo configuration"):
        imported(tmp_path, "other.yaml", "prompts: [a]\nmodel: x\n", format="promptfoo-config")


@pytest.mark.parametrize(
    ("kind", "value", "passes", "fails"),
    [
        ("contains-any", ["a.", "b"], "xx a. xx", "ax"),
        ("icontains-any", ["Yes"], "oh YES", "no"),
        ("starts-with", "Dear", "Dear all", "Oh Dear"),
        ("not-regex", "^No", "Yes", "No"),
        ("regex", r"(?<year>\d{4})", "in 2026", "soon"),
        ("not-icontains-any", ["sorry"], "fine", "SORRY"),
        ("word-count", {"min": 2, "max": 3}, "one two", "one"),
        ("word-count", 1, "one", "one two"),
    ],
)
def test_assertions_mean_the_same_here(tmp_path: Path, kind: str, value: Any, passes: str, fails: str) -> None:
    test = {"vars": {"q": "x"}, "assert": [{"type": kind, "value": value}]}
    (case,) = imported(tmp_path, "t.json", json.dumps([test])).cases
    assert case.check is not None
    assert [check_output(case, output, None).passed for output in (passes, fails)] == [True, False]


def test_sets_of_assertions() -> None:
    inner = [{"type": "contains", "value": "a"}, {"type": "contains", "value": "b"}]
    assert read_asserts([{"type": "assert-set", "assert": inner}], {}).check is not None
    half = read_asserts([{"type": "assert-set", "threshold": 0.5, "assert": inner}], {})
    assert (half.check, len(half.notes)) == (None, 1)
    assert "keeps its value in file://x" in read_asserts([{"type": "equals-x", "value": "file://x"}], {}).notes[0]


def test_what_a_test_asks_for_besides_is_named(tmp_path: Path) -> None:
    some = [{"type": "contains", "value": "a"}, {"type": "equals", "value": "b"}]
    tests: list[dict[str, Any]] = [
        {"path": "file://make.py:tests", "config": {}},
        {"vars": {"q": "x"}, "options": {"transform": "output.trim()"}, "assert": some},
        {"vars": {"q": "y"}, "threshold": 0.5, "assert": some},
        {"assert": [{"type": "contains", "value": "y"}]},
    ]
    result = imported(tmp_path, "c.json", json.dumps({"prompts": ["{{q}}"], "tests": tests}))
    said = "\n".join([*result.notes, *map(str, result.skipped)])
    assert [(case.input, case.check, case.expected) for case in result.cases] == [
        ({"q": "x"}, None, None),
        ({"q": "y"}, None, None),
    ]
    for words in ("test 1: made by file://make.py:tests", "test 2: promptfoo changes the output (transform)",
                  "test 3: promptfoo asks for a part of the assertions only", "test 4: no variables"):  # fmt: skip
        assert words in said
