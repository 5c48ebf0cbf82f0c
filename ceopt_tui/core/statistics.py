"""Normal and Student t distributions, means and spreads, as exact formulas.

Only what the decisions need: no arrays, no fitting. Nothing here knows what is being measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

_STANDARD_NORMAL = NormalDist()
_BISECTIONS = 200  # halves any bracket of doubles down to neighbours


def normal_cdf(x: float) -> float:
    """Probability that a standard normal value is at most `x`; keeps its digits in both tails."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def normal_quantile(p: float) -> float:
    """The value a standard normal stays below with probability `p`, for 0 < p < 1."""
    return _STANDARD_NORMAL.inv_cdf(p)


def student_cdf(t: float, df: int) -> float:
    """Probability that Student's t with a whole number of degrees of freedom is at most `t`.

    For whole `df` the integral is a finite sum of powers of cos(theta), theta = atan(t / sqrt(df))
    (Abramowitz & Stegun 26.7.3 and 26.7.4).
    """
    if df < 1:
        raise ValueError(f"needs at least one degree of freedom, got {df}")
    theta = math.atan(t / math.sqrt(df))
    cosine, sine = math.cos(theta), math.sin(theta)
    term = total = 0.0
    if df % 2:
        if df > 1:
            term = total = cosine
            for k in range(3, df - 1, 2):
                term *= cosine * cosine * (k - 1) / k
                total += term
        return 0.5 + (theta + sine * total) / math.pi
    term = total = 1.0
    for k in range(2, df - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return 0.5 + 0.5 * sine * total


def student_quantile(p: float, df: int) -> float:
    """The value Student's t with `df` degrees of freedom stays below with probability `p`, for 0 < p < 1."""
    if not 0 < p < 1:
        raise ValueError(f"a probability strictly between 0 and 1 is needed, got {p}")
    if p < 0.5:
        return -student_quantile(1 - p, df)
    high = 1.0
    while student_cdf(high, df) < p and high < 1e300:
        high *= 2
    low = 0.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if student_cdf(middle, df) < p else (low, middle)
    return high


def mean(values: Sequence[float]) -> float:
    """Arithmetic mean, added from left to right so that every Python version gives the same last digit."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def sum_of_squares(values: Sequence[float]) -> float:
    """Sum of squared distances from the mean."""
    centre = mean(values)
    return math.fsum((value - centre) ** 2 for value in values)


def sample_variance(values: Sequence[float]) -> float:
    """Unbiased variance; 0 for a single value, which shows no spread."""
    return sum_of_squares(values) / (len(values) - 1) if len(values) > 1 else 0.0
