"""A judged run cut after any record ends as if nothing had happened, and nobody is paid twice for what is on record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeBackend
from judged_world import FakeJudge, JudgedWorld, Person, judged_terms, own_taste, same_note
from test_resume import Power, branch_after, copied, ending, next_action

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.judging_ports import OutputToJudge, OutputVerdict
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.errors import BudgetError
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import replay
from schemas.records import AnyRecord

pytestmark = pytest.mark.exhaustive

SMALL = {"lines": ("be kind", "be exact"), "count": 12, "held_out": 6}
TERMS: dict[str, Any] = {"waived": "", "attended": True}


def hard(output: OutputToJudge) -> bool:
    return output.case.id in {"c02", "c05"} and "0 worth" in output.output


def plain() -> dict[str, Any]:
    return {**SMALL, "terms": judged_terms(12)}


def with_unscored() -> dict[str, Any]:
    return {**plain(), "judge": FakeJudge(unscored=hard)}


def repeating() -> dict[str, Any]:
    return {**plain(), "answer": same_note}


def wavering() -> dict[str, Any]:
    return {**plain(), "answer": same_note, "judge": FakeJudge(unsteady=True)}


def short_of_calls() -> dict[str, Any]:
    return {**plain(), "terms": judged_terms(12, budget=Caps(calls=150))}


def with_a_person() -> dict[str, Any]:
    says = {
        "spec": "proceed", "calibrate": "score some now", "calibrated-1": "score 10 more", "calibrated-2": "go on",
        "baseline": "proceed", "blind-1": "not now", "keep-1": "keep", "blind-2": "score blind first", "keep-2": "keep",
    }  # fmt: skip
    skin = Person(says=says, marks=own_taste)
    return {**SMALL, "terms": judged_terms(12, **TERMS), "skin": skin, "approved": False}


KNOBS = {
    "plain": plain,
    "with unscored outputs": with_unscored,
    "outputs that repeat": repeating,
    "a judge that wavers": wavering,
    "out of budget": short_of_calls,
    "with a person": with_a_person,
}


def judged_ending(world: JudgedWorld) -> dict[str, Any]:
    """What a judged run came to, over and above any other."""
    judging, end = world.state.judging, ending(world)
    # After a cut in a pool of runs the outputs that are in are judged first: other replies, a little other cost.
    report = re.sub(r"## Cost by role.*?(?=## )", "", end["report"] or "", flags=re.S)
    return {
        **end,
        "report": report,
        "flips": judging.flips,
        "again": sorted(judging.again),
        "themes": [(one.text_digest, one.themes, one.unexplained) for one in judging.groupings],
        "people": [(one.number, one.figures, one.confirms) for one in judging.people.values()],
        "final people": world.state.gain and world.state.gain.people,
        "marks": {name: sorted(given) for name, given in judging.sheets.items()},
        "sheets": [(one.sheet, one.outcome) for one in judging.closed_sheets.values()],
        "shift": [
            (one.closed.on_theme, one.closed.on_rest, one.closed.length_ratio)
            for one in world.state.experiments.values()
            if one.closed
        ],
    }


def judged_places(records: Sequence[AnyRecord]) -> Counter[Any]:
    return Counter(
        (record.again, one.text_digest, one.case_id, one.sample)
        for record in records
        if record.kind == "judged"
        for one in record.verdicts
    )


def cuts(records: Sequence[AnyRecord], attended: bool) -> list[int]:
    """Every place to cut a journal; within a pool of case runs and a sheet some of them."""
    first = 5 if attended else 3  # the identity of a run is drawn, so it has to be on record
    every = {"case_run": 13, "person_scored": 4}
    return [place for place in range(first, len(records)) if place % every.get(records[place - 1].kind, 1) == 0]


@pytest.mark.parametrize("name", KNOBS)
async def test_a_judged_run_cut_after_any_record_ends_the_same(name: str, tmp_path: Path) -> None:
    whole = JudgedWorld(tmp_path / "whole", **KNOBS[name]())
    await whole.tick()
    expected, records = judged_ending(whole), replay(whole.folder / JOURNAL_NAME).records
    assert whole.state.finished is not None and whole.state.stopped is not None
    assert (whole.state.stopped.outcome == "budget") is (name == "out of budget")
    begun = next(place for place, record in enumerate(records) if record.kind == "run_started") + 1
    for length in cuts(records, attended=not whole.approved):
        if length < begun:
            continue
        folder = tmp_path / str(length)
        copied(records[:length], folder)
        again = JudgedWorld(folder, **KNOBS[name](), backend=branch_after(records[:length], whole))
        await again.tick()
        where = f"cut after record {length}, {records[length - 1].kind}"
        assert judged_ending(again) == expected, where
        after = replay(folder / JOURNAL_NAME).records
        runs = Counter((one.text_digest, one.case_id, one.sample) for one in after if one.kind == "case_run")
        assert set(runs.values()) == {1}, where
        assert set(judged_places(after).values()) == {1}, where
        paid_before = sum(one.kind == "case_run" for one in records[:length])
        assert len(again.runner.calls) == sum(runs.values()) - paid_before, where
        known = judged_places(records[:length]).total()
        assert len(again.judge.asked) == judged_places(after).total() - known, where


async def test_a_replayed_state_of_a_judged_run_is_the_live_one(tmp_path: Path) -> None:
    for name, knobs in KNOBS.items():
        world = JudgedWorld(tmp_path / name, **knobs())
        await world.tick()
        assert fold(replay(world.folder / JOURNAL_NAME).records) == world.state
        state = RunState()
        for record in replay(world.folder / JOURNAL_NAME).records:
            fold([record], state)
            next_action(state, world.terms)  # asking what comes next changes nothing
        assert state == world.state


@dataclass
class DyingJudge(FakeJudge):
    """Its process ends after so many replies, the last of them given and on nobody's record."""

    left: int = 6

    def _reply(self, outputs: Any, sample: int, fresh: bool) -> Any:
        reply = super()._reply(outputs, sample, fresh)
        self.left -= 1
        if self.left == 0:
            raise Power
        return reply


