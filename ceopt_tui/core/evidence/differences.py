"""Per-case differences between candidate and reference: direction, near-duplicates and lost cases settled here."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ceopt_tui.core.evidence.noise import Noise, Runs, standard_error
from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.statistics import mean, normal_cdf, sample_variance, sum_of_squares


@dataclass(frozen=True)
class Differences:
    """One value per case or group of near-duplicates, positive where the candidate is better."""

    values: tuple[float, ...]
    inverse_runs: tuple[float, ...]  # variance of a value in units of sigma2
    lost: tuple[str, ...]  # cases without a run on one side

    @property
    def mean(self) -> float:
        """Mean difference."""
        return mean(self.values)

    def sweep(self) -> tuple[float, int, float]:
        """What a first full sweep adds to the pool behind tau2."""
        df = len(self.values) - 1
        return sum_of_squares(self.values), df, df * mean(self.inverse_runs)


@dataclass(frozen=True)
class Contrast:
    """A mean difference against its noise; `p` is the one-sided chance of at least this z under no difference."""

    mean: float
    se: float
    z: float
    p: float


def paired_differences(reference: Runs, candidate: Runs, setting: Setting, cases: Iterable[str]) -> Differences:
    """Differences over `cases`; the order of cases and runs makes no difference to the result."""
    wanted = sorted(set(cases))
    paired = [case for case in wanted if reference.get(case) and candidate.get(case)]
    values, inverse = [], []
    for members in _grouped(paired, setting):
        differences = [setting.sign * (_level(candidate, case) - _level(reference, case)) for case in members]
        shares = [1 / len(candidate[case]) + 1 / len(reference[case]) for case in members]
        values.append(mean(differences))
        inverse.append(mean(shares) / len(members))
    found = set(paired)
    return Differences(tuple(values), tuple(inverse), tuple(case for case in wanted if case not in found))


def contrast(differences: Differences, noise: Noise, setting: Setting) -> Contrast:
    """The mean difference with its pooled standard error; needs at least one difference.

    A deterministic runner shows no run-to-run noise, so the spread over cases is the floor there, as it is by setting:
    without it an edit that flips a few cases at random looks certain.
    """
    se = standard_error(noise, setting.span, differences.inverse_runs)
    if setting.deterministic or setting.by_spread:
        se = max(se, math.sqrt(sample_variance(differences.values) / len(differences.values)))
    z = differences.mean / se
    return Contrast(differences.mean, se, z, normal_cdf(-z))


def _level(runs: Runs, case: str) -> float:
    return math.fsum(runs[case]) / len(runs[case])


def _grouped(cases: list[str], setting: Setting) -> list[list[str]]:
    """Cases by group, singletons on their own."""
    group_of = {case: number for number, group in enumerate(setting.groups) for case in group}
    groups: dict[tuple[int, str], list[str]] = {}
    for case in cases:
        number = group_of.get(case)
        groups.setdefault((-1, case) if number is None else (number, ""), []).append(case)
    return list(groups.values())
