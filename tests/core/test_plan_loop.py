"""What comes next in the loop, read off hand-written journals."""

from __future__ import annotations

from typing import Any

import pytest
from fakes import terms
from journals import AT, HOLDOUT, SELECTION, baseline, everywhere, experiment, idea, looping, next_action, runs, started

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.plan.actions import Ask, Hypothesize, Measure, Note, Park, Propose
from ceopt_tui.core.plan.closing import changes, tallies
from ceopt_tui.core.plan.plan import begins_experiment
from ceopt_tui.core.state.fold import fold
from schemas.records import (
    BacklogClosed,
    CandidateRefused,
    Decided,
    ExperimentClosed,
    Looked,
    ReferenceReset,
    Stopped,
    TickStarted,
)


def noted(action: Any, kind: type) -> Any:
    assert isinstance(action, Note)
    (found,) = (record for record in action.records if isinstance(record, kind))
    return found


def decided(step: Any, decision: str, following: str, number: int = 1) -> Decided:
    return Decided(number=number, step=step, decision=decision, next_measurement=following, reason="said so")


def test_ideas_are_asked_for_before_the_first_experiment() -> None:
    assert next_action(looping()) == Hypothesize(0)


def test_no_idea_is_tried_before_the_round_of_ideas_is_complete() -> None:
    assert next_action(looping(idea(1))) == Hypothesize(0)


def test_the_best_ranked_idea_goes_first_and_a_fresh_category_breaks_ties() -> None:
    ideas = [idea(1, rank=1), idea(2, rank=2, category="b"), idea(3, rank=2, category="c"), idea(4, rank=2)]
    closed = ExperimentClosed(number=1, outcome="reverted", reason="")
    state = looping(*experiment(1), closed, *ideas[1:], BacklogClosed(generation=0, added=4))
    assert noted(next_action(state), object).hypothesis_id == "h002"
    assert noted(next_action(state), object).number == 2


def test_an_idea_that_needs_an_approval_waits() -> None:
    waiting = idea(1, dep_status="needs_approval", required_deps=("x",))
    state = looping(waiting, BacklogClosed(generation=0, added=1))
    assert next_action(state) == Hypothesize(1)


def test_an_idea_of_a_person_outlives_a_keep() -> None:
    state = looping(idea(1, source="person"), BacklogClosed(generation=3, added=0))
    assert noted(next_action(state), object).hypothesis_id == "h001"


def test_a_round_without_ideas_ends_the_loop() -> None:
    stop = noted(next_action(looping(BacklogClosed(generation=0, added=0))), Stopped)
    assert stop.outcome == "no_ideas" and "no executable action is left" in stop.reason


def test_a_refused_candidate_is_asked_for_once_more() -> None:
    state = looping(*experiment(text=None))
    assert next_action(state) == Propose(1, 1)
    refused = CandidateRefused(number=1, attempt=1, text_digest="bad", refusals=({"code": "leak", "message": "m"},))
    fold([refused], state)
    assert next_action(state) == Propose(1, 2)
    again = refused.model_copy(update={"refusals": ({"code": "unchanged", "message": "seen before"},)})
    fold([again], state)
    closed = noted(next_action(state), ExperimentClosed)
    assert (closed.outcome, closed.reason) == ("refused", "m")
    assert state.refused_texts == {"bad"}


@pytest.mark.parametrize("code", ["proposal", "edit_not_found", "no_edits_applied"])
def test_replies_that_hold_no_edit_are_no_refusal(code: str) -> None:
    refused = CandidateRefused(number=1, attempt=1, refusals=({"code": code, "message": "m"},))
    state = looping(*experiment(text=None), refused, refused)
    assert noted(next_action(state), ExperimentClosed).outcome == "no_edits_applied"


def test_an_experiment_begins_with_four_random_cases() -> None:
    action = next_action(looping(*experiment()))
    assert isinstance(action, Measure) and action.title == "exp-001 exploratory 1"
    assert len(action.runs) == 4 and {run.step for run in action.runs} == {"exploratory"}
    assert {run.case_id for run in action.runs} < set(SELECTION)
    assert next_action(looping(*experiment())) == action
    other = next_action(looping(*experiment()), seed=8)
    assert isinstance(other, Measure) and other.runs != action.runs


MANY = tuple(f"s{number:02d}" for number in range(20))


