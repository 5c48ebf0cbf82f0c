"""Which rule ends the loop, and which ended runs go on when they are started again."""

from __future__ import annotations

from typing import Any

import pytest
from fakes import terms
from journals import SELECTION, baseline, everywhere, experiment, looping, next_action, runs, started

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.plan.actions import Note
from ceopt_tui.core.plan.reopening import reopens
from ceopt_tui.core.plan.stopping import best_mean
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from schemas.records import BacklogClosed, Committed, ExperimentClosed, Stopped

REPORT = 2 * 6 * 4  # six held-out cases, four runs of two texts
KEPT = [*experiment(), Committed(number=1, text_digest="new", commit="c1", branch="b")]
CLOSED = ExperimentClosed(number=1, outcome="kept", reason="")


def stopped(state: RunState, **changes: Any) -> tuple[str, str] | None:
    action = next_action(state, **changes)
    found = [record for record in getattr(action, "records", ()) if isinstance(record, Stopped)]
    return (found[0].outcome, found[0].reason) if found else None


def tried(number: int, outcome: str = "reverted", category: str = "a", moved: bool | None = True) -> list[Any]:
    records = [
        record.model_copy(update={"category": category}) if record.kind == "hypothesis_added" else record
        for record in experiment(number, f"text {number}")
    ]
    return [*records, ExperimentClosed(number=number, outcome=outcome, reason="r", moved=moved)]


def ended(outcome: str, *records: Any) -> RunState:
    return looping(*records, Stopped(outcome=outcome, reason="r"))


def test_a_target_that_is_met_ends_the_loop_unless_it_is_not_to() -> None:
    state = looping()
    assert best_mean(state) == 0.5
    assert stopped(state, target=0.5) == ("target_reached", "50% meets the target 50%")
    assert stopped(state, target=0.51) is None
    assert stopped(state, target=0.5, stop_at_target=False) is None
    assert stopped(state, target=0.5, maximize=False) == ("target_reached", "50% meets the target 50%")
    assert stopped(state, target=0.4, maximize=False) is None


def test_right_after_a_keep_the_winners_own_runs_are_the_best_known() -> None:
    sweep = runs("new", "add_sample", everywhere(SELECTION, 1), experiment=1)
    state = looping(*KEPT[:-1], *sweep, KEPT[-1], CLOSED)
    assert not state.reference.selection and best_mean(state) == 1.0
    assert stopped(state) == ("saturated", "the text now passes every selection case; add harder cases to go on")
    assert best_mean(fold(started())) is None


def test_a_text_that_fails_somewhere_is_not_saturated() -> None:
    sweep = runs("new", "add_sample", {**everywhere(SELECTION, 1), "s0": [0.0]}, experiment=1)
    assert stopped(looping(*KEPT[:-1], *sweep, KEPT[-1], CLOSED)) is None


def test_a_harness_that_sees_no_change_is_told_from_a_text_that_cannot_be_improved() -> None:
    three = [record for n, kind in enumerate("abc", 1) for record in tried(n, category=kind, moved=False)]
    assert stopped(looping(*three)) == (
        "no_movement", "no score has moved (every case scores the same); check judge and harness"
    )  # fmt: skip
    two = [*tried(1, moved=False), *tried(2, moved=False)]
    assert stopped(looping(*two)) is not None  # every case scores one half: two tries are enough
    assert stopped(looping(*tried(1, moved=False))) is None
    assert stopped(looping(*two, *tried(3, category="b", moved=True))) is None


def test_where_some_cases_pass_it_takes_three_kinds_of_change() -> None:
    uneven = [*runs("old", "baseline", {**everywhere(SELECTION, 0, 0, 0, 0), "s0": [1, 1, 1, 1]}), *baseline()[-3:]]
    two = [*started(), *uneven, *tried(1, moved=False), *tried(2, category="b", moved=False)]
    assert stopped(fold(two)) is None
    assert stopped(fold([*two, *tried(3, category="c", moved=False)])) == (
        "no_movement", "no score has moved (the same items pass every time); check judge and harness"
    )  # fmt: skip


