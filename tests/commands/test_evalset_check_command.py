"""`ceopt evalset check`: its exit status, and what it keeps to itself while a run on the set is open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from fakes import FakeClock
from triage_project import make_project

from ceopt_tui.commands.evalset import command
from ceopt_tui.exits import ExitStatus
from ceopt_tui.journal.folders import runs_folder
from ceopt_tui.journal.journal import Journal
from schemas.records import AnyRecord, Finished, RunStarted, SplitFrozen

SECRET = "zanzibar"


def check(evalset: Path, *options: str | Path) -> Result:
    arguments = ["check", str(evalset), *map(str, options)]
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert result.exception is None, result.exception
    return result


def written(path: Path, cases: list[dict[str, Any]]) -> Path:
    path.write_text(yaml.safe_dump({"name": "t", "cases": cases}), "utf-8")
    return path


@pytest.mark.parametrize("expected", [("a", "a"), ("a", "b"), (None, None), ("a",)])
def test_a_set_that_is_only_too_small_is_a_finding(tmp_path: Path, expected: tuple[str | None, ...]) -> None:
    cases = [{"id": f"c{n}", "input": f"question {n}", "expected": want} for n, want in enumerate(expected)]
    path = written(tmp_path / "two.yaml", [{k: v for k, v in case.items() if v is not None} for case in cases])
    result = check(path, "--json")
    report = json.loads(result.stdout)
    assert result.return_value == ExitStatus.FINISHED
    assert report["sound"] is True
    assert "too_small" in {finding["code"] for finding in report["findings"]}


def test_what_has_to_be_put_right_is_refused_in_a_small_set_too(tmp_path: Path) -> None:
    wrong = {"id": "c", "input": "q", "expected": "a", "check": {"type": "regex", "pattern": "^b$"}}
    assert check(written(tmp_path / "one.yaml", [wrong])).return_value == ExitStatus.REFUSED


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = make_project(tmp_path, "http://127.0.0.1:9/v1").root
    wrong = {"type": "json_fields", "fields": [SECRET]}
    cases: list[dict[str, Any]] = [
        {"id": f"c{n}", "input": f"Order {n} came {n * 9 + 3} days ago", "expected": "yes" if n < 4 else SECRET,
         "observed": SECRET if n < 4 else "yes"}
        for n in range(8)
    ]  # fmt: skip
    cases.append({"id": "held", "input": "r", "expected": {SECRET: 1, "a": 2}, "check": {**wrong, "fields": ["a"]}})
    cases.append({"id": "fails", "input": "s", "expected": {"b": 1}, "check": {"type": "none_of", "values": ["b"]}})
    written(place / "evals" / "triage.yaml", cases)
    return place


def record(root: Path, state: Path, *more: AnyRecord) -> None:
    begun = RunStarted(
        run_id="r1", name="triage", ceopt_version="1", repository=str(root), spec_file=str(root / "spec.yaml"),
        spec_digest="s", approval_digest="a", measurement_digest="m", base_sha="b", branch="main",
        texts={"prompts/triage.md": "x"}, text_digest="t", seed=7,
    )  # fmt: skip
    split = SplitFrozen(
        selection=("c0", "c1", "c2"), holdout=("c4", "c5", "held", "fails"), report_only=(), groups=(), seed=7
    )
    journal = Journal.open(runs_folder(root, state_root=state, environ={}) / "triage", now=FakeClock().now)
    journal.append([begun, split, *more])
    journal.close()


def test_held_out_cases_keep_their_words_while_a_run_is_open(root: Path, tmp_path: Path) -> None:
    evalset, state = root / "evals" / "triage.yaml", tmp_path / "state"
    before = check(evalset, "--state-root", state)
    assert SECRET in before.stdout
    record(root, state)
    for options in ((), ("--json",)):
        result = check(evalset, "--state-root", state, *options)
        assert SECRET not in result.stdout
        assert "harder case" not in result.stdout
        assert "fails" in result.stdout, "its id may be told"
        assert "note: triage is open" in result.stderr
        assert result.return_value == before.return_value


def test_they_come_back_when_the_run_has_finished(root: Path, tmp_path: Path) -> None:
    evalset, state = root / "evals" / "triage.yaml", tmp_path / "state"
    record(root, state, Finished(outcome="no_gain", exit_status=0, reason=""))
    result = check(evalset, "--state-root", state)
    assert SECRET in result.stdout
    assert "is open" not in result.stderr