def first_cases(measured: dict[str, Any], number: int = 1, **changes: Any) -> set[str]:
    """The cases that experiment `number` begins with, over a reference that was measured like this."""
    reference = runs("old", "baseline", measured)
    state = fold([*started(selection=MANY), *baseline()[-3:], *reference, *experiment(number)])
    action = next_action(state, **changes)
    assert isinstance(action, Measure) and {run.step for run in action.runs} == {"exploratory"}
    return {run.case_id for run in action.runs}


@pytest.mark.parametrize("number", range(1, 30))
def test_half_of_the_first_cases_can_still_get_better(number: int) -> None:
    measured = {**everywhere(MANY, 1, 1, 1, 1), **everywhere(("s03", "s11", "s17"), 1, 0, 1, 1)}
    drawn = first_cases(measured, number)
    assert len(drawn) == 4 and len(drawn & {"s03", "s11", "s17"}) >= 2
    assert first_cases({**measured, "s00": (1, 1, 1, 1, 0)}, number) == drawn  # runs that came later


def test_where_all_pass_or_little_is_to_be_had_the_rest_is_any() -> None:
    assert len(first_cases(everywhere(MANY, 1, 1, 1, 1))) == 4
    assert "s05" in first_cases({**everywhere(MANY, 1, 1, 1, 1), "s05": (0, 0, 0, 0)})
    lower = first_cases({**everywhere(MANY, 0, 0, 0, 0), "s05": (1, 0, 0, 0)}, maximize=False)
    assert "s05" in lower and len(lower) == 4


def test_the_first_cases_wait_for_the_whole_reference() -> None:
    part = runs("old", "baseline", everywhere(MANY[:10], 1, 0, 1, 0))
    action = next_action(fold([*started(selection=MANY), *baseline()[-3:], *part, *experiment()]))
    assert isinstance(action, Measure)
    assert {run.text_digest for run in action.runs} == {"old"} and len(action.runs) == 40


def test_small_sets_skip_the_exploratory_step() -> None:
    few = SELECTION[:4]
    records = [*started(selection=few), *baseline(), *experiment()]
    action = next_action(fold(records))
    assert isinstance(action, Measure)
    candidate = {run.case_id for run in action.runs if run.text_digest == "new"}
    assert candidate == set(few) and {run.step for run in action.runs} == {"add_sample", "drift"}


def test_a_sweep_carries_three_fresh_runs_of_the_reference() -> None:
    state = looping(*experiment(), decided("exploratory", "inconclusive", "add_sample"))
    action = next_action(state)
    assert isinstance(action, Measure)
    drift = [run for run in action.runs if run.step == "drift"]
    assert len(drift) == 3 and {(run.text_digest, run.sample) for run in drift} == {("old", 4)}
    assert len(action.runs) == 6 + 3


def drift_of(action: Any) -> list[tuple[str, int]]:
    assert isinstance(action, Measure)
    return [(run.case_id, run.sample) for run in action.runs if run.step == "drift"]


def test_every_later_sweep_carries_fresh_runs_of_the_reference_too() -> None:
    state = looping(*experiment(), decided("exploratory", "inconclusive", "add_sample"))
    first = drift_of(next_action(state))
    fold(runs("new", "add_sample", everywhere(SELECTION, 1.0), experiment=1), state)
    for case, sample in first:
        fold(runs("old", "drift", {case: [0.5]}, first=sample, experiment=1), state)
    assert isinstance(next_action(state), Note)
    fold([decided("add_sample", "inconclusive", "add_sample")], state)
    second = drift_of(next_action(state))
    assert len(second) == 3 and not set(first) & set(second)
    fold(runs("old", "drift", {second[0][0]: [0.5]}, first=second[0][1], experiment=1), state)
    assert drift_of(next_action(state)) == second[1:]  # a kill in the pool owes the rest, and no more


def test_a_later_look_carries_fresh_runs_on_held_out_cases() -> None:
    state = looping(
        *experiment(),
        *runs("old", "reference", everywhere(HOLDOUT, 0, 1, 0, 1), experiment=1),
        ExperimentClosed(number=1, outcome="inconclusive", reason=""),
        *experiment(2, "newer"),
        decided("add_sample", "promising", "confirm", 2),
        Looked(look=2, number=2, level=0.1, keeps=0),
    )
    assert len(drift_of(next_action(state))) == 3
    assert {case for case, _ in drift_of(next_action(state))} < set(HOLDOUT)


