"""A tick that is for a person's scores alone: of the judge before or after a run, or of the final text, blind."""

from __future__ import annotations

from typing import Any

import pytest
from journals import HOLDOUT, experiment, looping, next_action
from test_plan_judged import AGAIN, ATTENDED, UNCHECKED, blind, judged, measured, sheet, told

from ceopt_tui.core.plan.actions import Ask, Park, Report, ScoreSheet
from ceopt_tui.core.plan.calibrating import final_sheet
from ceopt_tui.core.plan.terms import ScoringOnly
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from schemas.judging_records import PersonScored, SheetClosed
from schemas.records import AnyRecord, Committed, ExperimentClosed, GainReported, ReportWritten, Stopped

FINAL = {**ATTENDED, "scoring": ScoringOnly("blind", 1)}
GAIN = GainReported(
    original_digest="old", final_digest="new", cases=6, before=2.0, after=4.0, gain=2.0, low=1.5, high=2.5,
    cautious=1.6, clearly_better=True, fresh=True, selection_before=2.0, selection_after=4.0,
)  # fmt: skip


def ended(*records: AnyRecord, gain: bool = True) -> RunState:
    """One kept change; its gain was measured, and told in a report."""
    return looping(
        *experiment(),
        Committed(number=1, text_digest="new", commit="c", branch="b"),
        ExperimentClosed(number=1, outcome="kept", reason=""),
        Stopped(outcome="plateau", reason="r"),
        *judged(HOLDOUT, 2.0, 2.0, step="report"),
        *judged(HOLDOUT, 4.0, 4.0, text="new", step="report"),
        *([GAIN, ReportWritten(path="p")] if gain else []),
        *records,
    )


def closed(outcome: Any = "done") -> SheetClosed:
    return SheetClosed(sheet="final-1", purpose="blind", outcome=outcome, rubric_digest="r", judge_model="j", number=1)


def scored(old: float, new: float, name: str = "final-1") -> list[AnyRecord]:
    marks = [record for record in blind(6, old, new) if isinstance(record, PersonScored)]
    return [mark.model_copy(update={"sheet": name}) for mark in marks]


def test_the_judge_is_compared_once_more_and_the_tick_ends_with_its_standing() -> None:
    only = {**ATTENDED, "judge": UNCHECKED, "scoring": ScoringOnly("calibration", 2)}
    state = measured(AGAIN, sheet(1), *told("calibrated-1", "go on"))
    fold([_baseline_of(state)], state)
    assert next_action(state, **only) == ScoreSheet("calibration", "calibration-2", 2)
    fold([sheet(2)], state)
    assert next_action(state, **only) == Ask("calibrated", 2)
    fold(told("calibrated-2", "go on"), state)
    action = next_action(state, **only)
    assert isinstance(action, Park) and (action.status, action.outcome) == ("waiting", "calibrated")
    assert action.reason == "Nobody has compared the judge's scores with their own."


def test_scores_of_held_out_outputs_never_calibrate_the_judge() -> None:
    marks = [mark.model_copy(update={"sheet": "calibration-1"}) for mark in scored(1.0, 5.0)]
    state = ended(*marks, sheet(1), *told("calibrated-1", "go on"))
    action = next_action(state, **{**ATTENDED, "judge": UNCHECKED, "scoring": ScoringOnly("calibration", 1)})
    assert isinstance(action, Park) and action.reason == "Nobody has compared the judge's scores with their own."


def _baseline_of(state: RunState) -> Any:
    (record,) = getattr(next_action(state, **ATTENDED), "records", ())
    return record


def test_without_a_kept_text_there_is_nothing_to_compare() -> None:
    for state in (looping(), ended(gain=False)):
        action = next_action(state, **FINAL)
        assert isinstance(action, Park) and (action.status, action.outcome) == ("blocked", "needs_person")


def test_scores_of_the_final_text_enter_the_gain_and_a_new_report() -> None:
    assert next_action(ended(), **FINAL) == ScoreSheet("blind", final_sheet(1), 1)
    state = ended(*scored(2.0, 3.0), closed())
    (gain,) = getattr(next_action(state, **FINAL), "records", ())
    assert isinstance(gain, GainReported) and gain.people is not None
    assert (gain.gain, gain.people.labelled, gain.people.people_mean) == (2.0, 6, 1.0)
    fold([gain], state)
    assert next_action(state, **FINAL) == Report()
    fold([ReportWritten(path="p")], state)
    action = next_action(state, **FINAL)
    assert isinstance(action, Park) and (action.status, action.outcome) == ("waiting", "scored")
    assert "A person who scored 6 of them blind sees +1.00" in action.reason


def test_scores_that_were_thrown_away_change_nothing() -> None:
    action = next_action(ended(*scored(2.0, 3.0), closed("discarded")), **FINAL)
    assert isinstance(action, Park) and action.outcome == "scored"


@pytest.mark.parametrize("keeps", [1, 2])
def test_blind_scores_that_decided_a_keep_are_not_told_as_the_gain(keeps: int) -> None:
    of_the_keep = closed().model_copy(update={"sheet": "blind-1-1"})
    more = [Committed(number=1, text_digest="new", commit="d", branch="b")] * (keeps - 1)
    state = ended(*scored(2.0, 3.0, "blind-1-1"), of_the_keep, closed("stopped"))
    state.keeps.extend(more)
    assert not getattr(next_action(state, **FINAL), "records", ())
