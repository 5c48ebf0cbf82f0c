"""The gain that is reported: fresh held-out runs of the final text against the original, never a deciding score."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ceopt_tui.core.evidence.differences import paired_differences
from ceopt_tui.core.evidence.noise import Noise, Runs, standard_error
from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.statistics import sample_variance, student_quantile

_UPPER = 0.95  # of a two-sided 90 % interval
_PLAUSIBLE_GAIN = 0.25  # of the span: standard deviation of gains one would believe beforehand


@dataclass(frozen=True)
class Gain:
    """Mean gain with its 90 % interval; `cautious` is the mean shrunk towards no gain. Positive is better."""

    mean: float
    low: float
    high: float
    cautious: float
    clearly_better: bool
    se: float


def final_gain(before: Runs, after: Runs, noise: Noise, setting: Setting) -> Gain:
    """Gain of `after` over `before` on the cases both were scored on; needs at least two of them.

    The spread over cases is the honest error. Half the pooled error is its floor, since a handful of cases can agree
    by accident.
    """
    differences = paired_differences(before, after, setting, set(before) | set(after))
    n = len(differences.values)
    if n < 2:
        raise ValueError(f"an interval needs at least two cases scored on both sides, got {n}")
    pooled = standard_error(noise, setting.span, differences.inverse_runs)
    se = max(math.sqrt(sample_variance(differences.values) / n), pooled / 2)
    mean, half = differences.mean, student_quantile(_UPPER, n - 1) * se
    low, high = max(mean - half, -setting.span), min(mean + half, setting.span)  # no gain is wider than the scale
    plausible = (_PLAUSIBLE_GAIN * setting.span) ** 2
    return Gain(mean, low, high, mean * plausible / (plausible + se**2), low > 0, se)
