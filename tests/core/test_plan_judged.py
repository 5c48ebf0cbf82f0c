"""What comes next in a judged run: verdicts before anything new, the offer to compare, blind scores before a keep."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fakes import terms
from journals import HOLDOUT, SELECTION, baseline, experiment, looping, next_action, started
from test_state_judging import RUBRIC, call, verdict, waiting

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.plan.actions import Ask, GroupThemes, Hypothesize, Judge, Keep, Note, Park, Probe, ScoreSheet
from ceopt_tui.core.plan.calibrating import JUDGED_TWICE, NOT_NOW, SCORE_MORE, SCORE_NOW
from ceopt_tui.core.plan.measuring import requests_per_run, usd_per_run
from ceopt_tui.core.plan.terms import JudgeTerms
from ceopt_tui.core.ports import ProposalRefused, Refusal
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.judging import SCORE_BLIND
from ceopt_tui.core.state.run import RunState
from schemas.judging_records import Judged, PersonScored, SheetClosed, ThemesGrouped
from schemas.records import (
    Answered,
    AnyRecord,
    Asked,
    Committed,
    Decided,
    ExperimentClosed,
    Looked,
    Probed,
    Stopped,
)

CASES = {case: (f"input {case}", None) for case in (*SELECTION, *HOLDOUT)}
JUDGE = JudgeTerms(rubric_digest="r", model="j", cases=CASES, waived="style is not at stake")
SCALE: dict[str, Any] = {"judge": JUDGE, "lowest": 1.0, "span": 4.0, "pass_at": 4.0}
ATTENDED: dict[str, Any] = {**SCALE, "attended": True}


def judged(cases: tuple[str, ...], *scores: float | None, text: str = "old", step: Any = "baseline") -> list[AnyRecord]:
    """Runs of every case and the judge's word on each."""
    places = [(case, sample) for case in cases for sample in range(len(scores))]
    verdicts = tuple(verdict(case, scores[sample], sample, text) for case, sample in places)
    return [*(waiting(case, sample, text, step) for case, sample in places), Judged(verdicts=verdicts)]


def told(question: str, answer: str) -> list[AnyRecord]:
    asked = Asked(question_id=question, title="t", message="m", question="?", options=(answer,))
    return [asked, Answered(question_id=question, answer=answer)]


def measured(*records: AnyRecord) -> RunState:
    """The baseline is run and judged; nothing of it has been shown."""
    approvals = baseline()[-2:]
    return fold([*started(), *approvals, RUBRIC, *judged(SELECTION, 2.0, 3.0, 4.0, 3.0), *records])


AGAIN = Judged(again=True, verdicts=tuple(verdict(case, 2.0) for case in SELECTION[:JUDGED_TWICE]))
UNCHECKED = replace(JUDGE, waived="")


def test_outputs_that_are_in_are_judged_before_anything_new_is_run() -> None:
    state = fold([*started(), *baseline()[-2:], waiting("s0"), waiting("s1")])
    assert next_action(state, **SCALE) == Judge((("old", "s0", 0), ("old", "s1", 0)), "judging")


def test_a_few_outputs_of_the_baseline_are_judged_twice_once() -> None:
    action = next_action(measured(), **SCALE)
    assert isinstance(action, Judge) and action.again and action.title == "judging again"
    assert len(set(action.places)) == JUDGED_TWICE and {place[0] for place in action.places} == {"old"}
    assert action == next_action(measured(), **SCALE)
    (record,) = getattr(next_action(measured(AGAIN), **SCALE), "records", ())
    assert (record.kind, record.judged_again, record.flips) == ("baseline_measured", 5, 0)


def test_a_kill_between_second_verdicts_changes_nothing_about_the_rest() -> None:
    every = next_action(measured(), **SCALE)
    assert isinstance(every, Judge)
    for done in range(1, JUDGED_TWICE):
        said = tuple(verdict(case, 2.0, sample) for _, case, sample in every.places[:done])
        rest = next_action(measured(Judged(again=True, verdicts=said)), **SCALE)
        assert isinstance(rest, Judge) and rest.places == every.places[done:]


def test_a_judge_that_nobody_checked_or_waived_does_not_run_unattended() -> None:
    action = next_action(fold(started()), **{**SCALE, "judge": UNCHECKED})
    assert isinstance(action, Park) and (action.status, action.outcome) == ("blocked", "needs_person")
    assert "ceopt calibrate" in action.reason
    unapproved = fold([*started()[:2]])
    assert next_action(unapproved, **SCALE) == Probe()


def test_missing_exemplars_are_asked_of_a_person_once() -> None:
    lacking = replace(JUDGE, lacking=("good", "bad"))
    state = fold([*started()[:2], *baseline()[-2:]])
    assert next_action(state, **{**ATTENDED, "judge": lacking}) == Ask("exemplars")
    assert next_action(state, **{**SCALE, "judge": lacking}) == Probe()
    fold(told("exemplars", "go on without"), state)
    assert next_action(state, **{**ATTENDED, "judge": lacking}) == Probe()


