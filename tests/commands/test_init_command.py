"""`ceopt init`: a first spec from the shell, with the choices that the app offers."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from triage_project import PROMPT, git, label, question

from ceopt_tui.commands.init import command
from schemas.loading import load_evalset, load_spec


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lines = "".join(f'{{"input": "{question(at)}", "expected": "{label(at)}"}}\n' for at in range(8))
    (tmp_path / "triage.md").write_text(PROMPT, encoding="utf-8")
    (tmp_path / "failures.jsonl").write_text(lines, encoding="utf-8")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "start")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_choices_of_the_shell_are_in_the_files(root: Path) -> None:
    options = [
        "--measure",
        "contains",
        "--model",
        "cheap=openai/gpt-5-mini",
        "--max-calls",
        "500",
        "--experiments",
        "9",
    ]
    result = CliRunner().invoke(command, ["triage.md", "--failures", "failures.jsonl", *options])
    assert result.exit_code == 0, result.output
    spec = load_spec(root / "triage.spec.yaml").spec
    assert (spec.stopping.max_iterations, spec.stopping.max_calls, spec.stopping.max_total_cost_usd) == (9, 500, None)
    assert spec.models["cheap"].model == "openai/gpt-5-mini"
    check = load_evalset(root / "evals" / "triage.yaml").evalset.check
    assert check is not None and check.type == "contains"


def test_a_rubric_makes_a_judge(root: Path) -> None:
    (root / "rubric.md").write_text("quality\n5: right\n1: wrong\n", encoding="utf-8")
    result = CliRunner().invoke(command, ["triage.md", "--failures", "failures.jsonl", "--rubric", "rubric.md"])
    assert result.exit_code == 0, result.output
    spec = load_spec(root / "triage.spec.yaml").spec
    assert spec.is_judged and spec.metric.judge is not None and "5: right" in spec.metric.judge.rubric


@pytest.mark.parametrize(
    "options",
    [["--model", "cheap"], ["--model", "other=x/y"], ["--max-usd", "nan"], ["--rubric", "r", "--measure", "exact"]],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_written(root: Path, options: list[str]) -> None:
    (root / "r").write_text("5: x", encoding="utf-8")
    result = CliRunner().invoke(command, ["triage.md", *options])
    assert result.exit_code == 2 and not list(root.glob("*.spec.yaml"))
