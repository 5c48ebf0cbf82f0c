"""Distributions against scipy, and sums that do not depend on the Python version."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from ceopt_tui.core.statistics import mean, normal_cdf, normal_quantile, sample_variance, student_cdf, student_quantile

DEGREES = [1, 2, 3, 4, 5, 9, 19, 40, 101, 399]


@pytest.mark.parametrize("x", [-9.0, -3.2, -1.64, -0.1, 0.0, 0.7, 1.2816, 4.0, 8.0])
def test_normal_cdf(x: float) -> None:
    assert normal_cdf(x) == pytest.approx(stats.norm.cdf(x), rel=1e-12)


@pytest.mark.parametrize("p", [1e-9, 0.02, 0.1, 0.5, 0.95, 0.999999])
def test_normal_quantile(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(stats.norm.ppf(p), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("df", DEGREES)
@pytest.mark.parametrize("t", [-40.0, -2.5, -0.3, 0.0, 0.8, 1.7, 6.0])
def test_student_cdf(t: float, df: int) -> None:
    assert student_cdf(t, df) == pytest.approx(stats.t.cdf(t, df), rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("df", DEGREES)
@pytest.mark.parametrize("p", [0.001, 0.05, 0.3, 0.5, 0.9, 0.95, 0.995])
def test_student_quantile(p: float, df: int) -> None:
    assert student_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-9, abs=1e-9)


def test_student_quantile_far_out() -> None:
    assert student_quantile(1 - 1e-12, 1) == pytest.approx(stats.t.ppf(1 - 1e-12, 1), rel=1e-3)


@pytest.mark.parametrize("p", [0.0, 1.0, -1.0, math.nan])
def test_quantile_of_no_probability(p: float) -> None:
    with pytest.raises(ValueError, match="probability"):
        student_quantile(p, 3)


def test_no_degrees_of_freedom() -> None:
    with pytest.raises(ValueError, match="degree"):
        student_cdf(1.0, 0)


def test_mean_is_added_from_left_to_right() -> None:
    values = [0.1] * 10
    assert mean(values) == sum_naively(values) / 10


def sum_naively(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


def test_one_value_shows_no_spread() -> None:
    assert sample_variance([3.0]) == 0.0
    assert sample_variance([1.0, 2.0, 4.0]) == pytest.approx(7 / 3)
