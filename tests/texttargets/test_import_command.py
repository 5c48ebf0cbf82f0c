"""`ceopt import`: preview, filters, what is said of what was left out, and a set that is brought up to date."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ceopt_tui.commands.import_ import command
from ceopt_tui.errors import InputError
from schemas.loading import load_evalset
from texttargets.importers.verdicts import Bar, judge

DATA = Path(__file__).parents[1] / "data" / "imports"


def ceopt_import(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit | InputError), result.exception
    return result


def written(tmp_path: Path, *records: dict[str, Any], name: str = "f.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def test_a_preview_shows_cases_and_writes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "evals.yaml"
    result = ceopt_import(DATA / "braintrust_experiment.json", "--preview", "--all", "--out", out)
    assert not out.exists()
    assert result.stdout.splitlines()[:8] == [
        "format braintrust: 1 failure, 1 guard, 2 records left out",
        "",
        "row-1  (failure, en)",
        "  input      grand",
        "  expected   large",
        "  observed   big",
        "  went wrong synonym, but not ours",
        "  from       braintrust_experiment.json line 3",
    ]
    assert "skipped braintrust_experiment.json:37: b1t: a step of another span" in result.stderr
    assert json.loads(ceopt_import(DATA / "codex_rollout.jsonl", "--preview", "--json").stdout)["out"] is None


def test_a_preview_names_every_record_a_case_came_from(tmp_path: Path) -> None:
    twice = written(tmp_path, {"input": "a", "expected": "b"}, {"input": "c"}, {"input": "a", "expected": "b"})
    shown = ceopt_import(twice, "--preview").stdout
    assert f"  from       {twice.name} line 1, {twice.name} line 3\n" in shown
    config = tmp_path / "promptfooconfig.yaml"
    config.write_text(
        "prompts: [p]\ntests:\n  - vars: {q: one}\n    assert: [{type: equals, value: x}]\n"
        "  - vars: {q: two}\n    assert: [{type: equals, value: y}]\n",
        "utf-8",
    )
    shown = ceopt_import(config, "--preview").stdout
    assert "from       promptfooconfig.yaml line 3\n" in shown and "from       promptfooconfig.yaml line 5\n" in shown


def test_an_id_that_the_set_has_for_another_case_is_named_with_its_line(tmp_path: Path) -> None:
    out = tmp_path / "set.yaml"
    ceopt_import(written(tmp_path, {"id": "a", "input": "one"}, name="one.jsonl"), "--out", out)
    records = written(tmp_path, {"id": "z", "input": "other"}, {"id": "a", "input": "two"}, name="two.jsonl")
    refused = str(ceopt_import(records, "--out", out).exception)
    assert "two.jsonl:2" in refused and "is in the eval set already" in refused


def test_a_preview_makes_foreign_text_harmless_and_counts_the_rest(tmp_path: Path) -> None:
    records = [{"id": f"c{n}", "input": "\x1b[31m[bold]red\nline" + "x" * 300} for n in range(13)]
    shown = ceopt_import(written(tmp_path, *records), "--preview").stdout
    assert "\x1b" not in shown
    assert "[bold]red↵line" in shown
    assert shown.endswith("… and 3 cases more\n")
    assert max(map(len, shown.splitlines())) <= 96


@pytest.mark.parametrize(
    ("options", "ids", "reason"),
    [
        (["--tag", "Geo", "--tag", "none"], ["a", "c"], "has none of the tags Geo, none"),
        (["--containing", "PERU"], ["a"], "does not contain 'PERU'"),
        (["--containing", "too short"], ["c"], "does not contain 'too short'"),
        (["--limit", "2"], ["a", "b"], "beyond the limit of 2"),
        (["--below", "0.5"], ["b"], "passed, so it is no failure"),
        (["--score", "tone"], ["b"], "passed, so it is no failure"),
    ],
)
def test_filters_name_what_they_leave_aside(tmp_path: Path, options: list[str], ids: list[str], reason: str) -> None:
    path = written(
        tmp_path,
        {"id": "a", "input": "Peru?", "tags": "geo", "scores": {"fit": 0.5, "tone": 1}},
        {"id": "b", "input": "Chad?", "tags": "x", "scores": {"fit": 0.4, "tone": 0}},
        {"id": "c", "input": "Mali?", "tags": ["geo"], "note": "too short", "scores": {"fit": 0.9, "tone": 1}},
    )
    out = tmp_path / "out.yaml"
    result = ceopt_import(path, "--out", out, *options)
    assert [case.id for case in load_evalset(out).evalset.cases] == ids
    assert result.stderr.count(reason) == 3 - len(ids)


def test_many_records_left_out_for_one_reason_are_counted(tmp_path: Path) -> None:
    records = [{"id": str(n), "input": "q", "pass": n > 0} for n in range(1501)]
    result = ceopt_import(written(tmp_path, *records))
    assert "skipped f.jsonl: 1,500 records (lines 2, 3, 4, 5, 6 and 1,495 more): passed" in result.stderr
    assert len(json.loads(ceopt_import(tmp_path / "f.jsonl", "--json").stdout)["skipped"]) == 1500


def test_many_bad_lines_are_counted_and_nothing_is_written(tmp_path: Path) -> None:
    path = written(tmp_path, *({"text": n} for n in range(50)))
    result = ceopt_import(path, "--out", tmp_path / "out.yaml")
    said = str(result.exception)
    assert said.count("\n") == 21
    assert "f.jsonl: and 30 lines more: no input" in said
    assert not (tmp_path / "out.yaml").exists()


def test_several_exports_go_into_one_set_and_again_change_nothing(tmp_path: Path) -> None:
    out = tmp_path / "evals.yaml"
    files = [DATA / name for name in ("promptfoo.json", "junit.xml", "claude_code.jsonl", "evals.json")]
    ceopt_import(*files, "--out", out)
    first = out.read_bytes()
    assert len(load_evalset(out).evalset.cases) == 8
    ceopt_import(*files, "--out", out)
    assert out.read_bytes() == first


def test_a_changed_answer_keeps_the_case_that_has_no_id_of_its_own(tmp_path: Path) -> None:
    out = tmp_path / "evals.yaml"
    ceopt_import(written(tmp_path, {"input": "q", "expected": "old"}, {"input": "r"}), "--out", out)
    before = [case.id for case in load_evalset(out).evalset.cases]
    ceopt_import(written(tmp_path, {"input": "q", "expected": "new"}, {"input": "r"}), "--out", out)
    cases = load_evalset(out).evalset.cases
    assert [case.id for case in cases] == before
    assert cases[0].expected == "new"


@pytest.mark.parametrize(
    ("verdict", "scores", "bar", "passed"),
    [
        (None, None, Bar(), None),
        (True, {"a": 0}, Bar(), True),
        ("fail", {"a": 1}, Bar(), False),
        (None, {"a": 1, "b": True, "c": "pass"}, Bar(), True),
        (None, {"a": 1, "b": 0.99}, Bar(), False),
        (None, {"a": 1, "b": 4}, Bar(), None),
        (None, {"a": 4}, Bar(below=4), True),
        (None, {"a": -1}, Bar(below=0), False),
        (None, {"a": -1}, Bar(), None),
        (None, {"a": None}, Bar(), None),
        (None, [{"name": "a", "value": [1, 0]}], Bar(), False),
        (None, [{"key": "a", "score": 1}, {"name": "b", "passed": False}], Bar(), False),
        (True, {"A b": 0.2}, Bar("a_b"), False),
        (False, {"x": 0}, Bar("a"), None),
        ("nan", None, Bar(), None),
        ("1e999", None, Bar(), None),
    ],
)
def test_verdicts(verdict: Any, scores: Any, bar: Bar, passed: bool | None) -> None:
    assert judge(verdict, scores, bar).passed is passed
