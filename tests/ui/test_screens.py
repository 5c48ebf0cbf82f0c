"""Screens in the states a story does not reach: empty, damaged, small, wide, without colour, very long."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from histories import begun, ended, state_of, tried
from pictures import check_picture
from rich.text import Text
from stage import Stage, on_stage, text_of, until

from ceopt_tui.core.state.run import RunState
from ceopt_tui.errors import GitError
from ceopt_tui.looking import read_state
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.screens.run import SLICE, RunScreen
from ceopt_tui.ui.widgets.table import RowTable
from schemas import records as r

MANY = 10_000


def gallery(folder: Path) -> list[RunEntry]:
    """A run in every state a list can show."""
    kept = tried(1, "be exact", "kept", "confirmed", "Answer.\nbe exact\n")
    asked = r.Asked(question_id="baseline", title="t", message="m", question="Start?", options=("proceed",))
    parked = r.TickEnded(tick=1, active_s=9, status="waiting", reason="later", at="2026-01-05T09:20:00+00:00")
    paid = r.CallFinished(facts=r.CallFacts(role="task", model="m", usd=1.25))
    states = {
        "billing-tone": state_of(begun(), [paid], kept, ended("improved")),
        "date-format": state_of(begun(), tried(1, "x", "reverted", "no"), ended()),
        "refund-policy": state_of(begun(), tried(1, "x", "error", "no"), tried(2, "y"), [parked]),
        "support-triage": state_of(begun(), [asked, parked]),
        "summaries": state_of(begun(), ended("harness_failed")),
    }
    runs = [RunEntry(name, folder / name, state=state) for name, state in states.items()]
    return [
        *runs,
        replace(runs[2], name="tone", folder=folder / "tone", at_work=True),
        RunEntry("old-run", folder / "old-run", fault="line 7 of the journal cannot be read"),
        RunEntry("greeting", folder / "greeting", place="evals/greeting.yaml"),
    ]


async def test_home_without_runs_teaches_the_way(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.listed = []
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "No run here yet." in text_of(app))
        check_picture(app, "home-empty")
        await pilot.press("enter", "q")
        await until(pilot, lambda: not app.is_running)


async def test_home_tells_runs_apart_by_word_and_sign(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.listed = gallery(tmp_path)
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "greeting" in text_of(app))
        check_picture(app, "home-runs")
        stage.listed = stage.listed[:2]
        await pilot.press("f5")
        await until(pilot, lambda: "greeting" not in text_of(app))


async def test_home_says_why_runs_cannot_be_read(tmp_path: Path) -> None:
    def fail() -> list[RunEntry]:
        raise GitError("git took too long")

    stage = Stage(tmp_path)
    stage.entries = fail  # type: ignore[method-assign]
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "git took too long" in text_of(app))


async def test_a_run_whose_spec_is_gone_can_be_read_only(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.listed = gallery(tmp_path)[2:3]
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "refund-policy" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "paused: later" in text_of(app))
        assert "Go on" not in text_of(app)
        await pilot.press("c", "d")
        await until(pilot, lambda: "no change to show" in text_of(app))
        await pilot.press("escape", "r")
        await until(pilot, lambda: "There is no report yet" in text_of(app))


async def test_the_best_text_stands_against_the_original(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.listed = gallery(tmp_path)[:1]
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "billing-tone" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "✓ kept" in text_of(app))
        await pilot.press("b")
        await until(pilot, lambda: "the best text against the original" in text_of(app) and "+be exact" in text_of(app))


async def test_a_run_of_another_process_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ceopt_tui.ui.screens.run.REREAD_S", 0.05)
    stage = Stage(tmp_path)
    entry = gallery(tmp_path)[5]
    moved = replace(entry, state=state_of(begun(), tried(1, "x", "error", "no"), tried(2, "y"), tried(3, "z")))
    stage.reread = lambda entry: moved  # type: ignore[method-assign]
    async with on_stage(stage, first=replace(entry, options=None)) as (app, pilot):
        await until(pilot, lambda: "process 1 works on it" in text_of(app) and "exp-003" in text_of(app))


async def test_an_idle_run_started_over_elsewhere_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ceopt_tui.ui.screens.run.REREAD_S", 0.05)
    stage = Stage(tmp_path)
    entry = replace(stage.entry, options=None, state=state_of(begun(), tried(1, "old", "reverted", "no"), ended()))
    now = [entry]
    stage.reread = lambda entry: now[0]  # type: ignore[method-assign]
    async with on_stage(stage, first=entry) as (app, pilot):
        await until(pilot, lambda: "old" in text_of(app) and "✓ finished" in text_of(app))
        now[0] = replace(entry, state=RunState())
        await until(pilot, lambda: "not started" in text_of(app) and "exp-001" not in text_of(app))
        now[0] = replace(entry, state=state_of(begun(), tried(1, "new")), at_work=True)
        await until(pilot, lambda: "new" in text_of(app) and "process 1 works on it" in text_of(app))


async def test_help_lists_every_key(tmp_path: Path) -> None:
    async with on_stage(Stage(tmp_path)) as (app, pilot):
        await until(pilot, lambda: "triage" in text_of(app))
        await pilot.press("question_mark")
        await until(pilot, lambda: "Runs of this repository" in text_of(app))
        check_picture(app, "help")
        await pilot.press("escape")
        await until(pilot, lambda: "+ new" in text_of(app))


async def test_the_palette_offers_the_commands_of_the_screen(tmp_path: Path) -> None:
    async with on_stage(Stage(tmp_path)) as (app, pilot):
        await until(pilot, lambda: "+ new" in text_of(app))
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "Set a run up: text, failures, limits (n)" in text_of(app))
        await pilot.press(*"quit", "enter")
        await until(pilot, lambda: not app.is_running)


async def test_enter_answers_nothing_until_an_arrow_has_lit_an_option(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app) and "↑ ↓ choose, then enter" in text_of(app))
        assert "▶" not in text_of(app)
        await pilot.press("enter")
        await until(pilot, lambda: "choose with ↑ ↓ first" in text_of(app))
        assert "▶" not in text_of(app)
        await pilot.press("down")
        await until(pilot, lambda: "▶ proceed" in text_of(app) and "↑ ↓ choose, then enter" in text_of(app))
        await pilot.press("up")
        await until(pilot, lambda: "▶ proceed" in text_of(app))
        await pilot.press("down", "down", "down", "down")
        await until(pilot, lambda: "▶ stop" in text_of(app))
        assert text_of(app).count("▶") == 1
        await pilot.press("escape", "q")
        await until(pilot, lambda: not app.is_running)


@pytest.mark.exhaustive
async def test_a_dialogue_is_answered_like_a_question(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("escape", "s")
        await until(pilot, lambda: "Stop the run?" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "choose with ↑ ↓ first" in text_of(app))
        await pilot.press("down", "down", "down")
        await until(pilot, lambda: "▶ let it go on" in text_of(app) and "↑ ↓ choose, then enter" in text_of(app))


MORE = pytest.mark.exhaustive


@pytest.mark.parametrize("size", [(80, 24), pytest.param((60, 20), marks=MORE), pytest.param((120, 40), marks=MORE)])
async def test_start_answer_and_stop_are_in_reach_at_every_size(tmp_path: Path, size: tuple[int, int]) -> None:
    stage = Stage(tmp_path, free=5)
    async with on_stage(stage, size=size, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app) and "stop" in text_of(app))
        await pilot.press("pagedown", "down", "enter")
        await until(pilot, lambda: "Stop" in text_of(app) and "Quit" in text_of(app))
        await pilot.press("s")
        await until(pilot, lambda: "let it go on" in text_of(app))


async def test_price_caps_and_clocks_are_seen_without_scrolling(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage, size=(80, 24), first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        shown = text_of(app)
        order = [shown.index(label) for label in ("Target", "Plan", "typical to worst", "Caps", "Clocks", "May change")]
        assert order == sorted(order)


@pytest.mark.exhaustive
async def test_screens_and_dialogues_follow_the_window(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage, size=(60, 20), first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        assert max(map(len, text_of(app).split("\n"))) <= 60
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: "price unknown; typical to worst, before the caps" in text_of(app))
        await pilot.press("escape", "s")
        await until(pilot, lambda: "Stop the run?" in text_of(app))
        dialogue = app.screen.query_one("#box").region
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: app.screen.query_one("#box").region != dialogue)
        assert app.screen.query_one("#box").region.right <= 80


async def test_without_colour_words_and_signs_remain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    stage = Stage(tmp_path)
    stage.listed = gallery(tmp_path)
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "greeting" in text_of(app))
        for words in ("✓ finished", "✓ improved", "- no improvement", "= paused", "? needs you", "! damaged", "+ new"):
            assert words in text_of(app)


@pytest.mark.exhaustive
async def test_ten_thousand_experiments_come_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slices: list[int] = []
    put = RowTable.put

    def counted(table: RowTable, rows: Sequence[tuple[str, tuple[Text, ...]]], *, more: bool = False) -> None:
        slices.extend([len(rows)] if table.id == "experiments" else [])
        put(table, rows, more=more)

    monkeypatch.setattr(RowTable, "put", counted)
    records = [record for number in range(1, MANY + 1) for record in tried(number, "say it", "reverted", "no")]
    stage = Stage(tmp_path)
    entry = replace(stage.entry, options=None, state=state_of(begun(), records, ended()))
    async with on_stage(stage, first=entry) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await pilot.press("question_mark")
        await until(pilot, lambda: "Archive the run, begin another" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: f"exp-{MANY}" in text_of(app))
    assert sum(slices) == MANY and max(slices) <= SLICE


async def test_under_another_screen_a_run_at_work_is_not_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stage, drawn = Stage(tmp_path, free=5), 0
    redraw = RunScreen.redraw

    def counted(screen: RunScreen) -> None:
        nonlocal drawn
        drawn += 1
        redraw(screen)

    monkeypatch.setattr(RunScreen, "redraw", counted)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: stage.settled(app))
        await pilot.press("question_mark")
        await until(pilot, lambda: "Archive the run, begin another" in text_of(app))
        before = drawn
        await pilot.pause(10 * stage.refresh_s)
        assert drawn == before
        await pilot.press("escape")
        await until(pilot, lambda: drawn > before)


async def test_a_burst_of_records_is_drawn_a_few_times_only(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    drawn = 0
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        screen = next(screen for screen in app.screen_stack if isinstance(screen, RunScreen))
        redraw = screen.redraw

        def counted() -> None:
            nonlocal drawn
            drawn += 1
            redraw()

        screen.redraw = counted  # type: ignore[method-assign]
        assert app.working is not None and app.working.skin is not None
        began_s = time.monotonic()
        for _ in range(20_000):
            app.working.skin.recorded(r.Noted(text="one of many"))
        await pilot.pause()
        took_s = time.monotonic() - began_s
        assert drawn <= 2 + took_s / stage.refresh_s
        assert read_state(stage.world.folder).started is not None
