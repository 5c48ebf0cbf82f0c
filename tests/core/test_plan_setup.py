"""From an empty journal to an approved baseline, and from a stop to the end."""

from __future__ import annotations

from typing import Any

import pytest
from journals import HOLDOUT, SELECTION, SOUND, baseline, everywhere, experiment, looping, next_action, runs, started

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.plan.actions import Ask, Done, Measure, Note, Park, Probe, ProposeCases, Report
from ceopt_tui.core.plan.wrapping import outcome_word
from ceopt_tui.core.state.fold import fold
from ceopt_tui.exits import ExitStatus
from schemas.harness_records import CasesProposed
from schemas.records import (
    Approved,
    BaselineMeasured,
    Committed,
    ExperimentClosed,
    Finished,
    GainReported,
    ReportWritten,
    SplitFrozen,
    Stopped,
    TickStarted,
)


def only(action: Any) -> Any:
    assert isinstance(action, Note)
    (record,) = action.records
    return record


def test_a_person_sees_the_spec_first_and_cron_measures_first() -> None:
    fresh = started()[:2]
    assert next_action(fold(fresh), attended=True) == Ask("spec")
    assert next_action(fold(fresh)) == Probe()
    approved = Approved(what="spec", digest="digest", caps={"max_calls": 2000.0})
    assert next_action(fold([*fresh, approved]), attended=True) == Probe()


def test_near_duplicates_count_once_before_anything_is_paid() -> None:
    few = SplitFrozen(selection=SELECTION, holdout=HOLDOUT, groups=(SELECTION + HOLDOUT[:3],), seed=7)
    stop = only(next_action(fold([*started()[:1], few]), attended=True))
    assert stop.outcome == "too_few_cases" and stop.reason.startswith("4 cases, near-duplicates counted once: needs")


def test_the_floor_counts_near_duplicates_once() -> None:
    alike = SplitFrozen(selection=SELECTION, holdout=HOLDOUT, groups=(HOLDOUT[:5],), seed=7)
    measured = runs("old", "baseline", everywhere(SELECTION, 1, 0, 1, 0))
    probed = started()[2]
    wide = only(next_action(fold([*started()[:1], alike, probed, *measured, SOUND])))
    narrow = only(next_action(fold([*started(), *measured, SOUND])))
    assert wide.sees_half == 1.0 > narrow.sees_half  # two of two distinct cases


def test_a_single_run_a_case_is_taken_for_the_widest_noise() -> None:
    begun = [*started(), SOUND]
    once = only(next_action(fold([*begun, *runs("old", "baseline", everywhere(SELECTION, 1))]), reference_runs=1))
    four = only(next_action(fold([*begun, *runs("old", "baseline", everywhere(SELECTION, 1, 1, 1, 1))])))
    assert not once.deterministic and once.sees_half > four.sees_half


def test_the_baseline_is_four_runs_of_every_selection_case() -> None:
    action = next_action(fold(started()))
    assert isinstance(action, Measure)
    assert sorted((run.case_id, run.sample) for run in action.runs) == [(c, i) for c in SELECTION for i in range(4)]


def test_a_baseline_that_the_caps_do_not_cover_is_not_begun() -> None:
    needed = 24 + 2 * len(HOLDOUT) * 4
    action = next_action(fold(started()), budget=Caps(calls=needed - 1))
    assert isinstance(action, Park) and (action.status, action.outcome) == ("blocked", "budget")
    assert isinstance(next_action(fold(started()), budget=Caps(calls=needed)), Measure)


def test_a_baseline_with_lost_cases_waits_for_a_better_day() -> None:
    scores = {**everywhere(SELECTION, 1, 0, 1, 0), "s0": [None, None], "s1": [None, None]}
    action = next_action(fold([*started(), *runs("old", "baseline", scores)]))
    assert isinstance(action, Park) and action.outcome == "outage"
    assert action.reason == "scored 4 of 6 cases of the baseline: 2 calls failed, the last with: 500; run again later"


