"""Does a judge put outputs in the order a person does? The gate that a judge passes before its scores decide.

The loop uses differences of scores only, so order counts: constant leniency does no harm, and a judge that gives
everything the same score gets one half.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from ceopt_tui.core.figures import counted, percent
from ceopt_tui.core.statistics import mean, student_quantile, sum_of_squares

_UPPER = 0.95
_FAIL_BELOW = 0.65
_ENOUGH = 10  # scores
_DIFFERENT_VALUES = 3
_OF_EACH_CLASS = 3
_DISAGREEMENTS_SHOWN = 3

AgreementVerdict = Literal["pass", "fail", "unclear", "cannot_be_judged"]


@dataclass(frozen=True)
class Agreement:
    """Order agreement with its jackknife 90 % interval, and what stands beside it; None where it is undefined.

    `disagreements` are positions of the largest differences, worst first; `lenience` is judge minus person.
    """

    verdict: AgreementVerdict
    reason: str
    scores: int
    pairs: int
    order: float | None
    low: float | None
    high: float | None
    kappa: float | None
    within_one: float | None
    lenience: float | None
    disagreements: tuple[int, ...]


def order_agreement(
    person: Sequence[float], judge: Sequence[float], *, pass_fail: bool = False, minimum: float = 0.8
) -> Agreement:
    """Compares a judge with a person on the same outputs; `minimum` is the share of pairs that passes."""
    if len(person) != len(judge):
        raise ValueError(f"{len(person)} scores of a person, {len(judge)} of the judge")
    n = len(person)
    order, pairs = _same_order(person, judge)
    lacking = _lacking(person, pass_fail)
    low, high = (None, None) if lacking or order is None else _jackknife(person, judge, order)
    gaps = [abs(h - j) for h, j in zip(person, judge, strict=True)]
    worst = sorted((i for i in range(n) if gaps[i]), key=lambda i: (-gaps[i], i))
    verdict, reason = _verdict(order, minimum, lacking)
    return Agreement(
        verdict=verdict,
        reason=reason,
        scores=n,
        pairs=pairs,
        order=order,
        low=low,
        high=high,
        kappa=_quadratic_kappa(person, judge),
        within_one=sum(gap <= 1 for gap in gaps) / n if n else None,
        lenience=mean(judge) - mean(person) if n else None,
        disagreements=tuple(worst[:_DISAGREEMENTS_SHOWN]),
    )


def _same_order(person: Sequence[float], judge: Sequence[float]) -> tuple[float | None, int]:
    """Share of pairs a person told apart that the judge orders alike, a judge's tie counting half; and their number."""
    credit = pairs = 0.0
    for (h1, j1), (h2, j2) in combinations(zip(person, judge, strict=True), 2):
        if h1 != h2:
            pairs += 1
            credit += 0.5 if j1 == j2 else (h1 < h2) == (j1 < j2)
    return (credit / pairs if pairs else None), int(pairs)


def _jackknife(person: Sequence[float], judge: Sequence[float], order: float) -> tuple[float, float]:
    n = len(person)
    without = [_same_order([*person[:i], *person[i + 1 :]], [*judge[:i], *judge[i + 1 :]])[0] for i in range(n)]
    spread = sum_of_squares([share for share in without if share is not None])
    half = student_quantile(_UPPER, n - 1) * math.sqrt((n - 1) / n * spread)
    return max(0.0, order - half), min(1.0, order + half)


def _lacking(person: Sequence[float], pass_fail: bool) -> str:
    """What is missing before agreement can be judged, or an empty text."""
    values = sorted(set(person))
    if len(person) < _ENOUGH:
        return f"{counted(len(person), 'score')} by a person, at least {_ENOUGH} are needed"
    if pass_fail and (len(values) < 2 or min(person.count(value) for value in values) < _OF_EACH_CLASS):
        return f"at least {_OF_EACH_CLASS} passes and {_OF_EACH_CLASS} failures are needed"
    if not pass_fail and len(values) < _DIFFERENT_VALUES:
        return f"the person used {counted(len(values), 'different score')}, at least {_DIFFERENT_VALUES} are needed"
    return ""  # what passed so far holds at least 17 pairs that differ, more than the 10 that are needed


def _verdict(order: float | None, minimum: float, lacking: str) -> tuple[AgreementVerdict, str]:
    if lacking or order is None:
        return "cannot_be_judged", f"cannot be judged yet: {lacking or 'no two scores differ'}"
    share = f"the judge orders {percent(order)} of the pairs as the person does"
    if order >= minimum:
        return "pass", share
    if order < min(_FAIL_BELOW, minimum):
        return "fail", share
    return "unclear", f"{share}; score {_ENOUGH} more"


def _quadratic_kappa(person: Sequence[float], judge: Sequence[float]) -> float | None:
    """Quadratically weighted kappa; undefined when all scores of both are one value."""
    if not person:
        return None
    expected = mean([(h - j) ** 2 for h in person for j in judge])
    observed = mean([(h - j) ** 2 for h, j in zip(person, judge, strict=True)])
    return 1 - observed / expected if expected else None
