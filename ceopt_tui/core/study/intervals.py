"""Intervals for means of few bounded values, which do not claim certainty where values happen to agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ceopt_tui.core.statistics import mean, student_cdf, student_quantile, sum_of_squares

PRIOR_DF = 2
PRIOR_SD = 0.25  # of scores from 0 to 1, where nothing is known of their spread


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval, and what else can be asked of it. `count` is of cases, not of runs."""

    mean: float
    low: float
    high: float
    count: int
    se: float
    df: int

    def chance_above(self, bar: float) -> float:
        """The probability that the true mean is above `bar`."""
        return student_cdf((self.mean - bar) / self.se, self.df)


def estimate(values: Sequence[float], alpha: float, bounds: tuple[float, float]) -> Estimate:
    """The mean of one value a case, with a two-sided interval of confidence 1 - `alpha` inside `bounds`.

    Student's t with a moderated variance, (d0 s0² + d s²) / (d0 + d) on d0 + d degrees of freedom (Smyth 2004,
    Stat. Appl. Genet. Mol. Biol. 3:3; the conjugate prior of a normal variance): eight cases that agree exactly are
    then strong evidence, and not proof.
    """
    df = PRIOR_DF + len(values) - 1
    variance = (PRIOR_DF * PRIOR_SD**2 + sum_of_squares(values)) / df
    se = math.sqrt(variance / len(values))
    centre, reach = mean(values), student_quantile(1 - alpha / 2, df) * se
    low, high = bounds
    return Estimate(centre, max(low, centre - reach), min(high, centre + reach), len(values), se, df)
