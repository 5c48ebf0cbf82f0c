"""`/` goes to what has the words, in the list of runs and in a run; nothing is hidden or changed by it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fakes import terms
from histories import begun, ended, foreign_history, state_of, tried
from pictures import check_picture
from stage import Stage, on_stage, text_of, until
from textual.widgets import Input

from ceopt_tui.core.state.run import RunState
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.screens.home import HomeScreen
from ceopt_tui.ui.screens.run import RunScreen
from ceopt_tui.ui.widgets.search_line import SearchLine
from ceopt_tui.ui.widgets.table import RowTable

IDEAS = (
    "Name each queue",
    "Say what money belongs to returns",
    "Answer in one word",
    "Money that comes back",
    "Be kind",
)


def run_with_ideas(folder: Path) -> RunEntry:
    groups = [tried(n, idea, "kept" if n == 4 else "reverted", "secret reason") for n, idea in enumerate(IDEAS, 1)]
    return RunEntry("triage", folder / "run", None, state_of(begun(), *groups, ended()), terms=terms())


def staged(entries: list[RunEntry], folder: Path) -> Stage:
    stage = Stage(folder / "stage")
    stage.listed = entries
    stage.reread = lambda entry: entry  # type: ignore[method-assign]
    return stage


def cursor(app: object) -> int:
    return app.screen.query_one(RowTable).cursor_row  # type: ignore[attr-defined, no-any-return]


async def test_a_search_walks_through_the_experiments_that_match(tmp_path: Path) -> None:
    async with on_stage(staged([run_with_ideas(tmp_path)], tmp_path)) as (app, pilot):
        await until(pilot, lambda: "triage" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RunScreen) and "exp-005" in text_of(app))
        await pilot.press("slash", *"MONEY")
        await until(pilot, lambda: "of 2" in text_of(app))
        first = cursor(app)
        check_picture(app, "search")
        await pilot.press("enter")
        assert {first, cursor(app)} == {1, 3}
        await pilot.press("enter")  # round the end
        assert cursor(app) == first
        await pilot.press("up")
        assert cursor(app) == 4 - first
        await pilot.press(*" kept")  # every word has to be there, also that of the outcome
        await until(pilot, lambda: "1 of 1" in text_of(app))
        assert cursor(app) == 3
        await pilot.press("escape")
        assert cursor(app) == 3 and not app.screen.query_one(SearchLine).display
        await pilot.press("k")  # the list has the keys again
        assert cursor(app) == 2


async def test_reasons_are_not_searched_and_nothing_found_is_said(tmp_path: Path) -> None:
    async with on_stage(staged([run_with_ideas(tmp_path)], tmp_path)) as (app, pilot):
        await until(pilot, lambda: "triage" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "exp-005" in text_of(app))
        before = cursor(app)
        await pilot.press("slash")
        app.screen.query_one(Input).value = "secret"
        await pilot.press("enter", "down", "up")
        await until(pilot, lambda: "nothing found" in text_of(app))
        assert cursor(app) == before


async def test_runs_are_found_by_name_status_and_outcome(tmp_path: Path) -> None:
    runs = [
        replace(run_with_ideas(tmp_path), name=name, folder=tmp_path / name) for name in ("billing", "refunds", "tone")
    ]
    runs[1] = replace(runs[1], state=RunState())
    async with on_stage(staged(runs, tmp_path)) as (app, pilot):
        await until(pilot, lambda: "billing" in text_of(app))
        await pilot.press("slash", *"new")
        await until(pilot, lambda: cursor(app) == 1)
        app.on_reload_wanted()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert isinstance(app.focused, Input)  # a list read again takes no key away
        await pilot.press("escape", "slash", *"tone")
        await until(pilot, lambda: cursor(app) == 2)
        await pilot.press("escape")
        assert isinstance(app.screen, HomeScreen)


@pytest.mark.parametrize("words", ["[/foo]", "[bold", "\\"])
async def test_words_of_any_kind_are_literal(tmp_path: Path, words: str) -> None:
    entry = RunEntry("triage", tmp_path / "run", None, foreign_history(), terms=terms())
    async with on_stage(staged([entry], tmp_path)) as (app, pilot):
        await until(pilot, lambda: "triage" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "exp-012" in text_of(app))
        await pilot.press("slash")
        app.screen.query_one(Input).value = words
        await pilot.pause()
        assert words in text_of(app)
