"""A gain on a person's scale: a few labelled pairs correct what the judge says about many (PPI++).

Pairs are clustered by case before they come in: one value per case, candidate minus reference, positive is better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.statistics import mean, sample_variance, student_cdf, student_quantile

_UPPER = 0.95
_ENOUGH_LABELS = 10
_JUDGED_PER_LABEL = 2  # unlabelled cases per labelled one, from which they pay

Method = Literal["ppi", "people", "side_by_side"]


@dataclass(frozen=True)
class PeopleGain:
    """Gain by people's scores with its 90 % interval; `p` is one-sided against no gain.

    `method` says what it rests on; "side_by_side" is too few labels for a verdict. `judge_favour` is the mean of judge
    minus person with its interval; `judge_is_partial` when that interval is above 0.
    """

    method: Method
    labelled: int
    judged_only: int
    gain: float
    low: float
    high: float
    p: float
    weight: float
    people_mean: float
    judge_mean: float
    judge_favour: tuple[float, float, float]
    judge_is_partial: bool

    def confirms(self, level: float) -> bool:
        """Do people see a gain at this level?"""
        return self.method != "side_by_side" and self.gain > 0 and self.p <= level


def ppi_gain(people: Sequence[float], judge: Sequence[float], judge_only: Sequence[float] = ()) -> PeopleGain:
    """Gain from `people` and `judge` on the same labelled cases and `judge_only` on further ones.

    theta = w * mean(judge_only) + mean(people - w * judge), with
    w = clip(cov(people, judge) / ((1 + m / N) * var(judge)), 0, 1), unbiased whatever the judge prefers.
    At least two labelled cases are needed.
    """
    m, further = len(people), len(judge_only)
    if m != len(judge) or m < 2:
        raise ValueError(f"needs two or more labelled cases with both scores, got {m} and {len(judge)}")
    usable = further >= _JUDGED_PER_LABEL * m
    weight = _weight(people, judge, further) if usable else 0.0
    rest = [person - weight * score for person, score in zip(people, judge, strict=True)]
    gain, variance = mean(rest), sample_variance(rest) / m
    if usable:
        gain += weight * mean(judge_only)
        variance += weight**2 * sample_variance(judge_only) / further
    low, high = _interval(gain, variance, m)
    favour = [score - person for person, score in zip(people, judge, strict=True)]
    favour_low, favour_high = _interval(mean(favour), sample_variance(favour) / m, m)
    return PeopleGain(
        method="side_by_side" if m < _ENOUGH_LABELS else "ppi" if usable else "people",
        labelled=m,
        judged_only=further,
        gain=gain,
        low=low,
        high=high,
        p=_one_sided(gain, variance, m),
        weight=weight,
        people_mean=mean(people),
        judge_mean=mean([*judge, *judge_only]),
        judge_favour=(mean(favour), favour_low, favour_high),
        judge_is_partial=favour_low > 0,
    )


def _weight(people: Sequence[float], judge: Sequence[float], further: int) -> float:
    m, spread = len(people), sample_variance(judge)
    if spread == 0:  # a judge that says one thing about every pair tells nothing
        return 0.0
    centre_people, centre_judge = mean(people), mean(judge)
    products = ((h - centre_people) * (j - centre_judge) for h, j in zip(people, judge, strict=True))
    covariance = math.fsum(products) / (m - 1)
    return min(1.0, max(0.0, covariance / ((1 + m / further) * spread)))


def _interval(centre: float, variance: float, m: int) -> tuple[float, float]:
    half = student_quantile(_UPPER, m - 1) * math.sqrt(variance)
    return centre - half, centre + half


def _one_sided(gain: float, variance: float, m: int) -> float:
    if variance == 0:
        return 0.0 if gain > 0 else 1.0
    return student_cdf(-gain / math.sqrt(variance), m - 1)