def test_the_baseline_record_holds_what_was_measured() -> None:
    scores = {**everywhere(SELECTION, 1, 1, 0, 0), "s0": [None, 1, 1, 1, 1]}
    priced = Caps(calls=2000, usd=10.0, usd_per_run=0.01)
    record = only(next_action(fold([*started(), *runs("old", "baseline", scores), SOUND]), budget=priced))
    assert isinstance(record, BaselineMeasured)
    assert (record.scored, record.unscored, record.deterministic) == (24, 1, False)
    assert record.mean == pytest.approx((1 + 5 * 0.5) / 6)
    assert record.calls_per_experiment == (4, 3 * (6 + 3) + 4 * 6 + 8 * 6 + 2 * 3)
    assert record.usd_per_experiment == pytest.approx((0.04, 1.05))


@pytest.mark.parametrize(
    ("outputs", "repeats", "same"),
    [(["x"] * 4, 4, True), (["x", "x", "x", "y"], 4, False), (["x"], 1, False), (["x"] * 2, 2, True)],
)
def test_a_runner_repeats_itself_when_every_repeat_agrees(outputs: list[str], repeats: int, same: bool) -> None:
    measured = runs("old", "baseline", everywhere(SELECTION, *[0.0] * len(outputs)))
    records = [record.model_copy(update={"output": outputs[record.sample]}) for record in measured]
    record = only(next_action(fold([*started(), *records, SOUND]), reference_runs=repeats))
    assert record.deterministic is same


@pytest.mark.parametrize(
    ("mean", "changes", "outcome"),
    [
        (1.0, {}, "no_headroom"),
        (0.7, {}, "no_headroom"),  # two of six held-out cases have to move, a third
        (0.6, {}, None),
        (0.0, {"maximize": False}, "no_headroom"),
        (4.9, {"span": 4.0, "lowest": 1.0}, None),
        (5.0, {"span": 4.0, "lowest": 1.0}, "no_headroom"),
    ],
)
def test_headroom(mean: float, changes: dict[str, Any], outcome: str | None) -> None:
    action = next_action(fold([*started(), *baseline(mean)]), **changes)
    stopped = only(action) if isinstance(action, Note) else None
    assert (stopped.outcome if stopped else None) == outcome


def test_headroom_is_asked_before_the_first_experiment_only() -> None:
    closed = ExperimentClosed(number=1, outcome="kept", reason="")
    state = fold([*started(), *baseline(0.7), *experiment(), closed])
    assert not isinstance(next_action(state), Note)


def stopped(outcome: str = "plateau", *records: Any) -> Any:
    return looping(*records, Stopped(outcome=outcome, reason="said so"))


KEPT = [
    *experiment(),
    Committed(number=1, text_digest="new", commit="c1", branch="b"),
    ExperimentClosed(number=1, outcome="kept", reason=""),
]


def test_after_a_keep_both_texts_run_afresh_on_the_held_out_cases() -> None:
    action = next_action(stopped("saturated", *KEPT))
    assert isinstance(action, Measure) and action.title == "report"
    per_text = {text: sum(run.text_digest == text for run in action.runs) for text in ("old", "new")}
    assert per_text == {"old": 24, "new": 24}
    assert {run.case_id for run in action.runs} == set(HOLDOUT)


def test_the_gain_is_read_from_those_runs_alone() -> None:
    state = stopped("saturated", *KEPT)
    fold(runs("old", "report", everywhere(HOLDOUT, 0, 0, 1, 1)), state)
    fold(runs("new", "report", everywhere(HOLDOUT, 1, 1, 1, 1)), state)
    gain = only(next_action(state))
    assert isinstance(gain, GainReported)
    assert (gain.before, gain.after, gain.gain, gain.cases, gain.fresh) == (0.5, 1.0, 0.5, 6, True)
    assert gain.low < 0.5 < gain.high and gain.clearly_better
    assert gain.selection_before == 0.5
    fold([gain], state)
    assert next_action(state) == ProposeCases()
    fold([CasesProposed()], state)
    assert next_action(state) == Report()
    fold([ReportWritten(path="p")], state)
    finished = only(next_action(state))
    assert (finished.outcome, finished.exit_status, finished.reason) == ("improved", ExitStatus.FINISHED, "said so")
    fold([finished], state)
    assert next_action(state) == Done()


def test_one_distinct_held_out_case_gives_no_interval_and_no_wait() -> None:
    """Two near-duplicates are one case: the report says that the gain was not measured."""
    alike = SplitFrozen(selection=HOLDOUT, holdout=("a", "b"), groups=(("a", "b"),), seed=7)
    state = stopped("saturated", *KEPT)
    fold([alike, CasesProposed()], state)
    assert next_action(state) == Report()


