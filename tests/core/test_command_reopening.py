"""A run that a command measures, ended by a limit, goes on once that limit is raised, and only then."""

from __future__ import annotations

from dataclasses import replace

import pytest
from command_world import SPEC, TERMS, Idea, World

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.plan.reopening import reopens
from ceopt_tui.core.plan.terms import Terms
from schemas.records import CallFacts, CallFinished, CallStarted, Reopened, Stopped

ONE = replace(TERMS, max_iterations=1)


def test_a_raised_limit_takes_the_run_up_again_and_the_gain_is_measured_once_more() -> None:
    world = World([Idea(ms=80), Idea(ms=50)], terms=ONE)
    world.run()
    assert world.state.stopped and world.state.stopped.outcome == "max_iterations" and world.state.gain
    assert reopens(world.state, ONE, 0, 0) is None
    world.terms = replace(ONE, max_iterations=2)
    reason = reopens(world.state, world.terms, 0, 0)
    assert reason == "what ended the run (the number of experiments) no longer holds"
    world.note(Reopened(reason=reason))
    world.run()
    assert [keep.number for keep in world.state.keeps] == [1, 2]
    assert world.state.finished and world.state.gain and (world.state.gain.before, world.state.gain.after) == (100, 50)


def test_a_target_that_is_met_ends_the_run_until_it_is_a_harder_one() -> None:
    def aiming_at(target: float) -> Terms:
        metric = {**SPEC["metric"], "primary": {**SPEC["metric"]["primary"], "target": target}}
        assert TERMS.command is not None
        return replace(TERMS, command=replace(TERMS.command, spec={**SPEC, "metric": metric}))

    world = World([Idea(ms=80), Idea(ms=50)], terms=aiming_at(85))
    world.run()
    assert world.state.stopped and world.state.stopped.outcome == "target_reached"
    assert reopens(world.state, aiming_at(85), 0, 0) is None
    assert reopens(world.state, aiming_at(60), 0, 0) is not None


def test_a_batch_that_was_cut_off_while_it_began_is_begun_to_the_end() -> None:
    assert TERMS.command is not None
    terms = replace(TERMS, command=replace(TERMS.command, batch=3))
    whole = World([Idea(ms=80), Idea(ms=50), Idea(ms=70)], terms=terms)
    whole.run()
    cut = World(whole.ideas, terms=terms, approved=False, rounds=0)
    first = next(place for place, record in enumerate(whole.records) if record.kind == "experiment_started")
    cut.note(*whole.records[1 : first + 1])
    cut.run()
    assert {one.started.batch for one in cut.state.experiments.values()} == {1}
    assert [one.outcome for one in cut.state.experiments.values()] == [
        one.outcome for one in whole.state.experiments.values()
    ]


def test_a_comparison_that_a_kill_cut_off_from_its_verdict_counts_once() -> None:
    whole = World([Idea(ms=80)])
    whole.run()
    cut = World(whole.ideas, approved=False, rounds=0)
    place = next(place for place, record in enumerate(whole.records) if record.kind == "compared")
    cut.note(*whole.records[1 : place + 1])
    cut.run()
    assert len(cut.state.experiments[1].comparisons) == len(whole.state.experiments[1].comparisons)
    assert [keep.number for keep in cut.state.keeps] == [1]


@pytest.mark.parametrize(
    ("caps", "goes_on"),
    [(Caps(calls=2), False), (Caps(calls=3), True), (Caps(usd=0.6), False), (Caps(usd=0.7), True)],
)
def test_a_run_without_money_goes_on_with_room_for_another_edit(caps: Caps, goes_on: bool) -> None:
    world = World([Idea(ms=80)], terms=ONE)
    world.run()
    for name in ("a", "b"):
        spent = CallFacts(role="proposer", model="m", call_id=name, input_tokens=1, output_tokens=1, usd=0.2)
        world.note(CallStarted(call_id=name, role="proposer", usd_reserved=0.3), CallFinished(facts=spent))
    world.state.stopped = Stopped(outcome="budget", reason="the cap")
    assert (reopens(world.state, replace(TERMS, budget=caps), 0, 0) is not None) is goes_on