def test_three_replies_that_cannot_be_used_end_the_loop() -> None:
    failed = BacklogClosed(generation=0, added=0, note="no JSON", failed=True)
    assert stopped(looping(failed, failed)) is None
    assert stopped(looping(failed, failed, failed)) == (
        "proposer_failed", "3 proposals in a row could not be used, the last: no JSON"
    )  # fmt: skip


def test_the_limits_of_a_run() -> None:
    two = [*tried(1), *tried(2)]
    assert stopped(looping(*two), max_iterations=2) == ("max_iterations", "2 experiments: the limit is reached")
    assert stopped(looping(*two), plateau=2) == (
        "plateau", "2 experiments in a row without a keep: the limit is reached"
    )  # fmt: skip
    assert stopped(looping(*two, *tried(3, "error")), plateau=3) is None


def test_a_limit_reached_by_proposals_that_all_failed_is_a_failed_proposer() -> None:
    failed = [*tried(1, "no_edits_applied"), *tried(2, "no_edits_applied")]
    assert stopped(looping(*failed), max_iterations=2) == (
        "proposer_failed", "2 experiments: the limit is reached, and none had a usable change, the last: r"
    )  # fmt: skip
    assert stopped(looping(*tried(1), *tried(2, "no_edits_applied")), max_iterations=2) == (
        "max_iterations", "2 experiments: the limit is reached"
    )  # fmt: skip
    over = ended("proposer_failed", *failed)
    assert reopens(over, terms(max_iterations=2), 0, 0) is None
    assert reopens(over, terms(max_iterations=3), 0, 0) == "the proposer is asked again"


def test_another_change_needs_room_for_its_first_sweep_and_the_report() -> None:
    sweep = len(SELECTION) + 3  # three runs of the current text, against drift
    assert stopped(looping(), budget=Caps(sweep + REPORT)) is None
    assert stopped(looping(), budget=Caps(sweep + REPORT - 1)) == (
        "budget", "the cap leaves no room for another experiment and the final report"
    )  # fmt: skip
    kept = looping(*KEPT, CLOSED)  # the kept text is owed four runs a case of its own, beside a change's
    assert stopped(kept, budget=Caps(sweep + 4 * len(SELECTION) + REPORT)) is None
    assert stopped(kept, budget=Caps(sweep + 4 * len(SELECTION) + REPORT - 1)) is not None


@pytest.mark.parametrize("selection", [4, 6])
def test_the_current_text_is_not_run_against_drift_where_it_is_measured_anew(selection: int) -> None:
    split = {"selection": SELECTION[:selection]}
    kept = fold([*started(**split), *baseline(), *KEPT, CLOSED])
    owed = 5 * selection + (3 if selection > 4 else 0)  # without a first step all is one pool
    assert stopped(kept, budget=Caps(owed + REPORT)) is None
    assert stopped(kept, budget=Caps(owed + REPORT - 1)) is not None


def test_a_limit_that_was_raised_reopens_a_run() -> None:
    over = ended("max_iterations", *tried(1), *tried(2))
    assert reopens(over, terms(max_iterations=2), 0, 0) is None
    assert reopens(over, terms(max_iterations=3), 0, 0) == (
        "what ended the run (the number of experiments) no longer holds"
    )
    assert reopens(over, terms(max_iterations=3, plateau=2), 0, 0) is None
    assert reopens(ended("proposer_failed"), terms(), 0, 0) == "the proposer is asked again"
    assert reopens(ended("saturated"), terms(), 0, 0) is None
    assert reopens(looping(), terms(), 0, 0) is None
    assert reopens(fold([*started(), Stopped(outcome="budget", reason="r")]), terms(), 0, 0) is None


def test_a_run_that_ran_out_of_money_goes_on_only_with_room_for_its_dearest_step() -> None:
    over = ended("budget")
    look = (4 + 2) * 6  # reference and candidate on the held-out cases
    assert reopens(over, terms(budget=Caps(look + REPORT - 1)), 0, 0) is None
    assert reopens(over, terms(budget=Caps(look + REPORT)), 0, 0) == "what ended the run (the cap) no longer holds"


def test_a_stop_is_noted_before_ideas_are_asked_for() -> None:
    assert isinstance(next_action(looping(), target=0.5), Note)
