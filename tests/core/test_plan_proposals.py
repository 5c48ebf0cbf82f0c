"""Parked changes before a person: asked about, accepted, refused, left for later, or measured again on a newer text."""

from __future__ import annotations

from typing import Any

import pytest
from fakes import terms
from journals import SELECTION, everywhere, experiment, looping, next_action, runs
from test_plan_keeping import verdict

from ceopt_tui.core.describe import outcome_sentence
from ceopt_tui.core.plan.actions import Ask, Keep, Note, Park
from ceopt_tui.core.plan.proposals import CARRY_OVER, is_fresh, proposal_options
from ceopt_tui.core.plan.wrapping import outcome_word
from ceopt_tui.core.proposal_words import BY_GUARDS, proposal_lines, read_words, waiting_sentence
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from schemas.keeping_records import ProposalParked, ProposalSettled, WinnerRead
from schemas.records import (
    Answered,
    Asked,
    Committed,
    ExperimentClosed,
    GainReported,
    HypothesisAdded,
    Reopened,
    ReportWritten,
    Stopped,
    TickStarted,
)

PARKED = [
    *experiment(),
    verdict("keep"),
    ProposalParked(number=1, cause="broken", reason="would break h1"),
    ExperimentClosed(number=1, outcome="deferred_needs_approval", reason="would break h1", moved=True),
]
KEPT_SINCE = [
    *experiment(2, "newer"),
    verdict("keep").model_copy(update={"number": 2}),
    Committed(number=2, text_digest="newer", commit="c2", branch="b"),
    ExperimentClosed(number=2, outcome="kept", reason="better"),
]


def said(answer: str) -> list[Any]:
    asked = Asked(question_id="proposal-1", title="t", message="m", question="Accept?", options=("accept",))
    return [asked, Answered(question_id="proposal-1", answer=answer)]


def stopped(outcome: str = "max_iterations") -> Stopped:
    return Stopped(outcome=outcome, reason="enough")


def settled(state: RunState) -> ProposalSettled:
    action = next_action(state, attended=True)
    assert isinstance(action, Note) and isinstance(action.records[0], ProposalSettled)
    return action.records[0]


def test_a_parked_change_is_asked_about_when_a_person_is_there_before_anything_else_is_done() -> None:
    state = looping(*PARKED)
    assert next_action(state, attended=True) == Ask("proposal", 1)
    assert not isinstance(next_action(state), Ask)
    # Not in the middle of another experiment.
    assert next_action(looping(*PARKED, *experiment(2, "newer")), attended=True) != Ask("proposal", 1)


def test_a_yes_commits_it_and_then_it_is_settled_as_kept() -> None:
    assert next_action(looping(*PARKED, *said("accept")), attended=True) == Keep(1)
    committed = [*PARKED, *said("accept"), Committed(number=1, text_digest="new", commit="c", branch="b")]
    record = settled(looping(*committed))
    assert (record.decision, record.reason, record.by) == ("accepted", "said so; accepted by a person", "person")
    after = looping(*committed, record)
    assert (after.experiments[1].outcome, after.plateau, after.iterations) == ("kept", 0, 1)
    assert not after.waiting.proposals and next_action(after, attended=True) != Ask("proposal", 1)


def test_a_no_is_remembered_with_its_reason() -> None:
    record = settled(looping(*PARKED, *said("refuse: h1 must hold")))
    assert (record.decision, record.reason) == ("refused", "refused by a person: h1 must hold")
    after = looping(*PARKED, *said("refuse"), record)
    assert after.experiments[1].outcome == "reverted" and after.plateau == 1
    assert after.experiments[1].answers == {"proposal-1": "refused by a person: h1 must hold"}


def test_later_is_for_this_start_only() -> None:
    state = looping(*PARKED, *said("later"))
    assert next_action(state, attended=True) != Ask("proposal", 1)
    fold([TickStarted(tick=2, pid=1, host="h")], state)
    assert next_action(state, attended=True) == Ask("proposal", 1)


def test_a_change_that_was_overtaken_is_measured_again_as_a_persons_idea() -> None:
    state = looping(*PARKED, *KEPT_SINCE, *said("measure it again"))
    assert not is_fresh(state, 1)
    assert proposal_options(state, terms(), 1) == ("measure it again", "refuse", "later")
    action = next_action(state, attended=True)
    assert isinstance(action, Note)
    record, idea = action.records
    assert isinstance(record, ProposalSettled) and record.decision == "again"
    assert isinstance(idea, HypothesisAdded)
    assert (idea.id, idea.move, idea.parameters, idea.source) == ("h003", CARRY_OVER, {"experiment": 1}, "person")
    after = looping(*PARKED, *KEPT_SINCE, *said("measure it again"), *action.records)
    assert after.experiments[1].outcome == "deferred_needs_approval" and not after.waiting.proposals