@pytest.mark.parametrize("keeps_verdicts", [False, True])
async def test_a_kill_between_a_reply_and_its_record_costs_that_reply_at_most(
    keeps_verdicts: bool, tmp_path: Path
) -> None:
    whole = JudgedWorld(tmp_path / "whole", **plain())
    await whole.tick()
    store: dict[tuple[str, str, int], OutputVerdict] | None = {} if keeps_verdicts else None
    backend, kills, asked, runs = FakeBackend(), 0, Counter[Any](), Counter[Any]()
    while True:
        judge = DyingJudge(store=store)
        world = JudgedWorld(tmp_path / "killed", **{**plain(), "judge": judge}, backend=backend)
        try:
            await world.tick()
        except Power:
            kills += 1
            continue
        finally:
            asked.update(judge.asked)
            runs.update(world.runner.calls)
        break
    assert kills >= 5
    assert judged_ending(world) == judged_ending(whole)
    assert set(runs.values()) == {1}
    paid_twice = {entry: count for entry, count in asked.items() if count > 1}
    if keeps_verdicts:
        assert all(fresh for *_, fresh in paid_twice)  # a fresh verdict is a question of its own
    else:
        in_flight = 4 * judge.batch  # four samples of every output are asked about side by side
        assert sum(count - 1 for count in paid_twice.values()) <= kills * in_flight


async def test_a_raised_cap_goes_on_with_the_outputs_that_wait(tmp_path: Path) -> None:
    for first in (3, 15, 22):
        short = JudgedWorld(tmp_path / str(first), **plain())
        short.judge = FakeJudge(replies=lambda n, first=first: BudgetError("the cap") if n >= first else None)
        await short.tick()
        raised = JudgedWorld(short.folder, **plain(), backend=short.backend)
        raised.terms = judged_terms(12, budget=Caps(4000))
        await raised.tick()
        assert raised.state.finished is not None
        both = Counter(short.runner.calls) + Counter(raised.runner.calls)
        assert set(both.values()) == {1}
        judged = replay(short.folder / JOURNAL_NAME).records
        assert set(judged_places(judged).values()) == {1}
