"""Which scores count as labels: closed calibration sheets and the labels file, for one rubric and judge."""

from __future__ import annotations

from ceopt_tui.core.state.judging import JudgingState, Place
from ceopt_tui.core.trust.labelling import Label, gather_labels, labels_of
from ceopt_tui.core.trust.sheets import Material
from schemas.judging_records import Judged, JudgedRun, PersonScored, SheetClosed
from schemas.labels import Binding, LabelEntry, bound_labels

BOUND = Binding("sha256:rubric", "openai/judge")
OTHER = Binding("sha256:rubric", "openai/other")
TEXT = "sha256:text"


def place(case: int, sample: int = 0) -> Place:
    return TEXT, f"c{case}", sample


def materials(cases: int) -> dict[Place, Material]:
    return {place(case): Material(f"in {case}", f"out {case}") for case in range(cases)}


def verdict(case: int, score: float | None, sample: int = 0, feedback: str = "say more") -> JudgedRun:
    return JudgedRun(
        text_digest=TEXT,
        case_id=f"c{case}",
        sample=sample,
        score=score,
        unscored=None if score is not None else "no reply",
        feedback=feedback,
    )


def closed(sheet: str, outcome: str = "done", purpose: str = "calibration", binding: Binding = BOUND) -> SheetClosed:
    return SheetClosed.model_validate({"sheet": sheet, "purpose": purpose, "outcome": outcome, **binding._asdict()})


def marked(sheet: str, case: int, score: float | None, at: str = "2026-01-01T00:00:00Z") -> PersonScored:
    return PersonScored(sheet=sheet, text_digest=TEXT, case_id=f"c{case}", sample=0, score=score, reason="why", at=at)


def judging(*marks: PersonScored, closings: tuple[SheetClosed, ...] = (closed("calibration-1"),)) -> JudgingState:
    state = JudgingState(verdicts={place(case): verdict(case, float(case % 5 + 1)) for case in range(6)})
    for mark in marks:
        state.mark(mark)
    state.closed_sheets = {closing.sheet: closing for closing in closings}
    return state


def test_a_score_stands_beside_the_judges_for_the_same_output() -> None:
    found = gather_labels(judging(marked("calibration-1", 2, 4.0)), materials(6), BOUND)
    assert labels_of(found.labels) == (Label(4.0, 3.0, "why", "say more", "in 2", "out 2"),)
    assert found.outdated == 0


def test_skipped_outputs_are_no_labels() -> None:
    found = gather_labels(judging(marked("calibration-1", 2, None)), materials(6), BOUND)
    assert found.labels.labels == ()


def test_the_judge_is_averaged_over_all_it_said_of_the_very_same_output() -> None:
    state = judging(marked("calibration-1", 0, 2.0))
    state.take_again(Judged(verdicts=(verdict(0, 3.0),), again=True))
    shown = materials(6) | {place(0, 1): Material("in 0", "out 0"), place(0, 2): Material("in 0", "another")}
    state.verdicts |= {place(0, 1): verdict(0, 5.0, 1), place(0, 2): verdict(0, 1.0, 2)}
    (label,) = gather_labels(state, shown, BOUND).labels.labels
    assert label.judge == (1.0, 3.0, 5.0)
    assert labels_of(gather_labels(state, shown, BOUND).labels)[0].judge == 3.0


def test_an_output_the_judge_gave_no_score_keeps_the_persons() -> None:
    state = judging(marked("calibration-1", 0, 2.0))
    state.verdicts[place(0)] = verdict(0, None)
    assert labels_of(gather_labels(state, materials(6), BOUND).labels)[0].judge is None


def test_thrown_away_open_and_blind_sheets_do_not_count() -> None:
    state = judging(
        marked("calibration-1", 0, 2.0),
        marked("calibration-2", 1, 2.0),
        marked("blind-1-1", 2, 2.0),
        marked("calibration-3", 3, 2.0),
        closings=(
            closed("calibration-1", "discarded"),
            closed("blind-1-1", purpose="blind"),
            closed("calibration-3", "stopped"),
        ),
    )
    assert [label.output for label in gather_labels(state, materials(6), BOUND).labels.labels] == ["out 3"]


def test_a_file_that_still_holds_what_was_thrown_away_since_gives_none_of_it() -> None:
    before = judging(marked("calibration-1", 0, 2.0), marked("calibration-1", 1, 3.0))
    lone = LabelEntry(input="in 0", output="another", person=3, judge=(3,))
    file = bound_labels(BOUND, [*gather_labels(before, materials(6), BOUND).labels.labels, lone])
    after = judging(
        marked("calibration-1", 0, 2.0),
        marked("calibration-1", 1, 3.0),
        closings=(closed("calibration-1", "discarded"),),
    )
    assert gather_labels(after, materials(6), BOUND, file).labels.labels == (lone,)


def test_scores_for_another_rubric_or_judge_are_counted_as_outdated() -> None:
    state = judging(
        marked("calibration-1", 0, 2.0),
        marked("calibration-1", 1, None),
        closings=(closed("calibration-1", binding=OTHER),),
    )
    file = bound_labels(
        Binding("sha256:old", "openai/judge"), [LabelEntry(input="i", output="o", person=1, judge=(1,))]
    )
    found = gather_labels(state, materials(6), BOUND, file)
    assert (found.labels.labels, found.outdated) == ((), 2)


def test_the_file_and_the_run_together_hold_each_output_once_and_the_later_score() -> None:
    old = LabelEntry(input="in 0", output="out 0", person=1, judge=(1,), at="2025-01-01T00:00:00Z")
    lone = LabelEntry(input="x", output="y", person=3, judge=(3,))
    state = judging(marked("calibration-1", 0, 5.0), marked("calibration-1", 1, 2.0))
    found = gather_labels(state, materials(6), BOUND, bound_labels(BOUND, [old, lone]))
    assert [(label.output, label.person) for label in found.labels.labels] == [("out 0", 5), ("y", 3), ("out 1", 2)]
    assert found.labels.binding == BOUND


def test_scores_of_outputs_that_are_no_longer_there_are_left_out() -> None:
    found = gather_labels(judging(marked("calibration-1", 5, 2.0)), materials(3), BOUND)
    assert found.labels.labels == ()
