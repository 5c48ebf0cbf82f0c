"""Record by record: what each kind changes in the state."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from journals import HOLDOUT, SELECTION, baseline, everywhere, experiment, looping, runs, started

from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.journal.replay import replay
from schemas.records import (
    Answered,
    Approved,
    Asked,
    BacklogClosed,
    CandidateMade,
    Committed,
    Decided,
    Declined,
    ExperimentClosed,
    Finished,
    Learnt,
    ModelBound,
    Noted,
    RunStarted,
    Stopped,
    TickEnded,
    TickStarted,
)


def ended(tick: int, status: Any = "waiting", active_s: float = 5.0) -> TickEnded:
    return TickEnded(tick=tick, active_s=active_s, status=status, reason="r")


def tick(number: int) -> TickStarted:
    return TickStarted(tick=number, pid=1, host="h")


def test_an_empty_journal_is_a_run_that_has_not_begun() -> None:
    state = fold([])
    assert state == RunState()
    assert (state.status, state.original_digest, state.deciding_holdout, state.report_cases) == ("waiting", "", (), ())
    assert not state.held_out("h0") and not state.deterministic


def test_status_is_what_the_last_tick_left() -> None:
    state = fold([tick(1)])
    assert state.status == "running"
    fold([ended(1, "blocked")], state)
    assert (state.status, state.active_s) == ("blocked", 5.0)
    fold([tick(2)], state)
    assert state.status == "running"  # or killed: the lock tells which
    fold([ended(2)], state)
    assert (state.status, state.active_s) == ("waiting", 10.0)
    fold([Finished(outcome="improved", exit_status=0, reason="")], state)
    assert state.status == "finished"


def test_where_repeats_agree_a_part_of_the_held_out_cases_is_for_the_report() -> None:
    noisy = fold([*started(report_only=HOLDOUT[:2]), *baseline()])
    assert noisy.deciding_holdout == noisy.report_cases == HOLDOUT
    same = fold([*started(report_only=HOLDOUT[:2]), *baseline(deterministic=True)])
    assert same.deciding_holdout == HOLDOUT[2:] and same.report_cases == HOLDOUT[:2]
    few = fold([*started(), *baseline(deterministic=True)])
    assert few.deciding_holdout == few.report_cases == HOLDOUT


def test_a_keep_makes_the_winner_the_reference_and_empties_its_runs() -> None:
    sweep = runs("new", "add_sample", everywhere(SELECTION, 1.0), experiment=1)
    committed = Committed(number=1, text_digest="new", commit="c1", branch="b")
    state = looping(*experiment(), *sweep, committed)
    assert state.current is not None
    assert (state.reference.text_digest, state.reference.selection, state.best_number) == ("new", {}, 1)
    assert state.generation == 1 and state.best_texts == {"p": "new"}
    fold([ExperimentClosed(number=1, outcome="kept", reason="")], state)
    assert state.current is None and state.plateau == 0
    assert ("new", "s0") in state.runs.outputs  # the proposer reads them


def test_outputs_of_a_dropped_text_are_forgotten_and_its_noise_is_not() -> None:
    state = looping(*experiment(), *runs("new", "add_sample", everywhere(SELECTION, 1.0, 0.0), experiment=1))
    noise = state.runs.sigma_ss, state.runs.sigma_df
    fold([ExperimentClosed(number=1, outcome="reverted", reason="")], state)
    assert ("new", "s0") not in state.runs.outputs
    assert (state.runs.sigma_ss, state.runs.sigma_df) == noise == (6 * 1.0 + 6 * 0.5, 6 * 3 + 6 * 1)


def test_noise_is_the_sum_over_cells_of_squared_deviations() -> None:
    state = fold([*started(), *runs("old", "baseline", {"s0": [1, 0, 1], "s1": [0.5], "s2": [1, 1]})])
    assert state.runs.sigma_ss == pytest.approx(2 / 3) and state.runs.sigma_df == 3


def test_late_results_of_a_closed_experiment_are_counted_but_scored_for_nobody() -> None:
    closed = ExperimentClosed(number=1, outcome="inconclusive", reason="")
    state = looping(*experiment(), closed, *runs("new", "confirm", {"h0": [1.0]}, experiment=1))
    assert state.experiments[1].held_out == {} and state.runs.scored == 25


def test_samples_left_out_by_a_kill_are_filled_first() -> None:
    book = fold([*started(), *runs("old", "baseline", {"s0": [1]}, first=2)]).runs
    assert book.free_samples("old", "s0", 3) == [0, 1, 3]
    assert book.free_samples("old", "s1", 2) == [0, 1] and book.free_samples("old", "s0", 0) == []


def test_the_first_full_sweep_adds_to_the_spread_between_cases() -> None:
    decision = {"number": 1, "step": "add_sample", "decision": "inconclusive", "next_measurement": "add_sample"}
    records = [Decided(**decision, reason="", tau=(1.5, 5, 6.25)), Decided(**decision, reason="")]
    state = looping(*experiment(), *records)
    assert (state.tau_ss, state.tau_df, state.tau_c) == (1.5, 5, 6.25)
    assert state.current is not None and state.current.outcome == "measured"


@pytest.mark.parametrize(
    ("outcome", "plateau", "errors", "failures"),
    [("reverted", 1, 0, 0), ("inconclusive", 1, 0, 0), ("degenerate", 1, 0, 0), ("kept", 0, 0, 0),
     ("error", 0, 1, 0), ("timeout", 0, 1, 0), ("refused", 0, 0, 0), ("no_edits_applied", 0, 0, 1)],
)  # fmt: skip
def test_every_outcome_is_an_iteration_and_only_measured_ones_near_the_plateau(
    outcome: str, plateau: int, errors: int, failures: int
) -> None:
    state = looping(*experiment(text=None), ExperimentClosed(number=1, outcome=outcome, reason="why"))
    assert state.iterations == 1
    assert (state.plateau, state.error_streak, state.proposer_failures) == (plateau, errors, failures)
    assert state.experiments[1].outcome == outcome


def test_experiments_that_move_nothing_are_remembered_by_category() -> None:
    state = looping(*experiment(), ExperimentClosed(number=1, outcome="reverted", reason="", moved=False))
    assert (state.moved, state.unmoved) == (False, ["a"])
    fold([*experiment(2), ExperimentClosed(number=2, outcome="reverted", reason="", moved=True)], state)
    assert (state.moved, state.unmoved) == (True, ["a"])


def test_unusable_replies_count_until_one_can_be_used() -> None:
    failed = BacklogClosed(generation=0, added=0, note="not JSON", failed=True, at="2026-01-05T10:00:00+00:00")
    state = looping(failed, failed)
    assert (state.proposer_failures, state.proposer_fault, state.backlog) == (2, "not JSON", None)
    assert state.phase3_at is not None
    fold(experiment(text=None), state)
    assert state.proposer_failures == 2  # ideas may come without any reply
    made = fold([CandidateMade(number=1, text_digest="new", texts={"p": "new"})], deepcopy(state))
    refused = fold([ExperimentClosed(number=1, outcome="refused", reason="leak")], deepcopy(state))
    assert made.proposer_failures == refused.proposer_failures == 0


def test_a_question_is_open_until_it_is_answered_or_declined() -> None:
    asked = Asked(question_id="keep-1", title="t", message="m", question="q", options=("keep", "refuse"))
    state = looping(*experiment(), asked)
    assert state.asked == asked
    fold([Answered(question_id="keep-1", answer="keep")], state)
    assert state.asked is None and state.current is not None and state.current.answers == {"keep-1": "keep"}
    fold([asked, Declined(what="spec", answer="stop")], state)
    assert state.asked is None
    fold([ExperimentClosed(number=1, outcome="kept", reason=""), Answered(question_id="x", answer="y")], state)
    assert state.experiments[1].answers == {"keep-1": "keep"}


def test_drift_runs_between_experiments_belong_to_the_reference() -> None:
    state = looping(*runs("old", "drift", {"s0": [1.0]}, first=4))
    assert state.reference.drift == {"s0": [1.0]} and state.reference.selection["s0"] == [1, 0, 1, 0]


def test_a_second_start_measures_afresh_and_keeps_the_bill() -> None:
    state = looping(
        Stopped(outcome="no_headroom", reason=""), Finished(outcome="no_headroom", exit_status=0, reason="")
    )
    again = next(record for record in started() if isinstance(record, RunStarted))
    paid = state.spend.calls
    fold([again.model_copy(update={"measurement_digest": "other"})], state)
    assert (state.baseline, state.split, state.probes, state.stopped, state.finished) == (None, None, [], None, None)
    assert state.runs.scored == 0 and state.spend.calls == paid and state.approvals
    assert state.reference.text_digest == "old" and state.reference.selection == {}


def at(record: Any, minute: int) -> Any:
    return record.model_copy(update={"at": f"2026-01-05T{10 + minute // 60}:{minute % 60:02d}:00+00:00"})


def test_the_work_of_a_killed_tick_counts_up_to_its_last_record() -> None:
    ideas = BacklogClosed(generation=0, added=1, active_s=600.0)
    asked = Asked(question_id="spec", title="t", message="m", question="q", options=("approve",))
    state = fold(
        [
            at(tick(1), 0),
            at(ideas, 10),
            at(Noted(text="said"), 30),
            at(asked, 31),
            at(Approved(what="spec", digest="d"), 50),  # 19 minutes of thinking
            at(Noted(text="clock moved 60 min", jump_s=3600.0), 115),  # five minutes of work around an hour of sleep
            at(Noted(text="the clock was set back"), 60),
            at(tick(2), 170),  # and nobody worked since
        ]
    )
    assert state.active_s == (31 + 5) * 60
    fold([at(ended(2, active_s=7.0), 180), at(tick(3), 200)], state)
    assert state.active_s == (31 + 5) * 60 + 7.0


def test_the_time_until_a_person_ends_a_run_that_was_killed_is_no_work() -> None:
    ended_by_hand = Stopped(outcome="person", reason="you ended the run", by="person")
    state = fold([at(tick(1), 0), at(Noted(text="said"), 4), at(ended_by_hand, 90), at(tick(2), 95)])
    assert state.active_s == 4 * 60


def test_a_sleep_that_is_noted_after_another_record_came_in_is_no_work_either() -> None:
    slept = Noted(text="clock moved 7 h", jump_s=7 * 3600.0)
    state = fold([at(tick(1), 0), at(Noted(text="said"), 10), at(Noted(text="woken"), 7 * 60 + 12)])
    fold([at(slept, 7 * 60 + 13), at(tick(2), 9 * 60)], state)
    assert state.active_s == 13 * 60


def test_a_killed_tick_without_times_counts_at_least_up_to_its_ideas() -> None:
    state = fold([tick(1), BacklogClosed(generation=0, added=1, active_s=600.0), tick(2)])
    assert state.active_s == 600.0


def test_small_facts_are_kept() -> None:
    bound = ModelBound(role="task", name="cheap", model="m", endpoint="e")
    state = fold([bound, Learnt(text="l"), Noted(text="n")])
    assert state.models == {"task": bound} and [note.text for note in state.notes] == ["n"]
    assert [known.text for known in state.learnings] == ["l"]


def test_an_old_journal_still_folds_the_same_twice(request: pytest.FixtureRequest) -> None:
    records = replay(request.config.rootpath / "tests" / "data" / "journals" / "v1.jsonl").records
    assert len(records) > 25
    assert fold(records) == fold(records)


def test_closing_one_experiment_leaves_another_open() -> None:
    closed = ExperimentClosed(number=1, outcome="not_selected", reason="")
    state = looping(*experiment(), *experiment(2), closed)
    assert state.current is state.experiments[2] and state.experiments[1].closed == closed


def test_a_truncated_output_is_no_score_and_no_fault_of_the_endpoint() -> None:
    failed = runs("old", "baseline", {"s0": [None, None], "s1": [None, None]})
    cut = [record.model_copy(update={"truncated": record.case_id == "s1"}) for record in failed]
    state = fold([*started(), *cut])
    assert state.runs.scored == 0 and set(state.runs.failures.values()) == {2}
    assert len(state.runs.given_up()) == 1
    fold([tick(2)], state)
    assert (state.runs.failed, state.runs.failures, len(state.runs.given_up())) == (4, {}, 1)
    fold(runs("old", "baseline", {"s0": [1.0], "s1": [1.0]}, first=2), state)
    assert not state.runs.given_up()


def test_another_output_for_the_same_text_ends_the_belief_in_a_runner_that_repeats_itself() -> None:
    state = fold([*started(), *baseline(deterministic=True)])
    state.runs.outputs["old", "s0"] = ["output 0"]
    same, other = runs("old", "drift", {"s0": [1.0, 0.0]})
    fold([same], state)
    assert state.deterministic and not state.nondeterminism
    fold([other], state)
    assert not state.deterministic and state.nondeterminism == "case s0 gave another output for the same text"


def test_a_run_is_named_shortly_where_it_is_logged() -> None:
    assert repr(looping(*experiment())) == "<RunState fake, 1 experiments>"
    assert repr(RunState()) == "<RunState not started, 0 experiments>"


def test_time_passes_between_records_but_not_while_a_person_thinks_or_the_clock_is_set() -> None:
    def at(second: int, record: Any) -> Any:
        return record.model_copy(update={"at": f"2026-01-05T10:00:{second:02d}+00:00"})

    asked = Asked(question_id="q", title="t", message="m", question="q?", options=("yes",))
    state = fold(
        [
            Noted(text="without a time"), at(0, TickStarted(tick=1, pid=1, host="h")), at(4, Noted(text="n")),
            at(4, Noted(text="in the same write")), at(5, asked), at(25, Answered(question_id="q", answer="yes")),
            at(28, Noted(text="woken", jump_s=2.0)), at(20, Noted(text="set back")), at(26, Noted(text="n")),
        ]
    )  # fmt: skip
    assert state.open_tick_s == 4 + 1 + 1 + 6
