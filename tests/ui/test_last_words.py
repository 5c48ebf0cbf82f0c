"""What the shell shows after the screen, and rules that hold for the whole app."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest
from histories import begun, ended, state_of, tried

from ceopt_tui.engine.loop import TickResult
from ceopt_tui.exits import ExitStatus
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui import commands
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.last_words import outcome_lines, way_on
from ceopt_tui.ui.run_model import RunModel

OPTIONS = RunOptions(
    Path("my specs/a.yaml"), attended=True, state_root=Path("/state"), cache_dir=Path("/cache"),
    models={"cheap": "openai/x"}, fresh=True, approve="digest",
)  # fmt: skip
SOURCES = sorted((Path(commands.__file__).parent).rglob("*.py"))


def test_a_finished_run_says_its_outcome_and_nothing_more() -> None:
    kept = tried(1, "x", "kept", "", "y")
    model = RunModel(RunEntry("triage", Path("triage"), OPTIONS, state_of(begun(), kept, ended("improved"))))
    assert outcome_lines(model)[-1] == "finished: improved; 1 kept of 1 experiment; scored 1, unscored 0"
    assert way_on(model) == []


def test_a_parked_run_says_why_and_the_command_that_goes_on() -> None:
    model = RunModel(RunEntry("triage", Path("triage"), OPTIONS, state_of(begun())))
    assert outcome_lines(model) == way_on(model) == []
    model.end(TickResult("stopped", "quota", "the key sk-abcdefgh12345678 has nothing left", ExitStatus.STOPPED))
    command = "ceopt run 'my specs/a.yaml' --state-root /state --cache-dir /cache --model cheap=openai/x"
    assert OPTIONS.resume_command() == command
    assert way_on(model) == ["the key sk-*** has nothing left", f"to go on: {command}"]


def test_a_fresh_start_is_made_once() -> None:
    model = RunModel(RunEntry("triage", Path("triage"), OPTIONS))
    model.begin(None)  # type: ignore[arg-type]
    assert model.entry.options == replace(OPTIONS, fresh=False, approve=None)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_workers_name_their_group_and_do_not_end_the_app(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    for call in calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "run_worker":
            assert {"group", "exit_on_error"} <= {keyword.arg for keyword in call.keywords}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_widgets_that_read_markup_are_told_not_to(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        name = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
        if name in {"Static", "Label", "notify"}:
            assert "markup" in {keyword.arg for keyword in node.keywords}, f"{path.name}:{node.lineno}"


def test_every_key_of_a_screen_does_one_thing() -> None:
    for place in commands.PLACES:
        keys = [key for command in commands.commands_of(place) for key in command.keys.split(",")]
        assert len(keys) == len(set(keys))
        assert len(list(commands.bindings_for(place))) == len(list(commands.commands_of(place)))
