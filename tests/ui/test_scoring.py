"""A person scores outputs by keyboard: every mark on record before the next output, partial work kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from histories import FOREIGN
from pictures import check_picture
from sheets import ScoringStage, sheet
from stage import on_stage, text_of, until
from textual.pilot import Pilot

from ceopt_tui.core.judging_ports import Level, PersonMark, SheetItem
from ceopt_tui.core.visible import visible
from ceopt_tui.errors import StorageError
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.screens.confirm import ConfirmScreen
from ceopt_tui.ui.screens.scoring import ScoringScreen

pytestmark = pytest.mark.exhaustive


def scored(stage: ScoringStage) -> list[tuple[str, float | None, str]]:
    return [(item, mark.score, mark.reason) for item, mark in stage.marks]


async def at(app: CeoptApp, pilot: Pilot[int], progress: str) -> None:
    await until(pilot, lambda: isinstance(app.screen, ScoringScreen) and progress in text_of(app).split("\n")[0])


@pytest.mark.parametrize(("size", "name"), [((80, 24), "scoring"), ((120, 40), "scoring-wide")])
async def test_the_output_stands_whole_with_the_levels_beside_it(
    tmp_path: Path, size: tuple[int, int], name: str
) -> None:
    stage = ScoringStage(tmp_path)
    async with on_stage(stage, size=size, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 10")
        await pilot.press("4", "3")
        await at(app, pilot, "3 of 10")
        await pilot.press("b")
        await at(app, pilot, "2 of 10")
        await until(pilot, lambda: "▶ 3" in text_of(app) and "your score: 3" in text_of(app))
        check_picture(app, name)
        levels, output = app.screen.query_one("#levels").region, app.screen.query_one("#output").region
        beside = levels.x >= output.right
        assert beside is (size[0] >= 100) and (beside or levels.y >= output.bottom)


async def test_one_key_scores_and_goes_on_and_the_last_one_ends_the_sheet(tmp_path: Path) -> None:
    stage = ScoringStage(tmp_path, sheet(3))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 3")
        assert "not scored yet" in text_of(app) and "▶" not in text_of(app)
        await pilot.press("4")
        await at(app, pilot, "2 of 3")
        assert scored(stage) == [("item-1", 4.0, "")]
        await pilot.press("s", "1")
        await until(pilot, lambda: "the sheet was done" in text_of(app))
    assert stage.outcome == "done"
    assert scored(stage) == [("item-1", 4.0, ""), ("item-2", None, ""), ("item-3", 1.0, "")]


async def test_keys_that_are_no_level_score_nothing(tmp_path: Path) -> None:
    stage = ScoringStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 10")
        await pilot.press("0", "6", "9", "enter", "right", "space", "j", "pagedown", "pageup")
        await pilot.pause()
        assert "1 of 10" in text_of(app) and stage.marks == []


async def test_going_back_shows_the_own_score_and_a_new_one_replaces_it(tmp_path: Path) -> None:
    stage = ScoringStage(tmp_path, sheet(4))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 4")
        await pilot.press("b", "4", "s", "b", "b")
        await at(app, pilot, "1 of 4")
        assert "your score: 4" in text_of(app)
        await pilot.press("enter")
        await at(app, pilot, "2 of 4")
        assert "you skipped this one" in text_of(app)
        await pilot.press("2")
        await at(app, pilot, "3 of 4")
        await pilot.press("left", "right")
        await at(app, pilot, "3 of 4")
    assert scored(stage) == [("item-1", 4.0, ""), ("item-2", None, ""), ("item-2", 2.0, "")]


async def test_a_reason_is_kept_with_the_score_to_come(tmp_path: Path) -> None:
    stage = ScoringStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 10")
        await pilot.press("r", *"5 of [7", "enter")
        await until(pilot, lambda: "because: 5 of [7" in text_of(app))
        assert stage.marks == []
        await pilot.press("2")
        await at(app, pilot, "2 of 10")
        await pilot.press("r", *"dropped", "escape")
        assert "because" not in text_of(app)
        await pilot.press("3")
        await at(app, pilot, "3 of 10")
    assert scored(stage) == [("item-1", 2.0, "5 of [7"), ("item-2", 3.0, "")]


async def test_a_reason_given_afterwards_is_recorded_with_its_score(tmp_path: Path) -> None:
    stage = ScoringStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 10")
        await pilot.press("2", "b", "r", *"no", "enter")
        await until(pilot, lambda: "your score: 2 · because: no" in text_of(app))
        await pilot.press("r", "enter", "5")
        await at(app, pilot, "2 of 10")
    assert scored(stage) == [("item-1", 2.0, ""), ("item-1", 2.0, "no"), ("item-1", 5.0, "no")]


async def test_stopping_asks_nothing_and_keeps_what_was_scored(tmp_path: Path) -> None:
    stage = ScoringStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 10")
        await pilot.press("4", "x")
        await until(pilot, lambda: "the sheet was stopped" in text_of(app))
    assert (stage.outcome, scored(stage)) == ("stopped", [("item-1", 4.0, "")])


async def test_a_sheet_goes_on_where_it_was_left(tmp_path: Path) -> None:
    marks = {"item-1": PersonMark(4.0, "so"), "item-3": PersonMark(None)}
    stage = ScoringStage(tmp_path, sheet(4, marks=marks))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "2 of 4")
        await pilot.press("b")
        await until(pilot, lambda: "your score: 4 · because: so" in text_of(app))
        await pilot.press("enter", "3", "enter")
        await at(app, pilot, "4 of 4")
        await pilot.press("b", "b", "b", "enter", "enter", "enter", "5")
        await until(pilot, lambda: "the sheet was done" in text_of(app))
    assert scored(stage) == [("item-2", 3.0, ""), ("item-4", 5.0, "")]


async def test_behind_the_last_output_those_without_a_mark_come_again(tmp_path: Path) -> None:
    marks = {"item-3": PersonMark(2.0)}
    stage = ScoringStage(tmp_path, sheet(3, marks=marks))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 3")
        stage_desk = app.screen.desk  # type: ignore[attr-defined]
        stage_desk.go_on()
        stage_desk.go_on()
        stage_desk.go_on()
        assert stage_desk.place == 0 and not stage_desk.over


async def test_a_sheet_that_was_scored_to_its_end_is_done_without_a_screen(tmp_path: Path) -> None:
    marks = {f"item-{n}": PersonMark(3.0) for n in (1, 2)}
    stage = ScoringStage(tmp_path, sheet(2, marks=marks))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "the sheet was done" in text_of(app))


async def test_scores_given_to_try_it_out_are_thrown_away_once_that_is_confirmed(tmp_path: Path) -> None:
    stage = ScoringStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 10")
        await pilot.press("4", "t")
        await until(pilot, lambda: "throw them away" in text_of(app))
        await pilot.press("escape")
        await at(app, pilot, "2 of 10")
        await pilot.press("t", "down", "enter")
        await until(pilot, lambda: "the sheet was discarded" in text_of(app))
    assert stage.outcome == "discarded"


async def test_quitting_in_the_middle_leaves_the_sheet_open(tmp_path: Path) -> None:
    stage = ScoringStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 10")
        await pilot.press("4", "3")
        await at(app, pilot, "3 of 10")
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not app.is_running)
    assert (stage.outcome, len(stage.marks)) == (None, 2)
    again = ScoringStage(tmp_path, replace(stage.sheet, marks=dict(stage.marks)))
    async with on_stage(again, first=again.entry) as (app, pilot):
        await at(app, pilot, "3 of 10")


async def test_left_for_later_the_sheet_waits_and_a_takes_it_up_again(tmp_path: Path) -> None:
    stage = ScoringStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 10")
        await pilot.press("4", "escape")
        await until(pilot, lambda: "waits for your answer: Score some outputs yourself (1 of 10 done)" in text_of(app))
        assert "? needs you" in text_of(app)
        await pilot.press("a")
        await at(app, pilot, "2 of 10")


async def test_a_stop_of_the_run_keeps_the_sheet_open(tmp_path: Path) -> None:
    stage = ScoringStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 10")
        await pilot.press("4", "escape", "s")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "you stopped the run while scoring" in text_of(app))
    assert (stage.outcome, len(stage.marks)) == (None, 1)


async def test_a_disk_that_refuses_a_mark_ends_the_tick_and_every_screen_over_the_run(tmp_path: Path) -> None:
    stage = ScoringStage(tmp_path, fault=StorageError("the disk is full"))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 10")
        await pilot.press("4")
        await until(pilot, lambda: "the disk is full" in text_of(app) and not isinstance(app.screen, ScoringScreen))
    assert stage.marks == []


async def test_the_end_of_the_tick_takes_the_rubric_and_the_question_with_it(tmp_path: Path) -> None:
    for key, shown in (("u", "The rubric"), ("t", "throw them away")):
        stage = ScoringStage(tmp_path)
        async with on_stage(stage, first=stage.entry) as (app, pilot):
            await at(app, pilot, "1 of 10")
            await pilot.press(key)
            await until(pilot, lambda shown=shown: shown in text_of(app))
            app.cancel_work()
            await until(pilot, lambda: "= paused" in text_of(app) or "cut off" in text_of(app))


async def test_a_long_input_is_folded_until_asked_for(tmp_path: Path) -> None:
    short = SheetItem("short", "a question", "an answer", "an expected answer")
    stage = ScoringStage(tmp_path, sheet(2, items=(*sheet(2).items, short)))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 3")
        assert "▸ Input" in text_of(app) and "… 7 more lines" in text_of(app) and "bump the linter" not in text_of(app)
        await pilot.press("i")
        await until(pilot, lambda: "▾ Input" in text_of(app) and "bump the linter" in text_of(app))
        await pilot.press("3")
        await at(app, pilot, "2 of 3")
        assert "▾ Input" in text_of(app), "as the person wants it"
        await pilot.press("i", "3")
        await at(app, pilot, "3 of 3")
        assert "▸ Expected an expected answer" in text_of(app)


async def test_an_input_of_one_line_stands_above_from_the_start(tmp_path: Path) -> None:
    item = SheetItem("one", "a question", "", "an expected answer")
    stage = ScoringStage(tmp_path, sheet(1, items=(item,)))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 1")
        assert "▾ Input" in text_of(app) and "an expected answer" in text_of(app) and "(empty)" in text_of(app)


async def test_a_long_output_can_be_read_to_its_end_and_the_next_one_starts_at_its_top(tmp_path: Path) -> None:
    items = tuple(SheetItem(f"i{n}", "q", "\n".join(f"line {n}-{i}" for i in range(60))) for n in range(2))
    stage = ScoringStage(tmp_path, sheet(2, items=items))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "PgDn reads on (" in text_of(app))
        await pilot.press(*["pagedown"] * 9)
        await until(pilot, lambda: "line 0-59" in text_of(app) and "reads on" not in text_of(app))
        await pilot.press("1")
        await until(pilot, lambda: "line 1-0" in text_of(app))


async def test_pass_and_fail_have_keys_of_their_own(tmp_path: Path) -> None:
    levels = (Level(0.0, "f", ""), Level(1.0, "p", "usable as it is"))
    stage = ScoringStage(tmp_path, sheet(2, levels=levels))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 2")
        assert "f or p scores and goes on" in text_of(app)
        await pilot.press("p", "f")
        await until(pilot, lambda: "the sheet was done" in text_of(app))
    assert scored(stage) == [("item-1", 1.0, ""), ("item-2", 0.0, "")]


async def test_ten_levels_fit_a_small_screen(tmp_path: Path) -> None:
    levels = tuple(Level(float(n), str(n % 10), f"meaning of {n}") for n in range(1, 11))
    stage = ScoringStage(tmp_path, sheet(1, levels=levels))
    async with on_stage(stage, size=(60, 20), first=stage.entry) as (app, pilot):
        await at(app, pilot, "1 of 1")
        assert "meaning of 1" in text_of(app) and "Output" in text_of(app) and "1 to 0 scores" in text_of(app)


async def test_strings_that_break_markup_are_shown_as_they_are(tmp_path: Path) -> None:
    strange = "\n".join(FOREIGN) + "\n\u05e9\u05dc\u05d5\u05dd\u202e\ufeff"
    item = SheetItem("[/]", "[/some/path]", strange, "[bold]x[/bold]")
    levels = (Level(0.0, "f", "[red]"), Level(1.0, "p", "[/] end \x1b[31m"))
    title = "[@click=app.quit]press[/]"
    stage = ScoringStage(tmp_path, sheet(1, items=(item,), levels=levels, title=title, rubric="[/x] \x07"))
    async with on_stage(stage, size=(110, 50), first=stage.entry) as (app, pilot):
        await until(pilot, lambda: title in text_of(app))
        shown = text_of(app)
        wanted = [visible(text) for text in strange.split("\n") if len(text) < 60]
        assert [
            text for text in [*wanted, "[/some/path]", "[bold]x[/bold]", "[red]", "␛[31m"] if text not in shown
        ] == []
        await pilot.press("r", *"[/]", "enter")
        await until(pilot, lambda: "because: [/]" in text_of(app))
        await pilot.press("u")
        await until(pilot, lambda: "[/x] ␇" in text_of(app))
