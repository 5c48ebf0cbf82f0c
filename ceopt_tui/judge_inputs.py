"""What a spec says of its judge, as plain values: the rubric in force, the terms a person's scores are held against."""

from __future__ import annotations

from collections.abc import Sequence

from ceopt_tui.core.plan.terms import JudgeTerms
from judges.output_judge import SINGLETON
from judges.rubric import Rubric, parse_scale, rubric_bound
from judges.sampling import draw
from schemas.evalset import Case, as_words
from schemas.labels import Labels
from schemas.spec import Spec

Ids = tuple[str, ...]


def rubric_of(spec: Spec, text: str) -> Rubric | None:
    """The rubric with its scale and fields; None where no judge scores, or there is no such rubric."""
    judge = spec.metric.judge
    if judge is None or not text:
        return None
    scale, scoring = parse_scale(judge.scale), judge.scoring
    return Rubric(text, scale, scoring.primary, scoring.secondary, judge.pass_at)


def sampled(spec: Spec, cases: Sequence[Case], selection: Sequence[str], holdout: Sequence[str]) -> tuple[Ids, Ids]:
    """The cases of each side that are judged: all of them, unless the spec says how many, or how many of a kind."""
    judge = spec.metric.judge
    if not spec.is_judged or judge is None or not {"sample_size", "stratification"} & judge.model_fields_set:
        return tuple(selection), tuple(holdout)
    strata = [(stratum.bucket, stratum.count) for stratum in judge.stratification or ()]
    if judge.singleton_sample:
        strata.append((SINGLETON, judge.singleton_sample))
    second = judge.sample_seed if judge.confirmation_seed is None else judge.confirmation_seed
    buckets = {case.id: _bucket(case, [bucket for bucket, _ in strata]) for case in cases}
    sides = ((selection, judge.sample_seed), (holdout, second))
    drawn = (
        set(draw([(case, buckets[case]) for case in side], judge.sample_size, strata, seed)) for side, seed in sides
    )
    chosen, confirming = drawn
    return tuple(case for case in selection if case in chosen), tuple(case for case in holdout if case in confirming)


def _bucket(case: Case, buckets: Sequence[str]) -> str | None:
    """A case's stratum: the first of them it is tagged with."""
    return next((bucket for bucket in buckets if bucket in case.tags), None)


def judge_terms(
    spec: Spec, rubric: Rubric | None, cases: Sequence[Case], labels: Labels | None, singletons: Rubric | None = None
) -> JudgeTerms | None:
    """How this spec's judge judges; its model goes by the name in the spec until models are resolved."""
    judge = spec.metric.judge
    if judge is None or rubric is None:
        return None
    calibration = judge.calibration
    return JudgeTerms(
        rubric_digest=rubric_bound(rubric, judge.scoring.method, singletons).digest,
        model=judge.model,
        batch_size=judge.batch_size,
        two_level=rubric.scale.two_level,
        min_agreement=calibration.min_agreement,
        waived=calibration.waived or "",
        labels=labels,
        cap_usd=judge.max_total_cost_usd,
        cases={case.id: (as_words(case.input), _expected(case)) for case in cases},
    )


def _expected(case: Case) -> str | None:
    return None if case.expected is None else as_words(case.expected)