def test_where_repeats_are_identical_one_run_is_enough() -> None:
    records = [
        *started(),
        *runs("old", "baseline", everywhere(SELECTION, 1, 1, 1, 1)),
        *baseline(deterministic=True)[-3:],
    ]
    begun = decided("exploratory", "inconclusive", "add_sample")
    state = fold([*records, *experiment(), begun])
    assert len(drift_of(next_action(state))) == 1
    confirmed = [
        decided("confirm", "promising", "holdout"),
        Looked(look=1, number=1, level=0.1, keeps=0),
        *runs("old", "reference", everywhere(HOLDOUT, 0), experiment=1),
        *runs("new", "confirm", everywhere(HOLDOUT, 1), experiment=1),
    ]
    assert isinstance(next_action(fold(confirmed, state)), Note)


def test_drift_on_held_out_cases_measures_those_again_and_no_others() -> None:
    state = looping(
        *experiment(),
        Looked(look=1, number=1, level=0.1, keeps=0),
        *runs("old", "reference", everywhere(HOLDOUT, 0, 0, 0, 0), experiment=1),
        decided("confirm", "promising", "holdout"),
        *runs("new", "holdout", everywhere(HOLDOUT, 1, 1, 1, 1), experiment=1),
    )
    for case, sample in drift_of(next_action(state)):
        fold(runs("old", "drift", {case: [1.0]}, first=sample, experiment=1), state)
    reset = noted(next_action(state), ReferenceReset)
    assert reset.held_out_only
    fold([reset], state)
    assert not state.reference.held_out and set(state.reference.selection) == set(SELECTION)
    again = next_action(state)
    assert isinstance(again, Measure)
    assert [(run.text_digest, run.step) for run in again.runs] == [("old", "reference")] * 24


def test_drift_beyond_three_standard_errors_resets_the_reference() -> None:
    steady = runs("old", "baseline", everywhere(SELECTION, 0, 0, 0, 0))
    one = runs("old", "baseline", {"s0": [0.1]}, first=4)
    drift = runs("old", "drift", everywhere(SELECTION, 1.0), first=5, experiment=1)
    sweep = runs("new", "add_sample", everywhere(SELECTION, 1.0), experiment=1)
    begun = decided("exploratory", "inconclusive", "add_sample")
    records = [*started(), *steady, *one, *baseline()[-3:], *experiment(), begun, *sweep, *drift]
    state = fold(records)
    reset = noted(next_action(state), ReferenceReset)
    assert reset.text_digest == "old"
    fold([reset], state)
    assert state.reference.epoch == 1 and not state.reference.selection
    action = next_action(state)
    assert isinstance(action, Measure)
    assert sum(run.step == "reference" for run in action.runs) == 4 * 6
    assert not [run for run in action.runs if run.step == "drift"]


def test_a_case_that_failed_twice_is_given_up_for_this_tick() -> None:
    begun = decided("exploratory", "inconclusive", "add_sample")
    failed = runs("new", "add_sample", {"s0": [None, None]}, experiment=1)
    state = looping(*experiment(), begun, *failed)
    action = next_action(state)
    assert isinstance(action, Measure)
    assert "s0" not in {run.case_id for run in action.runs if run.text_digest == "new"}
    fold([TickStarted(tick=2, pid=1, host="h")], state)
    action = next_action(state)
    assert isinstance(action, Measure)
    assert [run.sample for run in action.runs if run.case_id == "s0" and run.text_digest == "new"] == [2]


def test_a_sweep_that_lost_too_many_cases_is_an_error_and_no_verdict() -> None:
    scores = {**everywhere(SELECTION, 1.0), "s0": [None, None], "s1": [None, None]}
    sweep = runs("new", "add_sample", scores, experiment=1)
    drift = runs("old", "drift", everywhere(SELECTION, 0.0), first=4, experiment=1)
    state = looping(*experiment(), decided("exploratory", "inconclusive", "add_sample"), *sweep, *drift)
    closed = noted(next_action(state), ExperimentClosed)
    assert (closed.outcome, closed.reason) == ("error", "scored 4 of 6 cases: 2 calls failed, the last with: 500")
    closed = noted(next_action(state, max_unscored=0.5), Decided)
    assert closed.decision != "error"


