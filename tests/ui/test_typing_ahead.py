"""What is typed faster than the app opens screens and fields goes where it was meant to."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from evalset_stage import builder, case, screen
from stage import text_of, until
from textual import events
from textual.app import App
from textual.widgets import Input, TextArea

from ceopt_tui.ui.screens.evalset import EvalSetScreen
from ceopt_tui.ui.screens.evalset_case import EvalSetCaseScreen

NAMES = {" ": "space", "/": "slash", "\n": "enter", "?": "question_mark", ".": "full_stop"}


def burst(app: App[int], *keys: str) -> None:
    """Keys as a terminal hands them over when they come at once; words are typed letter by letter."""
    for key in keys:
        known = len(key) > 1 and (key in ("down", "up", "enter", "escape", "tab", "slash", "end") or "+" in key)
        for one in (key,) if known else key:
            app.post_message(events.Key(NAMES.get(one, one), one if len(one) == 1 else None))


async def test_words_typed_right_behind_the_key_that_opens_a_line_are_all_in_it(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        burst(app, "slash", "udg", "end")
        await until(pilot, lambda: app.screen.query_one(Input).value == "udg")
        assert isinstance(app.screen, EvalSetScreen) and not screen(app).unsaved
        burst(app, "escape", "down", "t", "late, dusk", "enter", "down", "g")
        await until(pilot, lambda: case(app, "parcel-wet").kind == "guard")
        assert case(app, "invoice-copy").tags == ("late", "dusk")


@pytest.mark.exhaustive
async def test_a_new_case_can_be_written_without_waiting_for_its_screen(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        burst(app, "n", "Why dug twice?", "tab", "billing")
        app.post_message(events.Paste(" and\nmore"))
        burst(app, "tab", "gg")
        await until(pilot, lambda: [area.text for area in app.screen.query(TextArea)][2:3] == ["gg"])
        assert app.screen.query_one("#input", TextArea).text == "Why dug twice?"
        assert app.screen.query_one("#expected", TextArea).text == "billing and\nmore"
        burst(app, "ctrl+s", "down", "g")
        await until(pilot, lambda: isinstance(app.screen, EvalSetScreen) and "why-dug-twice" in text_of(app))
        await until(pilot, lambda: case(app, "why-dug-twice").kind == "guard", "the last stays the last")
        assert case(app, "why-dug-twice").observed == "gg"


@pytest.mark.exhaustive
async def test_each_of_many_keys_acts_on_the_case_it_was_meant_for(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        burst(app, *["g", "down"] * 8)
        await until(pilot, lambda: case(app, "courier").kind == "failure" and case(app, "delete-me").kind == "guard")
        board = screen(app).board
        assert board is not None
        changed = [one.id for one in board.cases if one.kind == "guard"]
        assert changed == [one.id for one in board.cases][:1] + [one.id for one in board.cases][2:8]


@pytest.mark.exhaustive
async def test_enter_held_down_opens_one_case_and_writes_nothing_into_it(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        burst(app, "down", *["enter"] * 30)
        await until(pilot, lambda: isinstance(app.screen, EvalSetCaseScreen))
        for _ in range(5):
            await asyncio.sleep(0.02)
            burst(app, "enter")
        await pilot.pause()
        assert isinstance(app.screen, EvalSetCaseScreen) and not app.screen.unsaved
        burst(app, "x", "enter")
        await until(pilot, lambda: app.screen.query_one("#input", TextArea).text.startswith("x\n"))
