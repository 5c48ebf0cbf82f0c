"""The eval set builder at work: what shows it, what stops it, what is listed meanwhile, and texts of every kind."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from unicodedata import east_asian_width

import pytest
from evalset_stage import MORE, builder, case, evalset_text, held, screen
from stage import text_of, until
from textual.widgets import TextArea

from ceopt_tui.core.ports import RunResult
from ceopt_tui.ui.commands import commands_of
from ceopt_tui.ui.evalset_rows import LOOK_NAMES, LOOKS, held_by
from ceopt_tui.ui.screens.evalset import EvalSetScreen
from ceopt_tui.ui.screens.evalset_case import EvalSetCaseScreen
from ceopt_tui.ui.widgets.columns import GAP, SIDE_BY_SIDE_FROM
from schemas.evalset import Case
from schemas.loading import load_evalset

MANY_KEYS = pytest.mark.exhaustive


@dataclass
class SlowTrial:
    """Answers when the gate opens; counts calls that were given up."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    output: str = "shipping"
    given_up: int = 0

    async def price(self) -> str:
        return "a model at http://localhost, one call for an unknown price"

    async def run(self, case: Case) -> RunResult:
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        return RunResult(self.output)


async def test_a_slow_endpoint_shows_that_it_is_at_work_and_esc_stops_it(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        trial = SlowTrial()
        screen(app).trial = trial
        await pilot.press("r")
        await until(pilot, lambda: "Run the text on refund-after-30-days?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Running the text on refund-after-30-days …" in text_of(app))
        assert "esc stops it" in text_of(app)
        await pilot.press("g", "down", "enter", "escape")
        await until(pilot, lambda: trial.given_up == 1 and app.screen is screen(app))
        assert not screen(app).unsaved, "keys pressed meanwhile meant nothing"


@MANY_KEYS
async def test_what_came_out_is_read_whole_before_it_is_taken_and_u_takes_it_back(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        trial = SlowTrial(output="\n".join(f"line {number}" for number in range(60)) + "\nthe very end")
        trial.gate.set()
        screen(app).trial = trial
        await pilot.press("g", "r")
        await until(pilot, lambda: "for an unknown price" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "space reads on" in text_of(app))
        await pilot.press(*["space"] * 12)
        await until(pilot, lambda: "the very end" in text_of(app))
        await pilot.press("down", "enter", "t", *"late", "enter")
        await until(pilot, lambda: "late" in "".join(case(app, "refund-after-30-days").tags))
        await pilot.press("u")
        assert str(case(app, "refund-after-30-days").observed).endswith("the very end")
        await pilot.press("u")
        assert case(app, "refund-after-30-days").observed == "billing"
        assert case(app, "refund-after-30-days").kind == "guard", "what came before it stays"
        await pilot.press("U", "U")
        assert case(app, "refund-after-30-days").tags == ("returns", "moneylate")


@MANY_KEYS
async def test_a_failure_is_recorded_from_a_run_of_the_text_on_an_input(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, path):
        trial = SlowTrial()
        trial.gate.set()
        screen(app).trial = trial
        await pilot.press("n", *"Wet", "tab", *"returns", "ctrl+r")
        await until(pilot, lambda: "Run the text on wet?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "What came out of wet:" in text_of(app))
        await pilot.press("down", "enter", "ctrl+s")
        await until(pilot, lambda: len(load_evalset(path).evalset.cases) == 13)
        new = load_evalset(path).evalset.cases[-1]
        assert (new.id, new.input, new.expected, new.observed) == ("wet", "Wet", "returns", "shipping")


@MANY_KEYS
async def test_saving_twice_and_leaving_behind_it_loses_nothing(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, path):
        shown = screen(app)
        await pilot.press("g")
        shown.action_save()
        shown.edit("password", kind="guard")
        left: list[str] = []
        shown._save(lambda: left.append("left"))
        await until(pilot, lambda: left == ["left"])
        assert [one.kind for one in load_evalset(path).evalset.cases[:4]] == ["guard", "guard", "failure", "guard"]


@MANY_KEYS
async def test_a_case_stays_listed_while_a_person_works_on_it(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        await pilot.press("f", *["down"] * 4, "enter")
        await until(pilot, lambda: "1 case of 12: guards" in text_of(app))
        await pilot.press("g", "g", "g")
        assert case(app, "invoice-copy").kind == "failure" and "─invoice-copy─" in text_of(app)
        assert sum(one.kind == "guard" for one in screen(app).board.cases) == 0  # type: ignore[union-attr]
        await pilot.press("escape", "end", "down", *["down"] * 11, "f", *["down"] * 3, "enter", "u")
        await until(pilot, lambda: case(app, "invoice-copy").kind == "guard")


@MANY_KEYS
async def test_the_filter_menu_has_findings_and_words_and_says_what_holds(tmp_path: Path) -> None:
    twice = (*MORE, ("wet-too", "My parcel arrived soaked.", "shipping", "returns"))
    text = evalset_text(twice).replace("id: wet-too", "id: wet-too\n    split: holdout")
    text = text.replace("id: parcel-wet", "id: parcel-wet\n    split: selection")
    async with builder(tmp_path, text) as (app, pilot, _):
        names = [name for name, _ in screen(app).board.facets]  # type: ignore[union-attr]
        assert "leaks: alike on both sides (2)" in names
        place = names.index("leaks: alike on both sides (2)")
        await pilot.press("f", *["down"] * (place + 3), "enter")
        await until(pilot, lambda: "2 cases of 13: leaks: alike on both sides  (esc lists all)" in text_of(app))
        await pilot.press("f", "down", "down", "enter", *"soaked", "enter")
        await until(pilot, lambda: "leaks: alike on both sides, with “soaked”" in text_of(app))
        await pilot.press("f")
        await until(pilot, lambda: "Now: leaks" in text_of(app))


def test_every_finding_has_a_name_in_the_filter() -> None:
    assert {mark.word for mark in LOOKS.values()} == set(LOOK_NAMES)


@MANY_KEYS
async def test_a_change_of_a_case_that_a_run_holds_out_by_now_is_neither_taken_back_nor_made(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        board = screen(app).board
        assert board is not None
        await pilot.press("g", "t", *"x")
        board.held = held_by(held("refund-after-30-days"))
        await pilot.press("enter", "u")
        assert case(app, "refund-after-30-days").kind == "guard"
        assert case(app, "refund-after-30-days").tags == ("returns", "money")
        await until(pilot, lambda: text_of(app).count("hidden while triage is open") >= 1)


async def test_the_footer_holds_the_keys_that_matter_and_nothing_that_does_nothing(tmp_path: Path) -> None:
    async with builder(tmp_path) as (app, pilot, _):
        await pilot.press("g")
        await until(pilot, lambda: "^s Save" in text_of(app))
        footer = text_of(app).splitlines()[-1]
        for key in ("enter Open", "n New", "r Run", "^s Save", "u Undo", "/ Find", "f Filter", "esc Back", "? Help"):
            assert key in footer
        await pilot.press("slash")
        await until(pilot, lambda: "enter goes to the list" in text_of(app))
        assert text_of(app).splitlines()[-1].split() == ["esc", "Back"]
        await pilot.press("escape", "question_mark")
        await until(pilot, lambda: "Keys" in text_of(app))
        for command in list(commands_of("evalset"))[:12]:
            assert command.explanation in text_of(app), "this screen's keys stand first"


TEXTS = {
    "cjk": "荷物がまだ届いていません。" * 12,
    "arabic": "لم يصل الطرد بعد. " * 15,
    "unbroken": "x" * 300 + "END",
    "table": "| a | b |\n|---|---|\n" + "\n".join(f"| row {n} | [bold]{n}[/bold] |" for n in range(3)),
    "tabs": "one\ttwo\tthree",
    "ansi": "\x1b[31mred\x1b[0m [/x] \\[y] [@click=app.quit]z[/]",
}


@MANY_KEYS
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_texts_of_every_kind_are_shown_whole_and_literally(tmp_path: Path, size: tuple[int, int]) -> None:
    set_of = "name: t\ncases:\n" + "".join(
        f"  - {{id: {name}, input: {json_of(text)}, expected: y}}\n" for name, text in TEXTS.items()
    )
    async with builder(tmp_path, set_of, size=size) as (app, pilot, _):
        for name, text in TEXTS.items():
            detail = app.screen.query_one("#texts")
            await until(pilot, lambda name=name: f"─{name}─" in text_of(app))
            shown = detail.render().plain  # type: ignore[attr-defined]
            assert max(map(cells, shown.split("\n"))) <= detail.size.width
            beside = detail.size.width >= SIDE_BY_SIDE_FROM
            column = (detail.size.width - 3 * GAP) // 4
            whole = "".join(leading(line, column) if beside else line[12:] for line in shown.split("\n"))
            wanted = text.replace("\t", "␉").replace("\x1b", "␛")
            assert squeezed(wanted) in squeezed(whole), name
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, EvalSetCaseScreen))
            area = app.screen.query_one("#input", TextArea)
            assert squeezed(area.text) in (squeezed(text), squeezed(wanted))
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, EvalSetScreen))
            assert not screen(app).unsaved
            await pilot.press("down")


def json_of(text: str) -> str:
    return json.dumps(text)


def cells(line: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in line)


def leading(line: str, width: int) -> str:
    """What of a line stands in its first cells."""
    ends = accumulate(cells(letter) for letter in line)
    return "".join(letter for letter, end in zip(line, ends, strict=True) if end <= width)


def squeezed(text: str) -> str:
    return "".join(text.split())