def test_a_judge_that_rewards_a_shortcut_is_not_used() -> None:
    failed = Probed(probe="empty", status="failed", detail="empty output scores 5 of 5")
    action = next_action(fold([*started()[:2], failed]), **SCALE)
    (stop,) = getattr(action, "records", ())
    assert isinstance(stop, Stopped) and stop.outcome == "harness_failed"
    assert stop.reason == "the judge cannot be used: empty: empty output scores 5 of 5"


def test_a_person_is_offered_to_compare_before_any_score_is_shown() -> None:
    attended = {**ATTENDED, "judge": UNCHECKED}
    assert next_action(measured(AGAIN), **attended) == Ask("calibrate")
    assert next_action(measured(AGAIN), **ATTENDED).records[0].kind == "baseline_measured"  # type: ignore[union-attr]
    declined = next_action(measured(AGAIN, *told("calibrate", NOT_NOW)), **attended)
    assert isinstance(declined, Note) and declined.records[0].kind == "baseline_measured"


def sheet(number: int, outcome: Any = "done", purpose: Any = "calibration") -> SheetClosed:
    name = f"calibration-{number}" if purpose == "calibration" else f"blind-{number}-1"
    return SheetClosed(sheet=name, purpose=purpose, outcome=outcome, rubric_digest="r", judge_model="j")


def test_sheet_and_result_follow_one_another_until_the_person_goes_on() -> None:
    attended = {**ATTENDED, "judge": UNCHECKED}
    state = measured(AGAIN, *told("calibrate", SCORE_NOW))
    assert next_action(state, **attended) == ScoreSheet("calibration", "calibration-1", 1)
    fold([sheet(1)], state)
    assert next_action(state, **attended) == Ask("calibrated", 1)
    fold(told("calibrated-1", SCORE_MORE), state)
    assert next_action(state, **attended) == ScoreSheet("calibration", "calibration-2", 2)
    fold([sheet(2), *told("calibrated-2", "go on")], state)
    assert next_action(state, **attended).records[0].kind == "baseline_measured"  # type: ignore[union-attr]


def test_a_sheet_that_was_thrown_away_ends_the_offer() -> None:
    state = measured(AGAIN, *told("calibrate", SCORE_NOW), sheet(1, "discarded"))
    action = next_action(state, **{**ATTENDED, "judge": UNCHECKED})
    assert isinstance(action, Note) and action.records[0].kind == "baseline_measured"


def test_a_persons_scores_of_this_run_are_held_against_the_judges() -> None:
    marks = [
        PersonScored(sheet="calibration-1", text_digest="old", case_id=case, sample=sample, score=score)
        for sample, score in enumerate((1.0, 3.0, 5.0, 3.0))
        for case in SELECTION[:4]
    ]
    state = measured(AGAIN, *marks, sheet(1))
    attended = {**ATTENDED, "judge": UNCHECKED}
    # Sixteen scores in the judge's own order: there is nothing left to ask.
    assert next_action(state, **attended).records[0].kind == "baseline_measured"  # type: ignore[union-attr]


def test_failures_are_grouped_before_ideas_are_asked_for() -> None:
    grouped = ThemesGrouped(text_digest="old", generation=0, themes=())
    assert next_action(looping(), **SCALE) == GroupThemes(0)
    assert next_action(looping(grouped), **SCALE) == Hypothesize(0)


def winner(*records: AnyRecord) -> RunState:
    """A candidate that won by the judge's word, on held-out cases too, and was to be scored blind first."""
    kept = Decided(number=1, step="holdout", decision="keep", next_measurement="none", reason="said so")
    return looping(
        *experiment(),
        Looked(look=1, number=1, level=0.1, keeps=0),
        *judged(HOLDOUT, 2.0, 2.0, 2.0, 2.0, step="reference"),
        *judged(HOLDOUT, 4.0, 4.0, 4.0, 4.0, text="new", step="holdout"),
        kept,
        *told("blind-1", SCORE_BLIND),
        *records,
    )


def blind(count: int, old: float, new: float) -> list[AnyRecord]:
    return [
        PersonScored(sheet="blind-1-1", text_digest=text, case_id=case, sample=0, score=score)
        for case in HOLDOUT[:count]
        for text, score in (("old", old), ("new", new))
    ]


BLIND_DONE = sheet(1, purpose="blind")


def test_a_winner_is_scored_blind_and_what_people_say_goes_on_record() -> None:
    assert next_action(winner(), **ATTENDED) == ScoreSheet("blind", "blind-1-1", 1)
    action = next_action(winner(*blind(6, 2.0, 4.0), BLIND_DONE), **ATTENDED)
    (compared,) = getattr(action, "records", ())
    assert (compared.number, compared.figures.labelled, compared.figures.people_mean) == (1, 6, 2.0)
    after = winner(*blind(6, 2.0, 4.0), BLIND_DONE, compared, *told("keep-1", "keep"))
    assert next_action(after, **ATTENDED) == Keep(1)


