"""Run states of judged runs, whose judge's scores are figures that nothing else on a screen can be."""

from __future__ import annotations

from collections.abc import Sequence

from histories import AT, begun

from schemas import records as r
from schemas.judging_records import Judged, JudgedRun, PersonScored, RubricBound, SheetClosed, Theme, ThemesGrouped

RUBRIC = RubricBound(digest="r", text="the rubric", lowest=1, highest=5, pass_at=4, primary="quality")
JUDGES_SCORES = (4.37, 2.81)  # of the cases a and b
THEMES = (
    Theme(id="t1", name="internals", change="Say what a user sees, not what the code does.", cases=("a", "b", "e")),
    Theme(id="t2", name="too long", change="Leave out what no user asked for.", cases=("f", "g")),
    Theme(id="t3", name="no thanks", change="Name the people who helped.", cases=("h",)),
)
CASES = ("a", "b", "e", "f", "g", "h", "i")
FEEDBACK = "It names the parser, which no user knows."


def judged(*, feedback: str = FEEDBACK) -> list[r.AnyRecord]:
    """The baseline is run and judged; nobody has seen a score."""
    opening = [record for record in begun() if record.kind not in {"case_run", "baseline_measured", "backlog_closed"}]
    opening = [record for record in opening if not (record.kind == "approved" and record.what == "baseline")]
    runs = [
        r.CaseRun(
            text_digest="original",
            case_id=case,
            sample=0,
            step="baseline",
            output=f"notes of {case}",
            awaits_judge=True,
        )
        for case in CASES
    ]
    verdicts = [
        JudgedRun(
            text_digest="original", case_id=case, sample=0, score=JUDGES_SCORES[place % 2], passed=False,
            feedback=feedback, ambiguous=case == "a",
        )
        for place, case in enumerate(CASES)
    ]  # fmt: skip
    bound = r.ModelBound(role="judge", name="judge", model="fake/judge", endpoint="here")
    return [*opening, bound, RUBRIC, *runs, Judged(verdicts=tuple(verdicts))]


def calibrated(scores: Sequence[float] = (5, 2, 4, 1, 5, 2, 4)) -> list[r.AnyRecord]:
    """A person scored every output; the judge puts them in the same order."""
    marks = [
        PersonScored(sheet="calibration-1", text_digest="original", case_id=case, sample=0, score=score)
        for case, score in zip(CASES, scores, strict=True)
    ]
    closed = SheetClosed(
        sheet="calibration-1", purpose="calibration", outcome="done", rubric_digest="r", judge_model="fake/judge"
    )
    return [*marks, closed]


def measured() -> list[r.AnyRecord]:
    """The baseline is on record and approved: from here on the judge's scores may be seen."""
    baseline = r.BaselineMeasured(
        text_digest="original", mean=3.7, scored=7, unscored=0, deterministic=False, sees_half=0.2, sees_most=0.3,
        calls_per_experiment=(4, 30),
    )  # fmt: skip
    return [
        baseline,
        r.Approved(what="baseline", digest="digest", caps={}),
        r.BacklogClosed(generation=0, added=1, at=AT),
    ]


def grouped(
    generation: int = 1, themes: tuple[Theme, ...] = THEMES, unexplained: tuple[str, ...] = ("i",)
) -> ThemesGrouped:
    return ThemesGrouped(text_digest="original", generation=generation, themes=themes, unexplained=unexplained)
