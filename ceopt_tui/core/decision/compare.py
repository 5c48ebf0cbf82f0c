"""One objective, before and after, by a fixed threshold: absolute, relative or paired."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.decision.reading import Undecidable
from ceopt_tui.core.decision.rules import Objective, Rules
from ceopt_tui.core.decision.snapshot import Measured

ComparisonVerdict = Literal["improved", "inconclusive", "regressed"]


@dataclass(frozen=True)
class Comparison:
    """`delta` and `relative` are positive where the candidate is better."""

    verdict: ComparisonVerdict
    delta: float
    relative: float  # of the reference's size; 0 where the reference is 0 and no share exists
    violated: bool


def compare(objective: Objective, before: Measured, after: Measured, rules: Rules) -> Comparison:
    """Verdict on one objective. Thresholds must be passed, not met."""
    reference, candidate = before.aggregate(rules.aggregation), after.aggregate(rules.aggregation)
    delta = candidate - reference if objective.maximize else reference - candidate
    relative = delta / abs(reference) if reference else 0.0
    if not math.isfinite(delta) or not math.isfinite(relative):
        raise Undecidable(f"{objective.name} is too large to compare")
    if rules.method == "absolute" or rules.method == "evidence":
        bar = rules.minimum_improvement if objective.judged else rules.noise_threshold
        improved, regressed = delta > bar, delta < -bar
    else:
        improved, regressed = relative > rules.relative_threshold, relative < -rules.relative_threshold
        if rules.method == "paired":
            improved = improved and _every_pair_clears(objective, before, after, rules)
        if objective.judged:  # a share of a low score is soon reached; a judge's steps are not that fine
            improved = improved and delta > rules.minimum_improvement
    verdict: ComparisonVerdict = "improved" if improved else "regressed" if regressed else "inconclusive"
    return Comparison(verdict, delta, relative, is_violated(objective, verdict, delta, relative))


def is_violated(objective: Objective, verdict: ComparisonVerdict, delta: float, relative: float) -> bool:
    """Is it worse than allowed? A declared limit takes the place of the comparison's own threshold."""
    limit = objective.max_regression
    if limit is None:
        return verdict == "regressed"
    return (relative if limit.relative else delta) < -limit.value


def _every_pair_clears(objective: Objective, before: Measured, after: Measured, rules: Rules) -> bool:
    """Does even the smallest paired difference pass the threshold?

    Samples are paired in the order they were taken. Without samples on both sides a hard metric claims nothing from
    pairing; a judged aggregate is a mean over items already and stands on its minimum improvement.
    """
    if not before.sampled or not after.sampled:
        return objective.judged
    pairs = zip(before.samples, after.samples, strict=False)
    smallest = min(new - old if objective.maximize else old - new for old, new in pairs)
    return smallest > rules.relative_threshold * abs(before.aggregate(rules.aggregation))