def test_people_who_see_no_gain_stop_a_keep() -> None:
    state = winner(*blind(6, 3.0, 2.0), BLIND_DONE)
    (compared,) = getattr(next_action(state, **ATTENDED), "records", ())
    refuted = compared.model_copy(update={"confirms": False})
    (closed,) = getattr(next_action(fold([refuted], state), **ATTENDED), "records", ())
    assert isinstance(closed, ExperimentClosed) and closed.outcome == "inconclusive"
    assert closed.reason == "6 cases scored blind do not confirm the judge: -1.00 by people, +2.00 by the judge"


@pytest.mark.parametrize(("claims", "confirms"), [("tokens", True), ("primary", False)])
def test_people_who_see_no_difference_confirm_a_shorter_text_and_no_gain(claims: str, confirms: bool) -> None:
    many = tuple(f"h{number}" for number in range(10))
    opened, *rest = experiment()
    marks = [
        PersonScored(sheet="blind-1-1", text_digest=text, case_id=case, sample=0, score=3.0)
        for case in many
        for text in ("old", "new")
    ]
    state = looping(
        opened.model_copy(update={"claims": claims}),
        *rest,
        Looked(look=1, number=1, level=0.1, keeps=0),
        *judged(many, 3.0, 3.0, 3.0, 3.0, step="reference"),
        *judged(many, 3.0, 3.0, 3.0, 3.0, text="new", step="holdout"),
        Decided(number=1, step="holdout", decision="keep", next_measurement="none", reason="said so"),
        *told("blind-1", SCORE_BLIND),
        *marks,
        BLIND_DONE,
        holdout=many,
    )
    (compared,) = getattr(next_action(state, **ATTENDED), "records", ())
    assert compared.confirms is confirms


@pytest.mark.parametrize("records", [[sheet(1, "discarded", "blind")], [*blind(1, 2.0, 4.0), BLIND_DONE]])
def test_scores_thrown_away_or_too_few_leave_the_question_as_it_was(records: list[AnyRecord]) -> None:
    assert next_action(winner(*records), **ATTENDED) == Ask("keep", 1)


def test_the_reports_outputs_are_judged_before_the_gain_is_told() -> None:
    kept = [Committed(number=1, text_digest="new", commit="c", branch="b"), Stopped(outcome="plateau", reason="r")]
    closed = ExperimentClosed(number=1, outcome="kept", reason="")
    report = [waiting(case, text=text, sample=9, step="report") for case in HOLDOUT for text in ("old", "new")]
    action = next_action(looping(*experiment(), kept[0], closed, kept[1], *report), **SCALE)
    assert isinstance(action, Judge) and len(action.places) == 12


def test_judging_counts_in_the_price_of_a_run() -> None:
    priced = terms(judge=replace(JUDGE, usd_per_item=0.01, batch_size=4), budget=Caps(usd=1.0, usd_per_run=0.002))
    fresh = looping()
    assert usd_per_run(fresh, priced) == pytest.approx(0.012)
    assert requests_per_run(fresh, priced) == 1.25
    dear = looping(waiting("s0", 9), Judged(verdicts=(verdict("s0", 4.0, 9),), calls=(call(0.05), call(0.05))))
    assert usd_per_run(dear, priced) == pytest.approx(0.002 + 1.1 * 0.1)
    assert requests_per_run(dear, priced) == 3.0
    unknown = replace(priced, judge=replace(JUDGE, usd_per_item=None))
    assert usd_per_run(fresh, unknown) is None
    assert usd_per_run(fresh, replace(priced, budget=Caps())) is None


def test_a_refused_reply_names_every_reason() -> None:
    error = ProposalRefused([Refusal("leak", "copies item a"), Refusal("fence", "a fence is open")])
    assert error.message == "copies item a; a fence is open" and len(error.refusals) == 2


def test_a_baseline_the_judge_left_unscored_says_so_and_not_that_calls_failed() -> None:
    lost = [
        record
        for sample in (0, 1)
        for case in SELECTION[:2]
        for record in (
            waiting(case, sample),
            Judged(verdicts=(verdict(case, None, sample, unscored="judge: twice no verdict"),)),
        )
    ]
    state = fold([*started(), *baseline()[-2:], RUBRIC, *judged(SELECTION[2:], 2.0, 3.0, 4.0, 3.0), *lost])
    action = next_action(state, **SCALE)
    assert isinstance(action, Park) and (action.status, action.outcome) == ("waiting", "outage")
    assert action.reason == (
        "scored 4 of 6 cases of the baseline: the judge gave 2 outputs no score, "
        "the last because: twice no verdict; run again later"
    )
