"""From a confirmed winner to its end: asked about, kept, refused by a person, or refused for what it breaks."""

from __future__ import annotations

from typing import Any

import pytest
from journals import HOLDOUT, SELECTION, everywhere, experiment, looping, next_action, runs

from ceopt_tui.core.plan.actions import Ask, Keep, Note
from ceopt_tui.core.state.run import RunState
from schemas.records import Answered, Asked, Committed, Compared, Decided, ExperimentClosed


def verdict(decision: str, step: Any = "holdout") -> Decided:
    return Decided(number=1, step=step, decision=decision, next_measurement="none", reason="said so")


def closed(state: RunState, **changes: Any) -> ExperimentClosed:
    action = next_action(state, **changes)
    assert isinstance(action, Note)
    (record,) = action.records
    assert isinstance(record, ExperimentClosed)
    return record


def answered(answer: str) -> list[Any]:
    asked = Asked(question_id="keep-1", title="t", message="m", question="Keep?", options=("keep", "refuse"))
    return [asked, Answered(question_id="keep-1", answer=answer)]


def winner(*records: Any) -> RunState:
    return looping(*experiment(), verdict("keep"), *records)


def test_unattended_a_winner_is_committed_then_closed_as_kept() -> None:
    assert next_action(winner()) == Keep(1)
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
    record = closed(winner(broke))
    assert (record.outcome, record.broken) == ("inconclusive", ("h1",))
    assert record.reason == "would break h1, which always passed; only a person may keep this"
    assert next_action(winner(broke), allow_broken=True) == Keep(1)
    assert next_action(winner(broke, *answered("keep")), attended=True) == Keep(1)


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
