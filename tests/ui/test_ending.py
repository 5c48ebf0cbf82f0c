"""Ending a run for good: confirmed first, nothing paid is lost, the report is written, and it stays ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes import FakeClock, terms
from stage import Stage, on_stage, text_of, until
from textual.pilot import Pilot
from world import World, helps

from ceopt_tui.core.state.run import RunState
from ceopt_tui.looking import read_state
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.commands import commands_of, help_text
from schemas.evalset import Case


def state_of(stage: Stage) -> RunState:
    return read_state(stage.world.folder)


async def end(app: CeoptApp, pilot: Pilot[int]) -> None:
    await pilot.press("e")
    await until(pilot, lambda: "End the run for good?" in text_of(app))
    await pilot.press("down", "enter")


async def until_ended(app: CeoptApp, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: app.working is None and "✓ finished" in text_of(app))
    assert "ended by you" in text_of(app)


@pytest.mark.exhaustive
async def test_a_run_at_work_ends_with_its_report_and_does_not_go_on(tmp_path: Path) -> None:
    stage = Stage(tmp_path, free=5)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: stage.settled(app))
        await end(app, pilot)
        await until(pilot, lambda: "… stopping" in text_of(app))
        stage.runner.gate.set()
        await until_ended(app, pilot)
        state = state_of(stage)
        assert state.runs.scored == stage.runner.calls == 9, "the calls under way are on record, no other was sent"
        assert state.finished is not None and state.finished.outcome == "person"
        await pilot.press("r")
        await until(pilot, lambda: "# fake: ended by you" in text_of(app))
        await pilot.press("escape", "c", "e")
        await until(pilot, lambda: "✓ finished" in text_of(app))
        assert stage.runner.calls == 9


@pytest.mark.exhaustive
async def test_an_end_at_a_question_takes_hold_at_once(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("escape")
        await end(app, pilot)
        await until_ended(app, pilot)
    assert stage.runner.calls == 0 and state_of(stage).report is not None


def nearly_all(text: str, case: Case, sample: int) -> str:
    """One case fails whatever the text says, so a better text leaves something to try."""
    return "no" if case.id == "c00" else helps("be exact")(text, case, sample)


@pytest.mark.exhaustive
async def test_a_kept_change_gets_its_final_gain(tmp_path: Path) -> None:
    clock = FakeClock()
    ideas = ("be exact", "be kind")
    attended = terms(attended=True)
    world = World(tmp_path / "triage", nearly_all, lines=ideas, approved=False, terms=attended, clock=clock)
    stage = Stage(tmp_path, world)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        for question in ("Start measuring?", "Start optimizing?", "Keep this change?"):
            await until(pilot, lambda question=question: question in text_of(app))
            if question.startswith("Keep"):
                stage.runner.free = stage.runner.calls  # the next measurement hangs
            await pilot.press("down", "enter")
        await until(pilot, lambda: stage.settled(app))
        await end(app, pilot)
        stage.runner.gate.set()
        await until(pilot, lambda: "What now?" in text_of(app))
        assert "continue" not in text_of(app), "it was ended for good"
        await pilot.press("down", "down", "down", "enter")
        await until(pilot, lambda: app.working is None and "✓ improved" in text_of(app))
    state = state_of(stage)
    assert state.stopped is not None and state.stopped.outcome == "person"
    assert state.gain is not None and state.gain.after == 1.0
    assert state.experiments[2].outcome == "inconclusive", "it was under way"


async def test_a_run_nobody_works_on_is_ended_and_wrapped_up(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Start optimizing?" in text_of(app))
        await pilot.press("escape", "s")
        await until(pilot, lambda: "Stop the run?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: app.working is None)
        calls = stage.runner.calls
        await end(app, pilot)
        await until_ended(app, pilot)
    assert stage.runner.calls == calls == 40, "wrapping up a run without a keep costs nothing"
    assert (stage.world.folder / "report.md").is_file()


@pytest.mark.exhaustive
async def test_declining_leaves_the_run_at_work(tmp_path: Path) -> None:
    stage = Stage(tmp_path, free=5)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: stage.settled(app))
        await pilot.press("e")
        await until(pilot, lambda: "End the run for good?" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "… running" in text_of(app))
        assert state_of(stage).stopped is None


def test_the_command_is_in_the_one_list() -> None:
    (command,) = (command for command in commands_of("run") if command.id == "end")
    assert command.in_footer and command.in_palette
    assert f"  {command.key_shown:<12}{command.explanation}" in help_text()
