"""Rules between the keys of `metric`: objectives and the judge."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.spec import Spec
from schemas.spec_rule import Broken, Rule, unique

FEWEST_STEPS, MOST_STEPS = 2, 100  # of a scale whose levels the first token of a score tells apart


def _judge_is_there(spec: Spec) -> Iterator[Broken]:
    if spec.is_judged and spec.metric.judge is None:
        yield Broken(("metric", "judge"), "is required when metric.primary.type is judge, with rubric and scoring")


def _judge_scores_the_primary(spec: Spec) -> Iterator[Broken]:
    judge = spec.metric.judge
    if judge and spec.is_judged and judge.scoring.primary != spec.metric.primary.name:
        what = f"must be the name of the primary metric, `{spec.metric.primary.name}`, not `{judge.scoring.primary}`"
        yield Broken(("metric", "judge", "scoring", "primary"), what)


def _judged_runs_confirm(spec: Spec) -> Iterator[Broken]:
    if spec.is_judged and spec.metric.judge is not None and spec.holdout is None:
        what = (
            "a judged primary needs a holdout: set metric.judge.confirmation_seed to a seed other than sample_seed, "
            "or measurement.holdout.command, or for a text target evalset"
        )
        yield Broken(("metric", "judge"), what)


def _seeds_differ(spec: Spec) -> Iterator[Broken]:
    judge = spec.metric.judge
    if judge and judge.confirmation_seed is not None and judge.confirmation_seed == judge.sample_seed:
        what = f"must differ from sample_seed ({judge.sample_seed}), or both samples are the same"
        yield Broken(("metric", "judge", "confirmation_seed"), what)


def _singletons_have_a_rubric(spec: Spec) -> Iterator[Broken]:
    judge = spec.metric.judge
    if judge and judge.singleton_sample > 0 and judge.singleton_rubric is None:
        yield Broken(("metric", "judge", "singleton_rubric"), "is required when singleton_sample is above 0")


def _pass_mark_is_on_the_scale(spec: Spec) -> Iterator[Broken]:
    judge = spec.metric.judge
    if judge and judge.pass_at is not None:
        lowest, highest = judge.bounds
        if not lowest < judge.pass_at <= highest:
            what = f"must be above {lowest} and at most {highest}, the bounds of the scale"
            yield Broken(("metric", "judge", "pass_at"), what)


def _expected_scores_have_levels(spec: Spec) -> Iterator[Broken]:
    judge = spec.metric.judge
    if judge and judge.scoring.method == "expected":
        lowest, highest = judge.bounds
        if not (lowest >= 0 and FEWEST_STEPS <= highest - lowest <= MOST_STEPS):
            what = (
                f"expected needs a scale of whole levels such as 1-5; this one is {judge.scale}. "
                "Use auto or sampled, or another scale"
            )
            yield Broken(("metric", "judge", "scoring", "method"), what)


def _strata_fit_the_sample(spec: Spec) -> Iterator[Broken]:
    judge = spec.metric.judge
    if judge and judge.stratification:
        total = sum(stratum.count for stratum in judge.stratification)
        if total > judge.sample_size:
            what = f"asks for {total} items, more than sample_size ({judge.sample_size})"
            yield Broken(("metric", "judge", "stratification"), what)
        yield from unique("bucket", [s.bucket for s in judge.stratification], ("metric", "judge", "stratification"))


def _names_are_unique(spec: Spec) -> Iterator[Broken]:
    metric = spec.metric
    yield from unique("name", [entry.name for entry in metric.objectives], ("metric", "objectives"))
    yield from unique("name", [entry.name for entry in metric.diagnostics], ("metric", "diagnostics"))


def _primary_is_required(spec: Spec) -> Iterator[Broken]:
    primary = spec.metric.primary
    for number, entry in enumerate(spec.metric.objectives):
        if entry.name != primary.name:
            continue
        if entry.role != "required":
            yield Broken(("metric", "objectives", number, "role"), "the primary metric is always required")
        if entry.direction != primary.direction:
            what = f"must be {primary.direction} as in metric.primary"
            yield Broken(("metric", "objectives", number, "direction"), what)


METRIC_RULES: tuple[Rule, ...] = (
    _judge_is_there,
    _judge_scores_the_primary,
    _judged_runs_confirm,
    _seeds_differ,
    _singletons_have_a_rubric,
    _pass_mark_is_on_the_scale,
    _expected_scores_have_levels,
    _strata_fit_the_sample,
    _names_are_unique,
    _primary_is_required,
)
