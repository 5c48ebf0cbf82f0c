"""What the fold makes of judged runs: outputs wait for a verdict, second verdicts score nothing, texts are dropped."""

from __future__ import annotations

from typing import Any

from journals import experiment, looping, runs, started

from ceopt_tui.core.describe import HIDDEN, hides_scores, outcome_sentence, span_of
from ceopt_tui.core.state.fold import fold
from schemas.judging_records import (
    Judged,
    JudgedRun,
    PersonScored,
    RubricBound,
    SheetClosed,
    Theme,
    ThemesGrouped,
)
from schemas.records import CallFacts, CaseRun, ExperimentClosed, GainReported, Probed, Stopped

RUBRIC = RubricBound(digest="r", text="helpful?", lowest=1, highest=5, pass_at=4, primary="helpful")


def waiting(case: str, sample: int = 0, text: str = "old", step: Any = "baseline") -> CaseRun:
    return CaseRun(
        text_digest=text, case_id=case, sample=sample, step=step, output=f"{case} out {sample}", awaits_judge=True
    )


def verdict(case: str, score: float | None, sample: int = 0, text: str = "old", **values: Any) -> JudgedRun:
    passed = None if score is None else score >= 4
    return JudgedRun(text_digest=text, case_id=case, sample=sample, score=score, passed=passed, **values)


def call(usd: float | None = 0.1) -> CallFacts:
    return CallFacts(role="judge", model="j", usd=usd)


def test_an_output_has_no_score_until_its_verdict_is_in() -> None:
    state = fold([*started(), RUBRIC, waiting("s0"), waiting("s1")])
    assert list(state.judging.waiting) == [("old", "s0", 0), ("old", "s1", 0)]
    assert not state.reference.selection and not state.runs.scored
    assert state.runs.free_samples("old", "s0", 1) == [1]
    fold([Judged(verdicts=(verdict("s0", 4.0, feedback="name the queue", ambiguous=True),), calls=(call(),))], state)
    assert state.reference.selection == {"s0": [4.0]} and list(state.judging.waiting) == [("old", "s1", 0)]
    assert state.runs.details["old", "s0"] == "name the queue"
    assert (state.judging.scored, state.judging.ambiguous, state.spend.roles["judge"].usd) == (1, 1, 0.1)


def test_a_verdict_without_a_score_is_a_lost_run_and_one_nobody_waits_for_is_none() -> None:
    state = fold([*started(), waiting("s0")])
    fold([Judged(verdicts=(verdict("s0", None, unscored="no JSON"), verdict("s1", 5.0)))], state)
    assert (state.runs.failed, state.runs.scored, state.judging.scored) == (1, 0, 0)
    assert not state.reference.selection and ("old", "s1", 0) not in state.judging.verdicts


def test_second_verdicts_score_nothing_and_tell_how_steady_the_judge_is() -> None:
    outputs = [waiting(case) for case in ("s0", "s1", "s2")]
    first = Judged(verdicts=(verdict("s0", 4.0), verdict("s1", 2.0), verdict("s2", 3.0)))
    second = (verdict("s0", 4.0), verdict("s1", 3.0), verdict("s2", None), verdict("s9", 1.0))
    again = Judged(again=True, calls=(call(),), verdicts=second)
    state = fold([*started(), *outputs, first, again])
    assert state.judging.flips == (1, 2)
    assert state.reference.selection == {"s0": [4.0], "s1": [2.0], "s2": [3.0]}


def test_what_is_said_of_a_text_goes_with_it() -> None:
    records = [
        *experiment(),
        waiting("s0", text="new", step="exploratory"),
        Judged(verdicts=(verdict("s0", 4.0, text="new"),)),
        waiting("s1", text="new", step="exploratory"),
    ]
    state = looping(*records)
    assert state.current is not None and state.current.selection == {"s0": [4.0]}
    fold([ExperimentClosed(number=1, outcome="reverted", reason="")], state)
    assert not (state.judging.waiting or state.judging.verdicts or state.judging.outputs)


def test_probes_and_groupings_of_a_judged_run_are_paid_for() -> None:
    themes = (Theme(id="t1", name="no queue", change="name the queue", cases=("s0",)),)
    state = fold([*started(), Probed(probe="constant", status="passed", calls=(call(0.2),))])
    assert state.judging.themes == ()
    fold([ThemesGrouped(text_digest="old", generation=0, themes=themes, calls=(call(0.3),))], state)
    assert state.judging.themes == themes
    assert abs(state.spend.roles["judge"].usd - 0.5) < 1e-12


def test_scores_of_the_judge_stay_hidden_until_the_baseline_and_while_a_sheet_is_open() -> None:
    assert not fold(started()).scores_hidden
    assert fold([*started(), RUBRIC]).scores_hidden
    state = looping(RUBRIC)
    assert not state.scores_hidden
    mark = PersonScored(sheet="blind-1-1", text_digest="old", case_id="h0", sample=0, score=3.0)
    fold([mark], state)
    assert state.judging.open_sheets == ["blind-1-1"] and state.scores_hidden
    closed = SheetClosed(sheet="blind-1-1", purpose="blind", outcome="stopped", rubric_digest="r", judge_model="j")
    assert not fold([closed], state).scores_hidden


def test_runs_that_checks_score_wait_for_nobody() -> None:
    state = fold([*started(), *runs("old", "baseline", {"s0": [1.0]})])
    assert not state.judging.waiting and state.runs.scored == 1


def test_the_width_of_the_scale_is_the_rubrics_and_1_for_checks() -> None:
    assert span_of(fold(started())) == 1.0
    assert span_of(fold([*started(), RUBRIC])) == 4.0


def test_a_gain_is_not_told_while_somebody_scores_blind() -> None:
    gain = GainReported(
        original_digest="old", final_digest="new", cases=6, before=2.0, after=3.0, gain=1.0, low=0.5, high=1.5,
        cautious=0.9, clearly_better=True, fresh=True, selection_before=2.0, selection_after=3.2,
    )  # fmt: skip
    judged = [waiting("s0", 9), Judged(verdicts=(verdict("s0", 3.0, 9),))]
    state = looping(RUBRIC, *judged, Stopped(outcome="plateau", reason="r"), gain)
    assert "2.00 → 3.00" in outcome_sentence(state, 4.0)
    fold([PersonScored(sheet="final-1", text_digest="old", case_id="h0", sample=0, score=3.0)], state)
    assert hides_scores(state) and outcome_sentence(state, 4.0) == f"The gain is {HIDDEN}."
