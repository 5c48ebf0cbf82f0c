"""How a judge differs from a person, in one sentence, where the labels show it clearly; else nothing is said."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ceopt_tui.core.figures import rounded
from ceopt_tui.core.statistics import mean, sample_variance, student_quantile

_ENOUGH = 10  # labels
_CLEAR = 0.975  # quantile of Student's t: what chance alone shows in one set of labels out of twenty
_MATTERS = 0.25  # points of a scale, and
_MATTERS_OF_PASSES = 0.1  # share of outputs
_NARROW = 0.25  # variance of the judge's scores, as a share of the person's


def pattern(person: Sequence[float], judge: Sequence[float], lengths: Sequence[int], *, two_level: bool = False) -> str:
    """The sentence, or an empty text. `lengths` are those of the outputs, in characters."""
    if len(person) < _ENOUGH or len(set(person)) < 2:
        return ""
    if len(set(judge)) == 1:
        return "The judge gives every output the same score."
    gaps = [score - own for own, score in zip(person, judge, strict=True)]
    found = [*_taste_in_length(gaps, lengths), *_lenience(gaps, two_level=two_level)]
    found += () if two_level else _narrowness(person, judge)
    return f"The judge {' and '.join(found)}." if found else ""


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Spearman's rho, ties at their middle rank; None where one side does not vary."""
    x, y = _ranks(one), _ranks(other)
    spread = math.sqrt(sample_variance(x) * sample_variance(y))
    if spread == 0:
        return None
    middle = (len(x) + 1) / 2
    return math.fsum((a - middle) * (b - middle) for a, b in zip(x, y, strict=True)) / (len(x) - 1) / spread


def _taste_in_length(gaps: Sequence[float], lengths: Sequence[int]) -> Iterator[str]:
    rho = rank_correlation(gaps, lengths)
    if rho is None:
        return
    df = len(gaps) - 2
    t = rho * math.sqrt(df / max(1 - rho * rho, 1e-12))
    if abs(t) >= student_quantile(_CLEAR, df):
        yield f"favours {'longer' if rho > 0 else 'shorter'} outputs, compared with you"


def _lenience(gaps: Sequence[float], *, two_level: bool) -> Iterator[str]:
    n, average = len(gaps), mean(gaps)
    half = student_quantile(_CLEAR, n - 1) * math.sqrt(sample_variance(gaps) / n)
    if abs(average) <= half or abs(average) < (_MATTERS_OF_PASSES if two_level else _MATTERS):
        return
    if two_level:
        yield f"passes {rounded(abs(average) * n)} of {n} outputs {'more' if average > 0 else 'fewer'} than you"
    else:
        yield f"is {'more lenient' if average > 0 else 'stricter'} than you by {rounded(abs(average), 1)} on average"


def _narrowness(person: Sequence[float], judge: Sequence[float]) -> Iterator[str]:
    if sample_variance(judge) >= _NARROW * sample_variance(person):
        return
    used = [rounded(bound, 1).removesuffix(".0") for bound in (min(judge), max(judge), min(person), max(person))]
    yield f"scores from {used[0]} to {used[1]} where you score from {used[2]} to {used[3]}"


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, equal values at the middle of the places they share."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]
