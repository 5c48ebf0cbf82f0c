"""After the report, with a person: what ideas relied on, what comes of the outcome, and how far a run may go on."""

from __future__ import annotations

from typing import Any

import pytest
from fakes import terms
from journals import AT, experiment, idea, looping, next_action
from test_plan_keeping import verdict

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.plan.actions import Ask, Done, Note, Park
from ceopt_tui.core.plan.continuing import continuations, extension, may_go_on
from ceopt_tui.core.plan.plan import next_hypothesis
from ceopt_tui.core.plan.proposals import refused_dependencies, unasked
from ceopt_tui.core.plan.reopening import reopens
from ceopt_tui.core.plan.wrapping import wrap_up_options
from ceopt_tui.core.state.run import RunState
from schemas.keeping_records import DependenciesDecided, WrapUpChosen
from schemas.records import (
    Answered,
    BacklogClosed,
    Committed,
    ExperimentClosed,
    Finished,
    Reopened,
    ReportWritten,
    Stopped,
    TickStarted,
)

KEPT = [
    *experiment(),
    verdict("keep"),
    Committed(number=1, text_digest="new", commit="c", branch="b"),
    ExperimentClosed(number=1, outcome="kept", reason="better", moved=True),
]
REPORTED = ReportWritten(path="docs/report.md", commit="c")
NEEDY = idea(7, required_deps=("lib-a", "lib-b"), dep_status="needs_approval", rank=9.0)


def at_the_end(outcome: str = "max_iterations", *records: Any, kept: bool = True) -> RunState:
    stopped = Stopped(outcome=outcome, reason="enough", no_gain="not now")
    return looping(*(KEPT if kept else ()), stopped, REPORTED, *records)


def test_a_person_chooses_what_comes_of_a_kept_text_and_only_then_the_run_is_over() -> None:
    state = at_the_end("no_ideas")
    assert next_action(state, attended=True) == Ask("wrap_up")
    assert wrap_up_options(state, terms()) == ("apply it to my files", "write a pull-request text", "done")
    over = next_action(at_the_end("no_ideas", WrapUpChosen(choice="done")), attended=True)
    assert isinstance(over, Note) and isinstance(over.records[0], Finished)
    alone = next_action(state)
    assert isinstance(alone, Note) and isinstance(alone.records[0], Finished)


def test_what_could_not_be_done_is_asked_again() -> None:
    failed = WrapUpChosen(choice="apply", failed=True, detail="changed since")
    assert next_action(at_the_end("no_ideas", failed), attended=True) == Ask("wrap_up")


def test_where_there_is_nothing_to_choose_nobody_is_asked() -> None:
    action = next_action(at_the_end("no_ideas", kept=False), attended=True)
    assert isinstance(action, Note) and isinstance(action.records[0], Finished)


def test_a_run_that_is_over_asks_again_in_a_start_that_is_for_it() -> None:
    finished = [Finished(outcome="improved", exit_status=0, reason="enough")]
    state = at_the_end("no_ideas", WrapUpChosen(choice="done"), *finished)
    assert next_action(state, attended=True) == Done()
    again = at_the_end("no_ideas", WrapUpChosen(choice="done"), *finished, TickStarted(tick=2, pid=1, host="h"))
    assert next_action(again, attended=True) == Done()
    assert next_action(again, attended=True, wrapping=True) == Ask("wrap_up")


@pytest.mark.parametrize(
    ("outcome", "ways"),
    [
        ("max_iterations", {"continue: 5 more experiments": 5.0, "continue: 20 more experiments": 20.0}),
        ("plateau", {"continue: 5 more experiments": 5.0, "continue: 20 more experiments": 20.0}),
        ("max_hours", {"continue: 1 more hour": 1.0, "continue: 8 more hours": 8.0}),
        ("target_reached", {"continue past the target": 1.0}),
        ("max_wall_hours", {}),
        ("budget", {}),
        ("no_ideas", {}),
        ("person", {}),
    ],
)
def test_a_person_may_raise_what_ended_the_run_but_no_cap_and_not_the_calendar(
    outcome: str, ways: dict[str, float]
) -> None:
    state = at_the_end(outcome)
    found = continuations(state, terms())
    assert {label: raised[outcome] for label, raised in found.items()} == ways
    assert wrap_up_options(state, terms()) == (
        "apply it to my files", "write a pull-request text", *ways, "done",
    )  # fmt: skip


