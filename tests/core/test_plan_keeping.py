"""From a confirmed winner to its end: asked about, kept, refused by a person, or refused for what it breaks."""

from __future__ import annotations

from typing import Any

import pytest
from journals import HOLDOUT, SELECTION, everywhere, experiment, looping, next_action, runs

from ceopt_tui.core.plan.actions import Ask, Keep, Note, ReadWinner
from ceopt_tui.core.state.run import RunState
from schemas.keeping_records import ProposalParked, ReadRemark, WinnerRead
from schemas.records import Answered, Asked, Committed, Compared, Decided, ExperimentClosed, ExperimentStarted


def verdict(decision: str, step: Any = "holdout") -> Decided:
    return Decided(number=1, step=step, decision=decision, next_measurement="none", reason="said so")


def closed(state: RunState, **changes: Any) -> ExperimentClosed:
    action = next_action(state, **changes)
    assert isinstance(action, Note)
    (record,) = action.records
    assert isinstance(record, ExperimentClosed)
    return record


def parked(state: RunState, cause: str, **changes: Any) -> ExperimentClosed:
    """The closing record of a change that is parked, behind the proposal it becomes."""
    action = next_action(state, **changes)
    assert isinstance(action, Note)
    proposal, record = action.records
    assert isinstance(proposal, ProposalParked) and isinstance(record, ExperimentClosed)
    assert (proposal.number, proposal.cause, record.outcome) == (1, cause, "deferred_needs_approval")
    assert proposal.reason == record.reason
    return record


def answered(answer: str) -> list[Any]:
    asked = Asked(question_id="keep-1", title="t", message="m", question="Keep?", options=("keep", "refuse"))
    return [asked, Answered(question_id="keep-1", answer=answer)]


def winner(*records: Any) -> RunState:
    return looping(*experiment(), verdict("keep"), *records)


def read(**values: Any) -> WinnerRead:
    return WinnerRead(number=1, **values)


def test_unattended_a_winner_is_read_committed_then_closed_as_kept() -> None:
    assert next_action(winner()) == ReadWinner(1, 1)
    assert next_action(winner(read())) == Keep(1)
    kept = closed(winner(Committed(number=1, text_digest="new", commit="c", branch="b")))
    assert (kept.outcome, kept.reason) == ("kept", "said so")


def test_a_person_is_asked_once_and_decides() -> None:
    assert next_action(winner(), attended=True) == Ask("keep", 1)
    assert next_action(winner(*answered("keep")), attended=True) == Keep(1)


@pytest.mark.parametrize(
    ("answer", "reason"), [("refuse: too blunt", "too blunt"), ("refuse", "no reason given"), ("stop", "stop")]
)
def test_what_a_person_refuses_is_reverted_with_their_reason(answer: str, reason: str) -> None:
    record = closed(winner(*answered(answer)), attended=True)
    assert (record.outcome, record.reason) == ("reverted", f"refused by a person: {reason}")


def test_a_case_that_always_passed_is_broken_by_nobody_but_a_person() -> None:
    broke = Compared(
        number=1, comparison="holdout", reference_digest="old", candidate_digest="new", workload="held-out cases",
        reference=dict.fromkeys(HOLDOUT, (1.0, 1.0, 1.0, 1.0)),
        candidate={**dict.fromkeys(HOLDOUT, (1.0, 1.0, 1.0, 1.0)), "h1": (0.0, 0.0, 0.0, 0.0)},
    )  # fmt: skip
    record = parked(winner(broke), "broken")
    assert record.broken == ("h1",)
    assert record.reason == "would break h1, which always passed; only a person may keep this"
    assert next_action(winner(broke, read()), allow_broken=True) == Keep(1)
    assert next_action(winner(broke, *answered("keep"))) == Keep(1)  # said before the process was killed
    assert next_action(winner(broke, *answered("keep")), attended=True) == Keep(1)


def test_a_guard_most_of_whose_runs_fail_now_is_broken_too() -> None:
    dented = Compared(
        number=1, comparison="holdout", reference_digest="old", candidate_digest="new", workload="held-out cases",
        reference=dict.fromkeys(HOLDOUT, (1.0, 1.0, 1.0, 1.0)),
        candidate={**dict.fromkeys(HOLDOUT, (1.0, 1.0, 1.0, 1.0)), "h1": (0.0, 1.0, 0.0, 0.0)},
    )  # fmt: skip
    assert next_action(winner(dented, read())) == Keep(1)
    guarded = parked(winner(dented, read()), "broken", guards=frozenset({"h1"}))
    assert guarded.broken == ("h1",)
    assert next_action(winner(dented, read()), guards=frozenset({"h2"})) == Keep(1)


