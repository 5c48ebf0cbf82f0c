"""Harm that an average hides: cases that broke, and the check that a shorter text is no worse."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ceopt_tui.core.evidence.differences import contrast, paired_differences
from ceopt_tui.core.evidence.noise import Noise, Runs
from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.statistics import normal_quantile

_RUNS_TO_CALL_BROKEN = 3  # fewer, and chance alone breaks a case in almost every harmless edit
CONFIDENCE = 0.90  # that a shorter text is no worse
DEFAULT_MARGIN = 0.05  # of the span


def broken_cases(
    reference: Runs, candidate: Runs, pass_at: float, setting: Setting, guards: Collection[str] = ()
) -> tuple[str, ...]:
    """Cases that passed in every reference run and failed in every candidate run, with enough runs on both sides.

    Guards are there to go on passing: of them it is enough that most candidate runs fail.
    """
    needed = 1 if setting.deterministic else _RUNS_TO_CALL_BROKEN

    def passes(score: float) -> bool:
        return score * setting.sign >= pass_at * setting.sign

    def enough(scores: Sequence[float]) -> bool:
        return len(scores) >= needed

    def fails(case: str) -> bool:
        passed = sum(map(passes, candidate[case]))
        return 2 * passed < len(candidate[case]) if case in guards else not passed

    return tuple(
        case
        for case in sorted(set(reference) & set(candidate))
        if enough(reference[case]) and enough(candidate[case]) and all(map(passes, reference[case])) and fails(case)
    )


def non_inferior(reference: Runs, candidate: Runs, noise: Noise, setting: Setting, margin: float | None = None) -> bool:
    """Is the one-sided lower 90 % bound of the mean difference above -margin (default 0.05 of the span)?"""
    allowed = DEFAULT_MARGIN * setting.span if margin is None else margin
    differences = paired_differences(reference, candidate, setting, set(reference) | set(candidate))
    cases = len(differences.values) + len(differences.lost)
    if not differences.values or len(differences.lost) > setting.max_lost * cases:
        return False
    seen = contrast(differences, noise, setting)
    return seen.mean - normal_quantile(CONFIDENCE) * seen.se > -allowed
