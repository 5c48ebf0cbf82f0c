"""`ceopt study`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from study_project import make_study, review

from ceopt_tui.commands.study import NOT_YET, command
from ceopt_tui.core.study.report_lint import bare_figures
from ceopt_tui.errors import SetupError
from ceopt_tui.exits import ExitStatus


def study(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, list(map(str, arguments)), standalone_mode=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_study(tmp_path, asked=[review(0)], k=2)


def test_check_counts_the_cells_or_names_every_problem(root: Path, tmp_path: Path) -> None:
    assert "2 texts, 2 targets, 1 case, 2 repeats: 8 cells" in study("check", root).output
    broken = study("check", make_study(tmp_path / "broken", k=0))
    assert broken.return_value == ExitStatus.REFUSED
    assert "k: must be at least 1" in broken.output


def test_a_dry_run_writes_and_sends_nothing(root: Path) -> None:
    before = sorted(root.rglob("*"))
    ended = study("run", root, "--dry-run")
    assert ended.return_value == ExitStatus.FINISHED
    assert "8 cells (2 texts x 2 targets x 1 case x 2 repeats)" in ended.stderr and ended.stdout == ""
    assert sorted(root.rglob("*")) == before


def test_a_run_prints_and_writes_the_same_report_with_a_tag_on_every_figure(root: Path) -> None:
    ended = study("run", root)
    written = (root / "artifacts" / "run" / "report.md").read_text("utf-8")
    assert ended.stdout == written and not bare_figures(written)
    assert "[underpowered][mock][exploratory]" in written and "CONFIRMED, accepted" not in written
    found = json.loads((root / "artifacts" / "run" / "report.json").read_text("utf-8"))
    assert found == json.loads(study("report", root, "--json").stdout)
    assert study("report", root).stdout == written


def test_results_are_not_overwritten(root: Path) -> None:
    study("run", root)
    report = root / "artifacts" / "run" / "report.md"
    report.write_text("Read by me.\n", encoding="utf-8")
    assert study("run", root, "--json").return_value == ExitStatus.FINISHED
    assert report.read_text("utf-8") == "Read by me.\n"
    assert report.with_name("report-2.md").is_file()
    study("run", root)
    assert not report.with_name("report-3.md").exists()


def test_results_are_hidden_from_git_but_for_reports(root: Path) -> None:
    study("run", root)
    assert (root / "artifacts" / ".gitignore").read_text("utf-8").splitlines()[0] == "*"


def test_freeze_writes_the_hash_of_every_input(root: Path) -> None:
    assert "commit it with the study" in study("freeze", root).output
    frozen = json.loads((root / "freeze.json").read_text("utf-8"))
    assert set(frozen["files"]) == {
        "study.yaml", "hypotheses.yaml", "cases/all.yaml", "variants/plain.md", "variants/checklist.md",
    }  # fmt: skip
    assert study("run", root).return_value == ExitStatus.FINISHED


def test_there_is_no_report_of_nothing(root: Path) -> None:
    assert isinstance(study("report", root).exception, SetupError)


@pytest.mark.parametrize("name", NOT_YET)
def test_what_this_version_does_not_have_is_refused_by_name(name: str, root: Path) -> None:
    ended = study(name, root)
    assert ended.exception is not None
    assert "is not part of this version. It has: check, enqueue, freeze, " in str(ended.exception)


def test_freezing_asks_for_no_key(tmp_path: Path) -> None:
    targets = [{"id": "gpt", "family": "gpt", "harness": "api", "model": "openai/stub"}]
    root = make_study(tmp_path, asked=[review(0)], targets=targets)
    assert study("freeze", root).return_value == ExitStatus.FINISHED
    assert isinstance(study("run", root, "--dry-run").exception, SetupError)


def test_check_tries_every_case_on_its_own_answer(tmp_path: Path) -> None:
    told = {"id": "told", "input": "4", "answer": {"type": "number", "value": 4}}
    ended = study("check", make_study(tmp_path, asked=[review(0), told]))
    assert ended.return_value == ExitStatus.REFUSED
    assert "the whole score to its own question" in ended.output


def test_a_part_is_run_first_and_the_rest_later(root: Path) -> None:
    part = study("run", root, "--target", "strong", "--text", "plain", "--json")
    assert json.loads(part.stdout)["coverage"] == {"scored": 2, "cells": 8}
    assert not json.loads(part.stdout)["complete"]
    assert not (root / "artifacts" / "run" / "report.md").exists()
    whole = json.loads(study("run", root, "--json").stdout)
    assert whole["complete"] and whole["coverage"]["scored"] == 8


@pytest.mark.parametrize(
    ("option", "message", "known"),
    [
        ("--text", "no text `plian`", "plain, checklist"),
        ("--target", "no target `plian`", "strong, weak"),
        ("--case", "no case `plian`", "review-0"),
    ],
)
def test_a_part_that_is_not_there_is_refused_naming_what_is(root: Path, option: str, message: str, known: str) -> None:
    refused = study("run", root, option, "plian").exception
    assert isinstance(refused, SetupError) and message in refused.message and known in refused.hint
    assert not (root / "artifacts").exists()


def test_replies_are_kept_on_request_alone(root: Path) -> None:
    assert "Raw outputs were not kept" in study("run", root, "--output", "bare").stdout
    assert not (root / "artifacts" / "bare" / "outputs").exists()
    assert "8 raw outputs kept" in study("run", root, "--keep-outputs").stdout
    kept = sorted((root / "artifacts" / "run" / "outputs" / "strong").iterdir())
    assert [path.name for path in kept][:2] == ["review-0.checklist.0#1.txt", "review-0.checklist.1#1.txt"]
    assert kept[0].read_text("utf-8") == "runs_foreign_code\nshell_injection"
