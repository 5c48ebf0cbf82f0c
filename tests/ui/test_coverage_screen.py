"""The coverage map in the app: read, walked through, filtered, searched, measured; never shown before it may be."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from coverage_maps import COVERED, HARMFUL, NEEDED, UNCOVERED, WHOLE, coverage, rule, seen
from histories import FOREIGN
from pictures import check_picture
from stage import Stage, on_stage, text_of, until
from textual.pilot import Pilot

from ceopt_tui.core.visible import visible
from ceopt_tui.errors import BusyError, StorageError
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.coverage_map import MapFilter, cell_facts, map_rows, summary_text
from ceopt_tui.ui.coverage_map_source import FoundMap, Progress
from ceopt_tui.ui.screens.coverage import CoverageScreen
from ceopt_tui.ui.screens.run import RunScreen
from ceopt_tui.ui.widgets.coverage_grid import CoverageGrid
from schemas.coverage import Coverage

TRIAGE = (
    "refund-after-30-days", "parcel-wet", "two-charges", "wrong-size", "courier", "vat", "late", "password",
    "delete-me", "broken", "gift-card", "cjk-荷物",
)  # fmt: skip


def triage() -> Coverage:
    """A map as a small project has it."""

    def cells(**moved: str) -> dict[str, object]:
        effects = {name.replace("_", "-"): effect for name, effect in moved.items()}
        return {
            case: seen(effects.get(case, "same"), {"loses": -1.0, "wins": 1.0}.get(effects.get(case, ""), 0.0))
            for case in TRIAGE
        }

    rules = (
        rule(3, "covered", text="Answer with one queue: billing, shipping, returns or account.", mean=-0.17, z=-3.1,
             cases=cells(parcel_wet="loses", late="loses"), why="2 cases lost without it"),
        rule(4, "covered", text="Money that is to come back is returns, not billing.", mean=-0.17, z=-2.9,
             cases=cells(refund_after_30_days="loses", wrong_size="loses"), why="2 cases lost without it"),
        rule(5, "uncovered", text="Never promise a date.", mean=0.0, z=0.0, cases=cells(), why="no case moves",
             idea="A case whose good answer shows: Never promise a date."),
        rule(6, "harmful", text="Every mention of a card is billing.", mean=0.08, z=3.0, cases=cells(gift_card="wins"),
             why="1 case won without it"),
        rule(7, "contradicted", text="What came by post is shipping.", mean=0.0, z=0.0,
             cases=cells(courier="loses", broken="wins"), why="1 case lost without it, 1 case won"),
        rule(9, "needed", text="The message: {message}", why="a placeholder stands in it"),
    )  # fmt: skip
    whole = dict.fromkeys(TRIAGE, (1.0, 1.0, 1.0, 1.0))
    given = [
        one.model_copy(
            update={
                "cases": {
                    case: cell.model_copy(update={"scores": (0.0,) * 4 if cell.effect == "loses" else (1.0,) * 4})
                    for case, cell in one.cases.items()
                }
            }
        )
        for one in rules
    ]
    return coverage(*given, cases=TRIAGE, deterministic=False, runs_without=4, bar=2.66, whole=whole)


@dataclass
class Maps:
    """What the screen reads and measures, from memory."""

    found: list[FoundMap | Exception]
    fault: Exception | None = None
    measured: int = 0
    steps: list[tuple[str, int, int]] = field(default_factory=lambda: [("the text without each rule", 20, 48)])

    def read(self) -> FoundMap:
        found = self.found[min(self.measured, len(self.found) - 1)]
        if isinstance(found, Exception):
            raise found
        return found

    async def price(self) -> list[str]:
        if self.fault is not None:
            raise self.fault
        return ["Coverage   6 rules of p.md", "Plan       48 to 240 calls", "           0.02 to 0.10 USD"]

    async def measure(self, progress: Progress) -> None:
        for step in self.steps:
            progress(*step)
        self.measured += 1


@asynccontextmanager
async def opened(
    folder: Path, maps: Maps, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[CeoptApp, Pilot[int]]]:
    async with on_stage(Stage(folder), size=size) as (app, pilot):
        await app.push_screen(CoverageScreen("triage", maps))
        await until(pilot, lambda: "Reading the map" not in text_of(app) and "reading the map" not in text_of(app))
        yield app, pilot


def one(found: Coverage | None = None, *, current: bool | None = True, hidden: bool = False) -> Maps:
    return Maps([FoundMap(found or triage(), current, hidden=hidden)])


@pytest.mark.parametrize(("size", "name"), [((80, 24), "coverage"), ((120, 40), "coverage-wide")])
async def test_the_map_is_walked_through_cell_by_cell(tmp_path: Path, size: tuple[int, int], name: str) -> None:
    async with opened(tmp_path, one(), size) as (app, pilot):
        await until(pilot, lambda: "✓ covered" in text_of(app))
        shown = text_of(app)
        assert all(
            words in shown for words in ("~ uncovered", "✗ harmful", "! contradicted", "= needed", "6 rules, 12")
        )
        await pilot.press("down")
        await until(pilot, lambda: "passed in 4 of 4 with it, in 0 of 4 without" in " ".join(text_of(app).split()))
        assert "refund-after-30-days: lost without the rule" in " ".join(text_of(app).split())
        await until(pilot, lambda: "f Filter" in text_of(app))
        check_picture(app, name)
        await pilot.press("n")
        await until(pilot, lambda: "case 4: wrong-size" in text_of(app))
        await pilot.press("end", "h")
        await until(pilot, lambda: "case 11: gift-card" in text_of(app))
        await pilot.press("j")
        await until(pilot, lambda: "A case whose good answer shows" in text_of(app))


@pytest.mark.exhaustive
async def test_rules_are_filtered_by_state_and_found_by_words(tmp_path: Path) -> None:
    async with opened(tmp_path, one()) as (app, pilot):
        await until(pilot, lambda: "✓ covered" in text_of(app))
        await pilot.press("f", "down", "down", "down", "enter")
        await until(pilot, lambda: "1 rule: uncovered" in text_of(app) and "harmful" not in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "✗ harmful" in text_of(app))
        await pilot.press("slash", *"gift")
        await until(pilot, lambda: "1 rule: with “gift”" in text_of(app) and "mention of a card" in text_of(app))
        await pilot.press("enter", "slash", *"xyz")
        await until(pilot, lambda: "0 rules" in text_of(app) and "No rule" in text_of(app))
        await pilot.press("n", "escape")
        await until(pilot, lambda: "✓ covered" in text_of(app) and isinstance(app.screen, CoverageScreen))
        await pilot.press("p")
        await until(pilot, lambda: "Cases that would guard the others" in text_of(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: not isinstance(app.screen, CoverageScreen))


async def test_without_a_map_it_teaches_shows_the_price_and_measures(tmp_path: Path) -> None:
    maps = Maps([FoundMap(None), FoundMap(triage(), True)])
    async with opened(tmp_path, maps) as (app, pilot):
        await until(pilot, lambda: "No coverage map of this text yet" in text_of(app))
        assert "ceopt coverage SPEC" in text_of(app) and "Filter" not in text_of(app)
        await until(pilot, lambda: "m Measure" in text_of(app))
        check_picture(app, "coverage-none")
        await pilot.press("m")
        await until(pilot, lambda: "0.02 to 0.10 USD" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "No coverage map" in text_of(app))
        assert maps.measured == 0
        await pilot.press("m")
        await until(pilot, lambda: "0.02 to 0.10 USD" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "✓ covered" in text_of(app))
        assert maps.measured == 1


async def test_a_map_of_another_text_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path, one(current=False)) as (app, pilot):
        await until(pilot, lambda: "of another text or other cases" in text_of(app))
    async with opened(tmp_path / "gone", one(current=None)) as (app, pilot):
        await until(pilot, lambda: "unknown whether this is still the text" in text_of(app))


async def test_a_map_that_tells_a_judges_scores_waits_for_the_person(tmp_path: Path) -> None:
    async with opened(tmp_path, one(hidden=True)) as (app, pilot):
        await until(pilot, lambda: "hidden until you have scored" in text_of(app))
        assert "refund" not in text_of(app) and "Measure" not in text_of(app)


async def test_faults_are_said_and_nothing_is_lost(tmp_path: Path) -> None:
    async with opened(tmp_path, Maps([StorageError("coverage.json is [/damaged")])) as (app, pilot):
        await until(pilot, lambda: "coverage.json is [/damaged" in text_of(app))
    maps = one()
    maps.fault = BusyError("the run is [at work]")
    async with opened(tmp_path / "busy", maps) as (app, pilot):
        await until(pilot, lambda: "✓ covered" in text_of(app))
        await pilot.press("m")
        await until(pilot, lambda: "the run is [at work]" in text_of(app))
        assert "✓ covered" in text_of(app)


async def test_foreign_text_in_rules_and_cases_is_literal(tmp_path: Path) -> None:
    rules = [rule(number, "uncovered", text=text, cases={"[/]": seen("same")}) for number, text in enumerate(FOREIGN)]
    async with opened(tmp_path, one(coverage(*rules, cases=("[/]",))), (140, 40)) as (app, pilot):
        await until(pilot, lambda: "case 1: [/]" in text_of(app))
        short = [visible(text) for text in FOREIGN if len(text) < 40 and "\n" not in text]
        assert [text for text in short if text not in text_of(app)] == []


@pytest.mark.exhaustive
async def test_a_large_map_scrolls_both_ways_and_draws_only_what_is_in_sight(tmp_path: Path) -> None:
    cases = tuple(f"case-{number:03d}" for number in range(1, 301))
    rules = [rule(number, "uncovered", cases={case: seen("same") for case in cases}) for number in range(1, 201)]
    rules[150] = rule(151, "covered", cases={**rules[150].cases, "case-299": seen("loses", -1.0)})
    async with opened(tmp_path, one(coverage(*rules, cases=cases))) as (app, pilot):
        await until(pilot, lambda: "200 rules, 300 cases" in text_of(app))
        grid = app.screen.query_one(CoverageGrid)
        assert len(grid._rows) == 200 and len(text_of(app).split("\n")) == 24
        await pilot.press("end", *["pagedown"] * 40)
        await until(pilot, lambda: "line 200, case 300: case-300" in text_of(app) and "▶ ~ uncovered" in text_of(app))
        assert "▼" in text_of(app)
        await pilot.press("slash", *"299", "enter", "home", "n")
        await until(pilot, lambda: "line 151, case 299: case-299" in text_of(app) and "▼" in text_of(app))
        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: "▼" in text_of(app) and "case 299" in text_of(app))


@pytest.mark.exhaustive
async def test_the_run_screen_and_the_list_open_the_map(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    async with on_stage(stage) as (app, pilot):
        app.map_of = lambda options, folder: one()
        await until(pilot, lambda: "+ new" in text_of(app))
        await pilot.press("m")
        await until(pilot, lambda: "Coverage of triage" in text_of(app) and "✓ covered" in text_of(app))
        await pilot.press("escape", "enter")
        await until(pilot, lambda: "Start measuring?" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await pilot.press("m")
        await until(pilot, lambda: "Coverage of triage" in text_of(app) and "✓ covered" in text_of(app))


def test_a_cell_in_words_says_what_is_known_of_it() -> None:
    rows = {row.rule.rule: row for row in map_rows(WHOLE)}
    assert rows["r-1"].marks == "-.~?" and rows["r-1"].heat == ("loses", "same", "touchy", "lost")
    assert rows["r-3"].marks == "+.  " and rows["r-4"].marks == "    "
    facts = dict(cell_facts(WHOLE, rows["r-1"], "d"))
    assert facts["Case"] == "d: has no score on one side"
    assert dict(cell_facts(WHOLE, rows["r-1"], "a"))["Case"].startswith(
        "a: lost without the rule; -100 points (z = -10"
    )
    assert "Case" not in dict(cell_facts(WHOLE, rows["r-4"], "a"))
    assert dict(cell_facts(WHOLE, rows["r-2"], "a"))["Write"] == "Write one."


def test_a_judged_cell_gives_means_and_copies_are_named() -> None:
    cell = seen("loses", -1.5).model_copy(update={"scores": (2.0, 3.0)})
    judged = coverage(rule(1, "covered", cases={"a": cell}), span=4, cases=("a",), whole={"a": (4.0, 4.0)})
    ((_, _), (_, case), *_) = cell_facts(judged, map_rows(judged)[0], "a")
    assert "mean 4.00 with it, 2.50 without (2 runs and 2, copies with a blank line more included)" in case


def test_noise_that_leans_is_tinted_and_said() -> None:
    leaning = coverage(rule(1, "uncovered", cases={"a": seen("same", -0.2), "b": seen("same", 0.2)}), cases=("a", "b"))
    (row,) = map_rows(leaning)
    assert row.heat == ("worse", "better") and row.marks == ".."
    assert "leans to worse" in dict(cell_facts(leaning, row, "a"))["Case"]


def test_the_filter_takes_rules_by_state_words_and_moved_cases() -> None:
    rows = map_rows(coverage(COVERED, UNCOVERED, HARMFUL, NEEDED))
    taken = [row.rule.rule for row in rows if MapFilter("harmful").takes(row)]
    assert taken == ["r-3"]
    assert [row.rule.rule for row in rows if MapFilter(text="RULE 2").takes(row)] == ["r-2"]
    assert MapFilter("covered", " a ").words == "covered, with “a”" and MapFilter().words == ""


def test_the_cases_to_write_are_listed_with_their_rules() -> None:
    assert "- line 2: Rule 2.\n  Write one." in summary_text(WHOLE)
    assert "A case guards every rule" in summary_text(coverage(COVERED))