def test_a_reference_that_cannot_be_measured_is_an_error() -> None:
    lost = runs("old", "reference", everywhere(SELECTION, None, None), experiment=1)
    sweep = runs("new", "exploratory", everywhere(SELECTION, 1.0), experiment=1)
    reset = ReferenceReset(text_digest="old", reason="drift")
    state = looping(reset, *experiment(), *lost, *sweep)
    assert noted(next_action(state), ExperimentClosed).outcome == "error"


def test_empty_answers_that_a_case_wants_are_not_degenerate() -> None:
    empty = runs("new", "exploratory", everywhere(SELECTION, 1.0), experiment=1)
    empty = [record.model_copy(update={"output": " "}) for record in empty]
    assert noted(next_action(looping(*experiment(), *empty)), Decided).decision == "promising"
    failing = [record.model_copy(update={"passed": False, "score": 0.0}) for record in empty]
    assert noted(next_action(looping(*experiment(), *failing)), ExperimentClosed).outcome == "degenerate"


def test_a_look_is_noted_before_held_out_cases_run_and_counts_on() -> None:
    state = looping(*experiment(), decided("add_sample", "promising", "confirm"))
    looked = noted(next_action(state), Looked)
    assert (looked.look, looked.keeps, looked.level) == (1, 0, 0.1)
    fold([looked], state)
    action = next_action(state)
    assert isinstance(action, Measure)
    assert {run.case_id for run in action.runs} == set(HOLDOUT)
    per_text = {text: [run.step for run in action.runs if run.text_digest == text] for text in ("old", "new")}
    assert per_text == {"old": ["reference"] * 24, "new": ["confirm"] * 12}


def test_the_second_rung_runs_the_candidate_twice_more() -> None:
    records = [
        decided("add_sample", "promising", "confirm"),
        Looked(look=1, number=1, level=0.1, keeps=0),
        *runs("old", "reference", everywhere(HOLDOUT, 0, 0, 0, 0), experiment=1),
        *runs("new", "confirm", everywhere(HOLDOUT, 1, 1), experiment=1),
    ]
    state = looping(*experiment(), *records)
    step = noted(next_action(state), Decided)
    assert (step.step, step.decision, step.next_measurement) == ("confirm", "promising", "holdout")
    fold([step], state)
    action = next_action(state)
    assert isinstance(action, Measure)
    assert (
        sorted((run.text_digest, run.step) for run in action.runs) == [("new", "holdout")] * 12 + [("old", "drift")] * 3
    )
    fold(runs("old", "drift", everywhere(HOLDOUT, 0), first=4, experiment=1), state)
    fold(runs("new", "holdout", everywhere(HOLDOUT, 1, 1), first=2, experiment=1), state)
    verdict = noted(next_action(state), Decided)
    assert (verdict.step, verdict.decision, verdict.numbers["n"]) == ("holdout", "keep", 6)
    assert verdict.numbers["mean_difference"] == 1.0


def test_a_look_is_judged_by_the_level_it_was_granted() -> None:
    state = looping(
        *experiment(),
        decided("confirm", "promising", "holdout"),
        Looked(look=1, number=1, level=1e-9, keeps=0),
        *runs("old", "reference", everywhere(HOLDOUT, 0, 0, 0, 0), experiment=1),
        *runs("new", "holdout", everywhere(HOLDOUT, 1, 1, 0, 0), experiment=1),
        *runs("old", "drift", everywhere(HOLDOUT, 0), first=4, experiment=1),
    )
    verdict = noted(next_action(state, caution="low"), Decided)
    assert (verdict.decision, verdict.numbers["level"]) == ("inconclusive", 1e-9)


def test_a_worn_held_out_set_is_said_once() -> None:
    looks = [Looked(look=place, number=1, level=0.1, keeps=0) for place in range(1, 16)]
    state = looping(*experiment(), *looks, *experiment(2), decided("add_sample", "promising", "confirm", 2))
    action = next_action(state)
    assert isinstance(action, Note) and len(action.records) == 2
    assert "worn after 16 looks" in action.records[1].text
    fold(action.records, state)
    fold([ExperimentClosed(number=2, outcome="inconclusive", reason="")], state)
    fold([*experiment(3), decided("add_sample", "promising", "confirm", 3)], state)
    again = next_action(state)
    assert isinstance(again, Note) and len(again.records) == 1