def test_in_a_run_that_has_stopped_it_takes_the_run_up_again_for_one_more_experiment() -> None:
    state = looping(*PARKED, *KEPT_SINCE, stopped(), *said("measure it again"))
    action = next_action(state, attended=True)
    assert isinstance(action, Note)
    assert action.records[-1] == Reopened(reason="exp-001 is measured again", raised={"max_iterations": 1.0})


@pytest.mark.parametrize(
    ("outcome", "options"),
    [
        ("plateau", ("measure it again", "refuse", "later")),
        ("no_ideas", ("measure it again", "refuse", "later")),
        ("person", ("refuse", "later")),
        ("saturated", ("refuse", "later")),
        ("max_wall_hours", ("refuse", "later")),
    ],
)
def test_what_an_overtaken_change_may_become_depends_on_how_the_run_ended(
    outcome: str, options: tuple[str, ...]
) -> None:
    state = looping(*PARKED, *KEPT_SINCE, stopped(outcome))
    assert proposal_options(state, terms(), 1) == options
    assert proposal_options(looping(*PARKED, stopped(outcome)), terms(), 1) == ("accept", "refuse", "later")


def test_a_change_accepted_after_the_end_makes_gain_and_report_old_ones() -> None:
    gain = GainReported(
        original_digest="old", final_digest="old", cases=6, before=0.5, after=0.5, gain=0, low=0, high=0, cautious=0,
        clearly_better=False, fresh=True, selection_before=0.5, selection_after=0.5,
    )  # fmt: skip
    ended = [stopped().model_copy(update={"no_gain": "the cap was reached"}), gain, ReportWritten(path="p")]
    state = looping(*PARKED, *ended, Committed(number=1, text_digest="new", commit="c", branch="b"))
    assert state.gain is None and state.report is None and state.finished is None
    assert state.stopped is not None and state.stopped.no_gain == ""


def test_with_nobody_there_a_run_that_is_over_waits_for_a_person() -> None:
    action = next_action(looping(*PARKED, stopped(), ReportWritten(path="p")))
    assert action == Park("blocked", "1 proposal waits for a person: exp-001", "needs_person")


def test_a_winner_nobody_read_before_the_end_is_parked_and_one_at_the_keyboard_is_closed() -> None:
    state = looping(*experiment(), verdict("keep"), stopped())
    action = next_action(state)
    assert isinstance(action, Note) and isinstance(action.records[0], ProposalParked)
    assert action.records[0].cause == "ended"
    assert action.records[0].reason == "the run ended before anybody read it: enough; only a person may keep it"
    attended = next_action(state, attended=True)
    assert isinstance(attended, Note) and isinstance(attended.records[0], ExperimentClosed)
    assert attended.records[0].outcome == "inconclusive"
    open_still = looping(*experiment(), *runs("new", "add_sample", everywhere(SELECTION, 1)), stopped())
    closed = next_action(open_still)
    assert isinstance(closed, Note) and isinstance(closed.records[0], ExperimentClosed)


def test_a_run_whose_only_gain_waits_is_not_told_as_one_without() -> None:
    state = looping(*PARKED, stopped(), ReportWritten(path="p"))
    assert outcome_word(state) == "needs_person"
    assert outcome_sentence(state, 1) == "Nothing is kept yet; 1 proposal waits for a person: exp-001."


def test_what_waits_is_said_in_words() -> None:
    assert waiting_sentence(looping()) == ""
    state = looping(*PARKED)
    assert waiting_sentence(state) == "1 proposal waits for a person: exp-001"
    assert proposal_lines(state) == ["exp-001: would break h1"]
    second = ProposalParked(number=2, cause="unread", reason="unread")
    two = looping(*PARKED, *experiment(2, "newer"), second)
    assert waiting_sentence(two) == "2 proposals wait for a person: exp-001, exp-002"


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([], ""),
        ([WinnerRead(number=1)], BY_GUARDS),
        ([WinnerRead(number=1, reader="strong", reason="a rule")], "read by strong: a rule"),
        ([WinnerRead(number=1, reader="strong")], "read by strong: nothing against it"),
        ([WinnerRead(number=1, reader="strong", usable=False, reason="none")], ""),
        ([Asked(question_id="keep-1", title="", message="", question="", options=()),
          Answered(question_id="keep-1", answer="keep")], "read by a person"),
        ([ProposalSettled(number=1, decision="accepted")], "read by a person"),
    ],
)  # fmt: skip
def test_who_read_a_change_is_said_in_words(records: list[Any], words: str) -> None:
    state = looping(*experiment(), verdict("keep"), *records)
    assert read_words(state, state.experiments[1]) == words
