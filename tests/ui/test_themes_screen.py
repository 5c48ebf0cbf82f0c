"""Failure themes on screen: read, renamed, merged, split, dismissed; every edit one record."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from histories import ended, state_of
from judged_histories import FEEDBACK, THEMES, grouped, judged, measured
from pictures import check_picture
from stage import Stage, on_stage, text_of, until
from textual.pilot import Pilot

from ceopt_tui.core.state.fold import apply
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.engine.skin import Skin
from ceopt_tui.errors import StorageError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.screens.themes import ThemesScreen
from ceopt_tui.ui.theme_rows import theme_board
from schemas.judging_records import Theme, ThemeEdited
from schemas.records import AnyRecord

MORE = pytest.mark.exhaustive


def history(*more: AnyRecord) -> RunState:
    before = tuple(theme.model_copy(update={"cases": (*theme.cases, "i")}) for theme in THEMES[:1])
    return state_of(judged(), measured(), [grouped(0, before, ()), grouped(), *more])


@dataclass
class ThemesStage(Stage):
    """A run at work that changes nothing by itself; `edits` is its journal."""

    folder: Path
    state: RunState = field(default_factory=history)
    edits: list[AnyRecord] = field(default_factory=list)
    fault: Exception | None = None

    def __post_init__(self) -> None:
        super().__init__(self.folder)
        self.entry = replace(self.entry, state=self.state)

    async def commit(self, record: AnyRecord) -> None:
        if self.fault is not None:
            raise self.fault
        self.edits.append(record)
        apply(self.state, record)

    async def tick(self, options: RunOptions, skin: Skin) -> TickResult:
        skin.opened(self.state, self.world.terms, self.commit)
        await asyncio.Event().wait()
        return TickResult("waiting", "waiting", "over", ExitStatus.WAITING)


async def open_themes(app: CeoptApp, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: "t Themes" in text_of(app))
    await pilot.press("t")
    await until(pilot, lambda: isinstance(app.screen, ThemesScreen) and "internals" in text_of(app))


def edits(stage: ThemesStage) -> Sequence[tuple[object, ...]]:
    return [(e.op, e.theme, e.into, e.name, e.cases) for e in stage.edits if isinstance(e, ThemeEdited)]


async def test_themes_stand_with_count_share_and_trend_and_enter_shows_their_cases(tmp_path: Path) -> None:
    stage = ThemesStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await open_themes(app, pilot)
        await until(pilot, lambda: "3 themes, 7 failing cases to tune on" in text_of(app))
        check_picture(app, "themes")
        for shown in ("43%", "↓ from 4", "+ new", "unexplained", "Say what a user sees"):
            assert shown in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: f"Feedback    {FEEDBACK}" in text_of(app) and "notes of a" in text_of(app))


@MORE
async def test_a_theme_is_renamed_and_esc_drops_the_name(tmp_path: Path) -> None:
    stage = ThemesStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await open_themes(app, pilot)
        await pilot.press("e", *"x", "escape")
        await pilot.press("e", "ctrl+u", *"code [words", "enter")
        await until(pilot, lambda: "code [words" in text_of(app))
        await pilot.press("e", "enter")
    assert edits(stage) == [("rename", "t1", None, "code [words", ())]


@MORE
async def test_a_theme_is_merged_into_another(tmp_path: Path) -> None:
    stage = ThemesStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await open_themes(app, pilot)
        await pilot.press("m")
        await until(pilot, lambda: "Merge “internals” into which theme?" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "choose with ↑ ↓ first" in text_of(app))
        await pilot.press("escape", "m", "down", "down", "enter")
        await until(pilot, lambda: "2 themes" in text_of(app))
    assert edits(stage) == [("merge", "t1", "t3", None, ())]
    assert [(row.id, row.cases) for row in theme_board(stage.state).themes] == [
        ("t3", ("a", "b", "e", "h")),
        ("t2", ("f", "g")),
    ]


@MORE
async def test_cases_are_split_off_under_a_new_id(tmp_path: Path) -> None:
    stage = ThemesStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await open_themes(app, pilot)
        await pilot.press("v")
        await until(pilot, lambda: "Which cases leave “internals”?" in text_of(app))
        await pilot.press("tab", "enter")
        await until(pilot, lambda: "take at least one case and leave at least one" in text_of(app))
        await pilot.press("shift+tab", "down", "space", "tab", "enter")
        await until(pilot, lambda: "the new theme needs a name" in text_of(app))
        await pilot.press(*"names", "enter")
        await until(pilot, lambda: "4 themes" in text_of(app))
        await pilot.press("v", "escape")
    assert edits(stage) == [("split", "t1", "t4", "names", ("b",))]


@MORE
async def test_a_dismissed_theme_stays_in_sight_and_can_come_back(tmp_path: Path) -> None:
    stage = ThemesStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await open_themes(app, pilot)
        await pilot.press("d")
        await until(pilot, lambda: "- internals (dismissed)" in text_of(app))
        await pilot.press("d")
        await until(pilot, lambda: "(dismissed)" not in text_of(app))
    assert [op for op, *_ in edits(stage)] == ["dismiss", "restore"]


@MORE
async def test_what_is_unexplained_can_only_be_read(tmp_path: Path) -> None:
    stage = ThemesStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await open_themes(app, pilot)
        await pilot.press("down", "down", "down")
        await until(pilot, lambda: "Rename" not in text_of(app) and "like no other" in text_of(app))
        await pilot.press("e", "m", "v", "d", "enter")
        await until(pilot, lambda: "notes of i" in text_of(app))
    assert stage.edits == []


@MORE
async def test_the_last_theme_and_single_cases_cannot_be_merged_or_split(tmp_path: Path) -> None:
    only = (Theme(id="t1", name="internals", change="c", cases=("a",)),)
    stage = ThemesStage(tmp_path, state_of(judged(), measured(), [grouped(1, only, ())]))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await open_themes(app, pilot)
        assert "Merge" not in text_of(app) and "Split" not in text_of(app) and "Rename" in text_of(app)


@MORE
async def test_a_new_grouping_is_followed_and_the_cursor_stays_on_its_theme(tmp_path: Path) -> None:
    stage = ThemesStage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await open_themes(app, pilot)
        await pilot.press("down")
        larger = (THEMES[0], THEMES[1].model_copy(update={"cases": ("f", "g", "h", "i")}))
        apply(stage.state, grouped(2, larger, ()))
        await until(pilot, lambda: "2 themes" in text_of(app))
        assert app.screen.selected.id == "t2"  # type: ignore[attr-defined]


@MORE
async def test_a_run_that_is_not_at_work_is_read_only_and_says_so(tmp_path: Path) -> None:
    stage = ThemesStage(tmp_path, history(*ended()))
    async with on_stage(stage, first=replace(stage.entry, options=None)) as (app, pilot):
        await open_themes(app, pilot)
        assert "Themes can be changed while the run is at work here" in text_of(app)
        for key in "emvd":
            await pilot.press(key)
        await until(pilot, lambda: text_of(app).count("Themes can be changed") > 1)
        assert isinstance(app.screen, ThemesScreen)
    assert stage.edits == []


@MORE
async def test_an_edit_the_disk_refuses_is_told(tmp_path: Path) -> None:
    stage = ThemesStage(tmp_path, fault=StorageError("the disk is full"))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await open_themes(app, pilot)
        await pilot.press("d")
        await until(pilot, lambda: "the disk is full" in text_of(app))


@MORE
async def test_strings_that_break_markup_are_shown_as_they_are(tmp_path: Path) -> None:
    strange = (Theme(id="t1", name="[/x] \x1b[31m", change="[bold]c[/bold]", cases=("a", "b")),)
    stage = ThemesStage(tmp_path, state_of(judged(feedback="see [/foo] bar"), measured(), [grouped(1, strange, ())]))
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "t Themes" in text_of(app))
        await pilot.press("t")
        await until(pilot, lambda: text_of(app).count("[/x] ␛[31m") == 2 and "[bold]c[/bold]" in text_of(app))
        await pilot.press("v")
        await until(pilot, lambda: "Which cases leave “[/x] ␛[31m”?" in text_of(app))
        await pilot.press("escape", "enter")
        await until(pilot, lambda: "see [/foo] bar" in text_of(app))


@MORE
async def test_a_case_whose_output_is_gone_says_so(tmp_path: Path) -> None:
    stage = ThemesStage(tmp_path)
    stage.state.runs.forget("original")
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await open_themes(app, pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "Its output is not kept any more" in text_of(app))


def test_a_run_without_themes_has_no_rows() -> None:
    assert theme_board(RunState()).rows == ()