@pytest.mark.parametrize(("decision", "outcome"), [("revert", "reverted"), ("inconclusive", "inconclusive")])
def test_any_other_last_verdict_closes_the_experiment_under_its_word(decision: str, outcome: str) -> None:
    state = looping(*experiment(), verdict(decision, "add_sample"))
    assert (closed(state).outcome, closed(state).reason) == (outcome, "said so")


def test_a_pairing_on_record_is_not_recorded_again() -> None:
    sweep = [
        *runs("new", "add_sample", everywhere(SELECTION, 0), experiment=1),
        *runs("old", "drift", everywhere(SELECTION, 0.5), first=4, experiment=1),
    ]
    begun = Decided(
        number=1, step="exploratory", decision="inconclusive", next_measurement="add_sample", reason="said so"
    )
    state = looping(*experiment(), begun, *sweep)
    first = next_action(state)
    assert isinstance(first, Note) and [record.kind for record in first.records] == ["compared", "decided"]
    again = next_action(looping(*experiment(), begun, *sweep, first.records[0]))
    assert again == Note(first.records[1:])


def test_what_the_guards_would_have_somebody_look_at_is_parked_where_no_model_may_read() -> None:
    remark = ReadRemark(code="constraint", message="line 2 does what a constraint forbids", line=2)
    record = parked(winner(read(remarks=(remark,))), "remarks")
    assert record.reason == "a person has to read it: line 2 does what a constraint forbids"
    cue = ReadRemark(code="quotes", message="line 2 shares words with an item", line=2)
    assert next_action(winner(read(remarks=(cue,)))) == Keep(1)
    # A model that read it as well has the last word.
    assert next_action(winner(read(reader="strong", remarks=(remark,))), reader=True) == Keep(1)


def test_a_model_reads_once_and_what_guards_read_before_it_was_there_is_no_reading_of_its() -> None:
    assert next_action(winner(), reader=True) == ReadWinner(1, 1)
    assert next_action(winner(read()), reader=True) == ReadWinner(1, 1)
    assert next_action(winner(read(reader="strong")), reader=True) == Keep(1)


@pytest.mark.parametrize(
    ("missing", "reason"),
    [
        ("whether amounts are named", "it leaves amounts out; not measured: whether amounts are named"),
        ("", "it leaves amounts out"),
    ],
)
def test_what_a_reader_speaks_against_is_reverted_with_its_reason(missing: str, reason: str) -> None:
    against = read(reader="strong", reverted=True, reason="it leaves amounts out", missing_observation=missing)
    record = closed(winner(against), reader=True)
    assert (record.outcome, record.reason) == ("reverted", f"reverted by its reader: {reason}")


def test_two_replies_that_cannot_be_used_leave_it_to_a_person() -> None:
    unusable = read(reader="strong", usable=False, reason="no JSON object")
    assert next_action(winner(unusable), reader=True) == ReadWinner(1, 2)
    record = parked(winner(unusable, unusable), "unread", reader=True)
    assert record.reason == (
        "its reader gave no usable answer, the last because: no JSON object; only a person may keep it"
    )
    assert next_action(winner(unusable, read(reader="strong")), reader=True) == Keep(1)


def swept(gain: float | None) -> Decided:
    numbers = {} if gain is None else {"mean_difference": gain}
    return Decided(
        number=1, step="add_sample", decision="promising", next_measurement="confirm", reason="r", numbers=numbers
    )


@pytest.mark.parametrize(
    ("bound", "gain", "readings"), [("0.25", 0.3, 2), ("0.25", 0.25, 1), (None, 0.9, 1), ("0.25", None, 1)]
)
def test_a_gain_above_what_was_thought_possible_is_read_twice(
    bound: str | None, gain: float | None, readings: int
) -> None:
    forecast = {} if bound is None else {"upper_bound": bound}
    begun = [
        record.model_copy(update={"forecast": forecast}) if isinstance(record, ExperimentStarted) else record
        for record in experiment()
    ]
    fine = read(reader="strong")
    state = looping(*begun, swept(gain), verdict("keep"), *[fine] * (readings - 1))
    assert next_action(state, reader=True) == ReadWinner(1, readings)
    state = looping(*begun, swept(gain), verdict("keep"), *[fine] * readings)
    assert next_action(state, reader=True) == Keep(1)
