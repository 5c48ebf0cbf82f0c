"""Ideas that name the part of the cost they could save: tried only where saving all of it could be kept."""

from __future__ import annotations

from dataclasses import replace

import pytest
from command_world import TERMS, Idea, World, command

from ceopt_tui.core.plan.command.locating import is_worth_trying, located, too_small


def world(*shares: str, printed: float | str | None = 1.0, expected: str = "unknown", **changes: object) -> World:
    """The first state takes 100 ms and prints `parse_ms`; each idea halves it, if it is tried."""
    ideas = [Idea(ms=50 - 10 * at, share=share, expected=expected) for at, share in enumerate(shares)]
    return World(ideas, values={"parse_ms": printed}, **changes)  # type: ignore[arg-type]


def test_one_that_could_save_too_little_is_never_tried_and_the_end_says_so() -> None:
    one = world("parse_ms")
    state = one.run()
    assert one.outcomes() == [] and state.stopped is not None and state.stopped.outcome == "no_ideas"
    assert state.stopped.reason == (
        "no executable action is left: 1 idea could save too little to be kept (idea 1: parse_ms is 1 of 100 ms)"
    )


@pytest.mark.parametrize("printed", [40.0, 100.0])
def test_one_that_could_save_enough_is_tried(printed: float) -> None:
    one = world("parse_ms", printed=printed)
    one.run()
    assert one.outcomes() == ["kept"]
    assert too_small(one.state, one.command) == ""


@pytest.mark.parametrize(
    ("share", "printed"),
    [("", 1.0), ("nowhere_ms", 1.0), ("ms", 1.0), ("parse_ms", "fast"), ("parse_ms", -1.0), ("parse_ms", 300.0),
     ("parse_ms", None)],
)  # fmt: skip
def test_what_cannot_be_located_is_tried(share: str, printed: float | str | None) -> None:
    one = world(share, printed=printed)
    one.run()
    assert one.outcomes() == ["kept"]


def test_a_persons_own_idea_is_tried_however_small() -> None:
    one = world("parse_ms")
    one.run()
    [idea] = one.state.hypotheses.values()
    assert not is_worth_trying(one.state, one.command, idea)
    assert is_worth_trying(one.state, one.command, idea.model_copy(update={"source": "person"}))


def test_a_metric_to_be_maximized_and_one_a_judge_gives_have_no_shares() -> None:
    one = world("parse_ms")
    one.run()
    [idea] = one.state.hypotheses.values()
    assert located(one.state, one.command, idea) == (1.0, 100.0)
    for change in ({"maximize": True}, {"judged": True}):
        assert located(one.state, replace(one.command, **change), idea) is None


def test_a_share_that_was_measured_comes_before_what_nobody_can_estimate() -> None:
    one = world("", "parse_ms", printed=60.0, terms=replace(TERMS, max_iterations=1))
    one.run()
    assert one.state.experiments[1].hypothesis.description == "idea 2"


def test_more_samples_are_asked_for_before_anything_is_left_out() -> None:
    one = world("parse_ms", printed=60.0, terms=command(mode="repeat", repeats=3))
    one.run()
    assert len(one.state.experiments) == 1
