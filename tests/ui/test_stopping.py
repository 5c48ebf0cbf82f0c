"""Stopping and leaving: asked once, nothing that was paid is lost, and the status says what happened."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NoReturn

import pytest
from stage import Stage, on_stage, text_of, until
from textual.pilot import Pilot

from ceopt_tui.core.state.run import RunState
from ceopt_tui.exits import ExitStatus
from ceopt_tui.looking import read_state
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.screens.confirm import ConfirmScreen


@asynccontextmanager
async def at_work(tmp_path: Path) -> AsyncGenerator[tuple[Stage, CeoptApp, Pilot[int]]]:
    """A run whose baseline is being measured: five calls came back, the others hang."""
    stage = Stage(tmp_path, free=5)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: stage.settled(app) and "of 40 runs" in text_of(app))
        yield stage, app, pilot


def end_of(stage: Stage) -> RunState:
    return read_state(stage.world.folder)


async def test_stop_records_the_calls_under_way_and_c_goes_on(tmp_path: Path) -> None:
    async with at_work(tmp_path) as (stage, app, pilot):
        await pilot.press("s")
        await until(pilot, lambda: "Stop the run?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "… stopping" in text_of(app))
        assert app.working is not None
        stage.runner.gate.set()
        await until(pilot, lambda: app.working is None and "you stopped the run" in text_of(app))
        assert end_of(stage).runs.scored == stage.runner.calls == 9
        assert end_of(stage).status == "waiting"
        assert app.last is not None and app.last.result is not None
        assert (app.last.result.outcome, app.last.result.exit_status) == ("stopped", ExitStatus.STOPPED)
        await pilot.press("c")
        await until(pilot, lambda: "Start optimizing?" in text_of(app))
        assert stage.runner.calls == 40


async def test_a_stop_at_a_question_takes_hold_at_once(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("escape", "s")
        await until(pilot, lambda: "Stop the run?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "you stopped the run at a question" in text_of(app))
    assert end_of(stage).asked is not None


async def test_a_second_stop_does_not_wait(tmp_path: Path) -> None:
    async with at_work(tmp_path) as (stage, app, pilot):
        await pilot.press("s", "down", "enter")
        await until(pilot, lambda: "… stopping" in text_of(app))
        await pilot.press("s")
        await until(pilot, lambda: app.working is None and "interrupted" in text_of(app))
    assert end_of(stage).status == "waiting"


@pytest.mark.exhaustive
async def test_going_on_is_the_other_answer(tmp_path: Path) -> None:
    async with at_work(tmp_path) as (_, app, pilot):
        for decline in (("escape",), ("down", "down", "enter")):
            await pilot.press("s")
            await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
            await pilot.press(*decline)
            await until(pilot, lambda: "… running" in text_of(app))


@pytest.mark.exhaustive
async def test_a_dialogue_about_a_run_that_has_ended_goes_away(tmp_path: Path) -> None:
    async with at_work(tmp_path) as (_, app, pilot):
        await pilot.press("q")
        await until(pilot, lambda: "The run is at work. Leave?" in text_of(app))
        app.cancel_work()
        await until(pilot, lambda: app.working is None and "Leave?" not in text_of(app))
        assert app.is_running and "= paused" in text_of(app)


async def test_quitting_while_calls_are_under_way_asks_once(tmp_path: Path) -> None:
    async with at_work(tmp_path) as (stage, app, pilot):
        await pilot.press("q")
        await until(pilot, lambda: "Leave?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0
    assert end_of(stage).last_tick is not None
    assert end_of(stage).runs.scored == 5


async def test_ctrl_c_asks_once_then_stops_with_130(tmp_path: Path) -> None:
    async with at_work(tmp_path) as (stage, app, pilot):
        await pilot.press("ctrl+c")
        await until(pilot, lambda: "Press ctrl+c again" in text_of(app))
        assert app.working is not None
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == ExitStatus.INTERRUPTED
    assert end_of(stage).status == "waiting"


async def test_ctrl_c_with_a_selection_copies(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        app.screen.text_select_all()
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert "baseline 40 calls" in app.clipboard
        assert "Press ctrl+c again" not in text_of(app)


async def test_keys_are_answered_while_every_call_hangs(tmp_path: Path) -> None:
    async with at_work(tmp_path) as (_, app, pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: "Archive the run, begin another" in text_of(app))


@pytest.mark.parametrize("status", [ExitStatus.TERMINATED, ExitStatus.HANGUP])
async def test_leaving_puts_the_end_of_the_tick_on_record(tmp_path: Path, status: ExitStatus) -> None:
    async with at_work(tmp_path) as (stage, app, pilot):
        app.leave(status)
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == status
    assert end_of(stage).last_tick is not None


async def test_a_fault_of_the_engine_ends_the_app_with_its_name(tmp_path: Path) -> None:
    async def fall(options: object, skin: object) -> NoReturn:
        raise ZeroDivisionError("an engine that divides by nothing")

    stage = Stage(tmp_path)
    stage.tick = fall  # type: ignore[method-assign,assignment]
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == ExitStatus.FAULT
    assert isinstance(app.fault, ZeroDivisionError)


@pytest.mark.exhaustive
async def test_only_one_run_is_at_work(tmp_path: Path) -> None:
    async with at_work(tmp_path) as (stage, app, pilot):
        await pilot.press("escape")
        stage.listed = [Stage(tmp_path / "other").entry]
        await pilot.press("f5")
        await until(pilot, lambda: "+ new" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "is at work; stop it first" in text_of(app))


async def test_a_run_goes_on_behind_the_home_screen(tmp_path: Path) -> None:
    async with at_work(tmp_path) as (stage, app, pilot):
        await pilot.press("escape")
        await until(pilot, lambda: "… running" in text_of(app) and "0 of 0" in text_of(app))
        stage.runner.gate.set()
        await until(pilot, lambda: "waits for your answer" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "? needs you" in text_of(app) and "Proof" in text_of(app))
        await pilot.press("a")
        await until(pilot, lambda: "Start optimizing?" in text_of(app))
