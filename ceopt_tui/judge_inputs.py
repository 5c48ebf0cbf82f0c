"""What a spec says of its judge, as plain values: the rubric in force, the terms a person's scores are held against."""

from __future__ import annotations

from collections.abc import Sequence

from ceopt_tui.core.plan.terms import JudgeTerms
from judges.rubric import Rubric, parse_scale, rubric_bound
from schemas.evalset import Case, as_words
from schemas.labels import Labels
from schemas.spec import Spec


def rubric_of(spec: Spec, text: str) -> Rubric | None:
    """The rubric with its scale and fields; None where no judge scores, or there is no such rubric."""
    judge = spec.metric.judge
    if judge is None or not text:
        return None
    scale, scoring = parse_scale(judge.scale), judge.scoring
    return Rubric(text, scale, scoring.primary, scoring.secondary, judge.pass_at)


def judge_terms(spec: Spec, rubric: Rubric | None, cases: Sequence[Case], labels: Labels | None) -> JudgeTerms | None:
    """How this spec's judge judges; its model goes by the name in the spec until models are resolved."""
    judge = spec.metric.judge
    if judge is None or rubric is None:
        return None
    calibration = judge.calibration
    return JudgeTerms(
        rubric_digest=rubric_bound(rubric, judge.scoring.method).digest,
        model=judge.model,
        batch_size=judge.batch_size,
        two_level=rubric.scale.two_level,
        min_agreement=calibration.min_agreement,
        waived=calibration.waived or "",
        labels=labels,
        cases={case.id: (as_words(case.input), _expected(case)) for case in cases},
    )


def _expected(case: Case) -> str | None:
    return None if case.expected is None else as_words(case.expected)
