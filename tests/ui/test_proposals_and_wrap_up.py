"""Stories of what waits for a person: a change parked overnight, what ideas rely on, and what comes of a run's end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeClock, FakeProposer, terms
from pictures import check_picture
from stage import Stage, on_stage, text_of, until
from world import World, helps

from ceopt_tui.core.ports import Brief, HypothesisDraft
from ceopt_tui.looking import read_state


def breaks_one(text: str, case: Any, sample: int) -> str:
    """The text that helps also breaks a case that always passed."""
    return "broken" if case.id == "c00" and "be exact" in text else helps("be exact")(text, case, sample)


async def overnight(folder: Path) -> Stage:
    """Nobody was there; in the morning a person opens the app."""
    world = World(folder / "triage", breaks_one, clock=FakeClock())
    await world.tick()
    world.terms = terms(attended=True)
    return Stage(folder, world)


async def test_a_change_parked_overnight_is_accepted_in_the_morning(tmp_path: Path) -> None:
    stage = await overnight(tmp_path)
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "? needs you" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "1 proposal waits for a person: exp-001" in text_of(app))
        check_picture(app, "run-with-proposal")
        await pilot.press("a")
        await until(pilot, lambda: "Accept this change?" in text_of(app))
        check_picture(app, "proposal-question")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "What now?" in text_of(app))
        await pilot.press("down", "enter")
        await until(pilot, lambda: "✓ improved" in text_of(app) and app.working is None)
        assert "exp-001     ✓ kept" in text_of(app), "its row follows the decision"
    state = read_state(stage.world.folder)
    assert [keep.number for keep in state.keeps] == [1] and state.experiments[1].outcome == "kept"
    assert stage.world.backend.applied == [{"prompt.md": "Answer.\nbe exact\n"}]


@pytest.mark.exhaustive
async def test_refused_it_takes_a_reason_and_later_it_waits_on(tmp_path: Path) -> None:
    stage = await overnight(tmp_path)
    async with on_stage(stage, first=stage.entries()[0]) as (app, pilot):
        await until(pilot, lambda: "Accept this change?" in text_of(app))
        await pilot.press("down", "down", "down", "enter")  # later
        await until(pilot, lambda: app.working is None and "? needs you" in text_of(app))
        await pilot.press("a")
        await until(pilot, lambda: "Accept this change?" in text_of(app))
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: "Why not?" in text_of(app))
        await pilot.press(*"breaks c00", "enter")
        await until(pilot, lambda: app.working is None and "✗ reverted" in text_of(app))
    settled = read_state(stage.world.folder).waiting.settled[1]
    assert (settled.decision, settled.reason) == ("refused", "refused by a person: breaks c00")


def half_way(text: str, case: Any, sample: int) -> str:
    """The text that helps leaves a third of the cases."""
    number = int(case.id[1:])
    return f"answer {number}" if number % 3 < ("be exact" in text) + 1 else "no"


async def test_a_finished_run_is_taken_further_written_up_and_applied(tmp_path: Path) -> None:
    world = World(tmp_path / "triage", half_way, lines=("be exact", "be kind"), count=36, held_out=18)
    world.terms = terms(max_iterations=1)
    world.clock = FakeClock()
    await world.tick()
    world.terms = terms(max_iterations=1, attended=True)
    stage = Stage(tmp_path, world)
    async with on_stage(stage) as (app, pilot):
        await until(pilot, lambda: "✓ improved" in text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: "w what now" in text_of(app))
        await pilot.press("w")
        await until(pilot, lambda: "What now?" in text_of(app))
        check_picture(app, "wrap-up-continue")
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: "# fake: say: be exact" in text_of(app))
        check_picture(app, "pull-request")
        await pilot.press("escape")
        await until(pilot, lambda: app.working is None and "What now" in text_of(app))
        await pilot.press("w")
        await until(pilot, lambda: "continue: 5 more experiments" in text_of(app))
        await pilot.press("down", "down", "down", "enter")
        await until(pilot, lambda: "1 kept, 1 reverted" in text_of(app) and "What now?" in text_of(app))
        await pilot.press("down", "down", "down", "enter")
        await until(pilot, lambda: app.working is None and "✓ finished" in text_of(app))
    assert (stage.world.folder / "pull-request.md").is_file()
    state = read_state(stage.world.folder)
    assert state.raised == {"max_iterations": 5.0} and state.stopped is not None


class Needy(FakeProposer):
    """Its ideas rely on packages."""

    async def hypotheses(self, brief: Brief, wanted: int) -> Sequence[HypothesisDraft]:
        drafts = await super().hypotheses(brief, wanted)
        return [replace(draft, required_deps=(f"lib-{place}",)) for place, draft in enumerate(drafts, 1)]


@pytest.mark.exhaustive
async def test_what_ideas_rely_on_is_approved_in_bulk(tmp_path: Path) -> None:
    world = World(tmp_path / "triage", helps("be exact"), lines=("be kind", "be exact"), clock=FakeClock())
    world.terms, world.proposer = terms(attended=True), Needy(("be kind", "be exact"))
    stage = Stage(tmp_path, world)
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        for question in ("Start measuring?", "Start optimizing?"):
            await until(pilot, lambda question=question: question in text_of(app))
            await pilot.press("down", "enter")
        await until(pilot, lambda: "What may ideas rely on?" in text_of(app))
        check_picture(app, "dependencies")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "Keep this change?" in text_of(app))
    assert read_state(world.folder).waiting.approved == {"lib-1", "lib-2"}
