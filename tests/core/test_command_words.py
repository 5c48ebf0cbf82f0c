"""A run measured by a command in words: figures without a scale, and what is not sure is said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from command_world import TERMS, Idea, World, command, spec_with

from ceopt_tui.core.command_ports import Made, Printed
from ceopt_tui.core.command_words import command_outcome, command_proof, command_score, figure
from ceopt_tui.core.describe import outcome_sentence
from ceopt_tui.core.reading_ports import Reading
from schemas.records import Stopped


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.123456, "0.12346"), (7970, "7970"), (12345.6, "12,346"), (-20000, "-20,000"), (3985.5, "3985.5")],
)
def test_a_figure_has_five_digits_at_most(value: float, shown: str) -> None:
    assert figure(value) == shown


def test_a_run_that_goes_on_has_no_outcome() -> None:
    world = World([])
    assert command_outcome(world.state) == "The run has not ended."
    assert command_score(world.state) == "not measured yet"


def test_one_sample_of_each_side_shows_no_spread() -> None:
    state = World([Idea(ms=50)]).run()
    words = "measured afresh, 1 sample of each side: 100 → 50, better by 50; one sample shows no spread"
    assert command_outcome(state) == outcome_sentence(state, 0.0) == words == command_proof(state)
    assert command_score(state) == "100 at first, 50 now, measured afresh"


def test_several_samples_give_an_interval() -> None:
    state = World([Idea(ms=50)], terms=command(repeats=3, mode="repeat", spec=spec_with(mode="repeat"))).run()
    words = "measured afresh, 3 samples of each side: 100 → 50, better by 50 (90% interval +50 to +50)"
    assert command_outcome(state) == words


def test_a_gain_that_did_not_come_back_is_not_clearly_better() -> None:
    world = World([Idea(ms=50, at_last_ms=100)], terms=command(repeats=3, mode="repeat", spec=spec_with(mode="repeat")))
    assert command_outcome(world.run()).endswith("not clearly better: the interval holds 0")


def test_a_change_that_could_not_be_compared_once_more_is_kept_and_said_so() -> None:
    state = World([Idea(ms=50)], broken={"base:report": "error"}).run()
    reason = "first and last state were not compared once more: measuring it failed: it said error"
    assert command_outcome(state) == f"1 change kept; {reason}."


def test_nothing_kept_nothing_tried_nothing_measured() -> None:
    assert command_outcome(World([Idea(ms=150)]).run()) == (
        "No change is kept: none of 1 experiment was better for sure."
    )
    assert command_outcome(World([]).run()) == "No change was tried."
    world = World([])
    world.note(Stopped(outcome="person", reason="you ended the run"))
    assert command_outcome(world.state) == "Nothing was measured."


def test_where_a_run_stands_on_the_way() -> None:
    world = World([Idea(ms=50), Idea(ms=60)], terms=replace(TERMS, reader=False))
    state = world.run()
    assert command_score(state) == "100 at first, 1 sample; no change kept"
    assert command_proof(state) == "2 changes wait for you to read them: exp-001, exp-002"
    kept = World([Idea(ms=50)], broken={"base:report": "error"}).run()
    assert command_score(kept) == "100 at first, 1 sample; 1 change kept since"
    assert command_proof(kept).startswith("a change is kept only if")


def test_what_gave_no_numbers_has_none() -> None:
    assert not Printed("error", message="it said no").values
    assert Made("c1", ("a",)).facts == ()
    assert not Reading(unusable="prose").reverted
