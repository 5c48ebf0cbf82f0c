"""The noise of a paired per-case difference, pooled over a whole run.

Var(d) = tau2 + sigma2 * (1 / candidate runs + 1 / reference runs): sigma2 is how much a score of the same text on
the same case moves from run to run, tau2 how unevenly an edit acts over the cases.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ceopt_tui.core.statistics import sum_of_squares

Runs = Mapping[str, Sequence[float]]
"""Case id -> the scores of every run that has one. A case that was run without a score keeps an empty sequence."""

PRIOR_DF = 20
PRIOR_SD = 0.1  # of the span


@dataclass(frozen=True)
class Noise:
    """Sums of squares and degrees of freedom seen so far; `tau_c` is the share of `tau_ss` that sigma2 explains."""

    sigma_ss: float = 0.0
    sigma_df: int = 0
    tau_ss: float = 0.0
    tau_df: int = 0
    tau_c: float = 0.0

    @property
    def sigma2(self) -> float:
        """Run-to-run variance of one score; 0 before anything was repeated."""
        return self.sigma_ss / self.sigma_df if self.sigma_df else 0.0

    def tau2(self, span: float) -> float:
        """Case-by-edit variance, shrunk to (span / 10)^2 with the weight of 20 degrees of freedom.

        The prior keeps every standard error above zero: repeats that happen to agree are not certainty.
        """
        seen = max(0.0, self.tau_ss - self.sigma2 * self.tau_c)
        return (seen + PRIOR_DF * (PRIOR_SD * span) ** 2) / (self.tau_df + PRIOR_DF)

    def with_runs(self, runs: Runs) -> Noise:
        """Adds the spread of the repeated runs of one text."""
        repeated = [scores for scores in runs.values() if len(scores) > 1]
        return replace(
            self,
            sigma_ss=self.sigma_ss + math.fsum(sum_of_squares(scores) for scores in repeated),
            sigma_df=self.sigma_df + sum(len(scores) - 1 for scores in repeated),
        )

    def with_sweep(self, tau: tuple[float, int, float]) -> Noise:
        """Adds the first full selection sweep of one candidate: sum of squares, degrees of freedom, sigma2's share."""
        ss, df, c = tau
        return replace(self, tau_ss=self.tau_ss + ss, tau_df=self.tau_df + df, tau_c=self.tau_c + c)


def standard_error(noise: Noise, span: float, inverse_runs: Iterable[float]) -> float:
    """SE of the mean difference; `inverse_runs` holds 1 / candidate runs + 1 / reference runs of every case."""
    inverse = tuple(inverse_runs)
    return math.sqrt((noise.tau2(span) + noise.sigma2 * math.fsum(inverse) / len(inverse)) / len(inverse))