@pytest.mark.parametrize("alike", [(), (HOLDOUT[:5],)])
def test_a_gain_on_the_few_cases_that_answered_is_no_gain(alike: tuple[tuple[str, ...], ...]) -> None:
    lost = 2 if not alike else 1
    state = stopped("saturated", *KEPT)
    fold([SplitFrozen(selection=SELECTION, holdout=HOLDOUT, groups=alike, seed=7)], state)
    fold(runs("old", "report", everywhere(HOLDOUT, 0, 0, 1, 1)), state)
    fold(runs("new", "report", everywhere(HOLDOUT[: 6 - lost], 1, 1, 1, 1)), state)
    fold(runs("new", "report", everywhere(HOLDOUT[6 - lost :], None, None)), state)
    action = next_action(state)
    assert isinstance(action, Park) and action.outcome == "outage"
    assert f"{6 - lost} of 6 held-out cases have a score for both texts" in action.reason


def test_a_report_without_scores_waits() -> None:
    state = stopped("saturated", *KEPT)
    fold(runs("old", "report", everywhere(HOLDOUT, None, None)), state)
    fold(runs("new", "report", everywhere(HOLDOUT, 1, 1, 1, 1)), state)
    action = next_action(state)
    assert isinstance(action, Park) and action.outcome == "outage"


def test_a_gain_that_cannot_be_measured_twice_is_given_up_with_its_reason() -> None:
    state = stopped("saturated", *KEPT)
    fold(runs("old", "report", everywhere(HOLDOUT, None, None)), state)
    fold([TickStarted(tick=2, pid=1, host="h"), *runs("new", "report", everywhere(HOLDOUT, 1, 1, 1, 1))], state)
    fold(runs("old", "report", everywhere(HOLDOUT, None, None), first=2), state)
    stop = only(next_action(state))
    assert isinstance(stop, Stopped) and stop.outcome == "saturated"
    assert stop.no_gain == "0 of 6 held-out cases have a score for both texts, tried twice"


@pytest.mark.parametrize(
    ("stop", "outcomes", "word", "exit_status"),
    [
        ("plateau", ["reverted", "inconclusive"], "no_improvement", ExitStatus.FINISHED),
        ("plateau", ["inconclusive", "error"], "inconclusive", ExitStatus.FINISHED),
        ("no_ideas", [], "no_improvement", ExitStatus.FINISHED),
        ("no_ideas", ["refused", "no_edits_applied"], "nothing_measured", ExitStatus.FINISHED),
        ("max_hours", ["no_edits_applied", "no_edits_applied"], "nothing_measured", ExitStatus.STOPPED),
        ("no_ideas", ["no_edits_applied"], "nothing_measured", ExitStatus.FINISHED),
        ("proposer_failed", ["no_edits_applied"] * 3, "proposer_failed", ExitStatus.STOPPED),
        ("plateau", ["refused", "reverted"], "no_improvement", ExitStatus.FINISHED),
        ("budget", ["reverted"], "inconclusive", ExitStatus.FINISHED),
        ("no_headroom", [], "no_headroom", ExitStatus.FINISHED),
        ("too_few_cases", [], "too_few_cases", ExitStatus.FINISHED),
        ("harness_failed", [], "harness_failed", ExitStatus.REFUSED),
        ("no_movement", ["reverted"], "no_movement", ExitStatus.STOPPED),
        ("proposer_failed", [], "proposer_failed", ExitStatus.STOPPED),
    ],
)
def test_the_word_and_the_exit_status(stop: str, outcomes: list[str], word: str, exit_status: ExitStatus) -> None:
    ended = [
        record
        for number, outcome in enumerate(outcomes, 1)
        for record in (*experiment(number), ExperimentClosed(number=number, outcome=outcome, reason=""))
    ]
    state = stopped(stop, *ended, ReportWritten(path="p"))
    finished = only(next_action(state))
    assert isinstance(finished, Finished)
    assert (finished.outcome, finished.exit_status) == (word, exit_status)


def test_a_run_that_was_improved_and_then_stopped_early_is_improved() -> None:
    state = stopped("no_movement", *KEPT)
    assert outcome_word(state) == "improved"
    assert outcome_word(looping()) == "no_improvement"