@pytest.mark.parametrize(
    ("records", "room"),
    [
        ([], 4 + 48),
        ([decided("exploratory", "inconclusive", "add_sample")], 9 + 48),
        ([decided("add_sample", "promising", "confirm")], 36 + 48),
    ],
)
def test_no_step_begins_that_would_eat_the_reports_share(records: list[Any], room: int) -> None:
    state = looping(*experiment(), *records)
    assert state.spend.calls == 0
    stop = noted(next_action(state, budget=Caps(calls=room - 1)), Stopped)
    assert stop.outcome == "budget"
    assert not any(isinstance(record, Stopped) for record in getattr(
        next_action(state, budget=Caps(calls=room)), "records", ())
    )  # fmt: skip
    fold([stop], state)
    closed = noted(next_action(state), ExperimentClosed)
    assert closed.outcome == "inconclusive" and closed.reason.startswith("budget: the cap leaves no room")


def test_an_approval_is_for_exactly_this_spec_and_these_caps() -> None:
    state = looping(*experiment())
    assert isinstance(next_action(state, approval_digest="another"), Ask)
    assert isinstance(next_action(state, caps={"max_calls": 1.0}), Ask)


def test_three_errors_in_a_row_park_until_the_next_tick() -> None:
    errors = [
        record
        for number in (1, 2, 3)
        for record in (*experiment(number), ExperimentClosed(number=number, outcome="error", reason=""))
    ]
    state = looping(*errors)
    action = next_action(state)
    assert isinstance(action, Park) and (action.status, action.outcome) == ("waiting", "outage")
    assert state.plateau == 0 and state.iterations == 3
    fold([TickStarted(tick=2, pid=1, host="h")], state)
    assert next_action(state) == Hypothesize(1)


def test_fixed_and_regressed_go_by_most_runs_and_by_direction() -> None:
    sweep = runs("new", "add_sample", {"s0": [1, 1, 0], "s1": [0, 0, 1], "s2": [0, 1]}, experiment=1)
    state = looping(*experiment(), *sweep)
    state.reference.selection.update({"s0": [0.0], "s1": [1.0], "s2": [1.0, 1.0], "s3": []})
    state.current.selection["s3"] = [1.0]
    assert changes(state, terms(), state.current) == (("s0",), ("s1", "s2"))
    named = ("s0", "s1", "s2", "s3")
    assert tallies(state, terms(), state.current, named) == {"s0": (2, 3, 0, 1), "s1": (1, 3, 1, 1), "s2": (1, 2, 2, 2)}
    fewer_is_better = terms(maximize=False, pass_at=0.0)
    assert changes(state, fewer_is_better, state.current) == (("s1",), ("s0",))
    assert tallies(state, fewer_is_better, state.current, ["s0"]) == {"s0": (1, 3, 1, 1)}


def test_times_count_from_the_first_round_of_ideas() -> None:
    state = looping(BacklogClosed(generation=0, added=1, at=AT, active_s=30.0), idea(1))
    assert (state.phase3_at, state.phase3_active_s) == (AT, 30.0)
    assert noted(next_action(state, active_s=3600.0), Stopped).outcome == "max_hours"
    assert noted(next_action(state, wall_s=72 * 3600.0), Stopped).outcome == "max_wall_hours"


def test_a_verdict_of_error_closes_the_experiment_unmeasured() -> None:
    state = looping(*experiment(), decided("confirm", "error", "confirm"))
    closed = noted(next_action(state), ExperimentClosed)
    assert (closed.outcome, closed.reason) == ("error", "said so")


def test_a_drift_check_that_a_kill_cut_off_is_finished_before_the_verdict() -> None:
    begun = decided("exploratory", "inconclusive", "add_sample")
    sweep = runs("new", "add_sample", everywhere(SELECTION, 1.0), experiment=1)
    action = next_action(looping(*experiment(), begun, *sweep))
    assert isinstance(action, Measure)
    assert [run.step for run in action.runs] == ["drift"] * 3


def test_ideas_and_a_start_lead_to_another_experiment_and_nothing_else_does() -> None:
    closed = ExperimentClosed(number=1, outcome="reverted", reason="r")
    assert begins_experiment(next_action(looping()))
    assert begins_experiment(next_action(looping(BacklogClosed(generation=0, added=1), idea(1))))
    assert not begins_experiment(next_action(looping(*experiment())))
    assert not begins_experiment(next_action(looping(*experiment(), closed), max_iterations=1))
