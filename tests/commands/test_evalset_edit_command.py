"""`ceopt evalset edit`: what is refused before the app opens, and what the app is opened on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from triage_project import make_project

from ceopt_tui.commands import evalset
from ceopt_tui.errors import InputError, SetupError
from ceopt_tui.run_options import RunOptions
from ceopt_tui.trial import Trial
from ceopt_tui.ui import start
from ceopt_tui.ui.app import CeoptApp


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_project(tmp_path, "http://127.0.0.1:9/v1").root


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[CeoptApp]:
    """The apps that would have opened on a terminal."""
    apps: list[CeoptApp] = []
    monkeypatch.setattr(start, "require_terminal", lambda: None)
    monkeypatch.setattr(start, "run_app", lambda app, **_options: apps.append(app) or 0)
    return apps


def test_without_a_terminal_it_says_what_else_there_is(root: Path, opened: list[CeoptApp]) -> None:
    result = CliRunner().invoke(evalset.command, ["edit", str(root / "evals" / "triage.yaml")], standalone_mode=False)
    assert isinstance(result.exception, SetupError) and "evalset check" in result.exception.hint
    assert opened == []


def test_a_file_that_cannot_be_read_is_refused_with_its_line(
    root: Path, opened: list[CeoptApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = root / "broken.yaml"
    broken.write_text("name: t\ncases:\n  - {id: a}\n", encoding="utf-8")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert sys.stdin.isatty()
    command = evalset.command.commands["edit"].callback  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"broken.yaml:3"):
        command(broken)
    assert opened == []
    assert command(root / "evals" / "triage.yaml") == 0 and len(opened) == 1


def test_an_eval_set_a_spec_and_a_file_outside_of_a_repository(
    root: Path, opened: list[CeoptApp], tmp_path: Path
) -> None:
    outside = tmp_path / "cases.yaml"
    outside.write_bytes((root / "evals" / "triage.yaml").read_bytes())
    for file in (root / "evals" / "triage.yaml", root / "spec.yaml", outside):
        assert start.open_evalset(file) == 0
    assert [app.evalset for app in opened[::2]] == [root / "evals" / "triage.yaml", outside]
    of_spec = opened[1].evalset
    assert isinstance(of_spec, RunOptions) and of_spec.spec_path == root / "spec.yaml"
    assert all(app.trial_of is Trial for app in opened)
