"""The command that goes on with a run: typed as it was asked for, and right wherever it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from ceopt_tui.run_options import RunOptions


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_limits_and_output_of_a_start_are_those_of_the_next(tmp_path: Path) -> None:
    options = RunOptions(Path("a.yaml"), max_minutes=12.5, max_ticks=2, as_json=True, cache_dir=Path("c"), environ={})
    command = (
        f"ceopt run {tmp_path}/a.yaml --unattended --json --max-minutes 12.5 --max-ticks 2 --cache-dir {tmp_path}/c"
    )
    assert options.resume_command() == command


def test_a_state_root_of_the_environment_is_named(tmp_path: Path) -> None:
    options = RunOptions(Path("a.yaml"), environ={"CEOPT_STATE_ROOT": "/states"})
    assert options.resume_command() == f"ceopt run {tmp_path}/a.yaml --unattended --state-root /states/ceopt"
    given = RunOptions(Path("a.yaml"), state_root=Path("/mine"), environ={"CEOPT_STATE_ROOT": "/states"})
    assert given.resume_command().endswith("--state-root /mine")


def test_who_sits_at_a_terminal_is_in_the_folder_of_the_command() -> None:
    assert RunOptions(Path("a.yaml"), attended=True, environ={}).resume_command() == "ceopt run a.yaml"
