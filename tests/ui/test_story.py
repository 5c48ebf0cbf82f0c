"""The whole way by keyboard: home, a run approved and watched, a keep, the report, and back another day."""

from __future__ import annotations

from pathlib import Path

import pytest
from pictures import check_picture
from stage import Stage, on_stage, text_of, until

from ceopt_tui.looking import read_state


async def test_from_the_list_of_runs_to_the_report_and_back(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "+ new" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        check_picture(app, "approve-spec")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Start optimizing?" in text_of(app))
        check_picture(app, "approve-baseline")
        await pilot.press("j", "enter")
        await until(pilot, lambda: "Keep this change?" in text_of(app) and "e Edit" in text_of(app))
        check_picture(app, "keep-question")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "What now?" in text_of(app))
        check_picture(app, "wrap-up")
        await pilot.press("down", "down", "down", "enter")
        await until(pilot, lambda: "✓ finished" in text_of(app))
        check_picture(app, "run-with-diff")
        before = text_of(app)
        await pilot.press("r")
        await until(pilot, lambda: "# fake: improved" in text_of(app))
        check_picture(app, "report")
        await pilot.press("escape", "q")
    assert app.return_code == 0
    assert [keep.number for keep in read_state(stage.world.folder).keeps] == [2]

    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "✓ improved" in text_of(app))
        check_picture(app, "home")
        await pilot.press("enter")
        await until(pilot, lambda: text_of(app) == before)
        assert app.working is None


async def test_a_run_fills_live(tmp_path: Path) -> None:
    stage = Stage(tmp_path, free=64)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Start optimizing?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: stage.settled(app) and "of 20 runs" in text_of(app))
        check_picture(app, "run-live")
        stage.runner.gate.set()
        await until(pilot, lambda: "Keep this change?" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "? needs you" in text_of(app))
        await pilot.press("a")
        await until(pilot, lambda: "Keep this change?" in text_of(app))


@pytest.mark.exhaustive
async def test_a_refused_keep_takes_a_reason(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        for question in ("Start measuring?", "Start optimizing?"):
            await until(pilot, lambda question=question: question in text_of(app))
            await pilot.press("down", "enter")
        await until(pilot, lambda: "Keep this change?" in text_of(app))
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: "Why not?" in text_of(app))
        await pilot.press("escape", "enter", *"quits [b", "enter")
        await until(pilot, lambda: "✗ reverted" in text_of(app) and app.working is None)
    experiment = read_state(stage.world.folder).experiments[2]
    assert experiment.answers == {"keep-2": "refuse: quits [b"}


@pytest.mark.exhaustive
async def test_declining_the_spec_parks_the_run_and_c_asks_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: "you chose: adjust the spec" in text_of(app))
        assert "! blocked" in text_of(app)
        assert stage.runner.calls == 0
        await pilot.press("c")
        await until(pilot, lambda: "Start measuring?" in text_of(app))


@pytest.mark.exhaustive
async def test_quitting_at_a_question_and_coming_back_asks_it_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0
    state = read_state(stage.world.folder)
    assert state.last_tick is not None and (state.last_tick.status, state.last_tick.reason) == (
        "waiting",
        "interrupted",
    )
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "? needs you" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "paused at a question: Start measuring?" in text_of(app))
        assert "a Answer" in text_of(app)
        await pilot.press("a")
        await until(pilot, lambda: "Start measuring?" in text_of(app) and "proceed" in text_of(app))