def test_without_room_under_the_caps_a_run_cannot_go_on() -> None:
    state = at_the_end()
    assert may_go_on(state, terms()) and not may_go_on(state, terms(budget=Caps(10)))
    assert not may_go_on(looping(), terms()) and continuations(looping(), terms()) == {}
    assert extension(looping(), 3) == {}


def test_a_raised_limit_adds_to_the_specs() -> None:
    raised = {"max_iterations": 5.0, "plateau": 2.0, "max_hours": 1.0, "target_reached": 1.0}
    more = terms(max_iterations=3).extended(raised)
    assert (more.max_iterations, more.plateau, more.max_active_s, more.stop_at_target) == (8, 12, 7200.0, False)
    assert terms().extended({}) == terms()
    state = looping(*KEPT, Reopened(reason="r", raised={"plateau": 2.0}), Reopened(reason="r", raised={"plateau": 3.0}))
    assert state.raised == {"plateau": 5.0} and state.wrap_up is None


def test_an_ended_run_whose_limit_a_person_raised_goes_on_when_started_again() -> None:
    limit = {"max_iterations": 1}
    assert reopens(at_the_end(), terms(**limit), 0, 0) is None
    state = at_the_end()
    state.raised = {"max_iterations": 1.0}
    assert reopens(state, terms(**limit), 0, 0) is not None


# Dependencies


def needy(*records: Any, outcome: str = "") -> RunState:
    ended = [Stopped(outcome=outcome, reason="enough"), REPORTED] if outcome else []
    return looping(NEEDY, BacklogClosed(generation=0, added=1, at=AT), *ended, *records)


def test_what_ideas_rely_on_is_asked_for_once_before_they_are_tried() -> None:
    state = needy()
    assert next_action(state, attended=True) == Ask("dependencies")
    assert unasked(state) == ["lib-a", "lib-b"] and next_hypothesis(state) is None
    assert not isinstance(next_action(state), Ask)
    half = needy(DependenciesDecided(approved=("lib-a",), refused=("lib-b",)))
    assert unasked(half) == [] and refused_dependencies(half) == ["lib-b"] and next_hypothesis(half) is None
    assert next_action(half, attended=True) != Ask("dependencies")
    whole = needy(DependenciesDecided(approved=("lib-a", "lib-b")))
    assert next_hypothesis(whole) == NEEDY and refused_dependencies(whole) == []


def test_an_idea_approved_later_is_tried_on_a_newer_text_too() -> None:
    state = looping(NEEDY, *KEPT, BacklogClosed(generation=1, added=0, at=AT))
    assert next_hypothesis(state) is None
    approved = DependenciesDecided(approved=("lib-a", "lib-b"))
    state = looping(NEEDY, *KEPT, BacklogClosed(generation=1, added=0, at=AT), approved)
    assert next_hypothesis(state) == NEEDY


def test_refused_ones_return_once_at_the_end_and_an_approval_takes_the_run_up_again() -> None:
    refused = DependenciesDecided(refused=("lib-a", "lib-b"))
    assert next_action(needy(refused, outcome="no_ideas"), attended=True) == Ask("dependencies_again")
    answered = Answered(question_id="dependencies-again", answer="approve none")
    over = next_action(needy(refused, answered, outcome="no_ideas"), attended=True)
    assert isinstance(over, Note) and isinstance(over.records[0], Finished)
    approved = DependenciesDecided(approved=("lib-a", "lib-b"))
    action = next_action(needy(refused, approved, outcome="plateau"), attended=True)
    assert action == Note((Reopened(reason="dependencies were approved", raised={"plateau": 1.0}),))
    reopened = needy(refused, answered, Reopened(reason="r"), outcome="no_ideas")
    assert "dependencies-again" not in reopened.answers


def test_never_asked_they_keep_a_run_that_is_over_waiting_for_a_person() -> None:
    words = "ideas wait for a person to approve what they rely on: lib-a, lib-b"
    assert next_action(needy(outcome="no_ideas")) == Park("blocked", words, "needs_person")
    assert next_action(needy(outcome="no_ideas"), attended=True) == Ask("dependencies")
    over = next_action(needy(outcome="saturated"))
    assert isinstance(over, Note) and isinstance(over.records[0], Finished)
