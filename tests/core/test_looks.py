"""The split and the rising bar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceopt_tui.core.evidence.looks import look_level, split_size, worn
from ceopt_tui.core.evidence.setting import Caution


@pytest.mark.parametrize(
    ("keeps", "look", "level"), [(0, 1, 0.10), (0, 4, 0.075), (0, 6, 0.05), (1, 10, 0.06), (0, 15, 0.02), (2, 30, 0.03)]
)
def test_levels(keeps: int, look: int, level: float) -> None:
    assert look_level(look, keeps) == pytest.approx(level)


@pytest.mark.parametrize(("caution", "first"), [("low", 0.20), ("normal", 0.10), ("high", 0.05)])
def test_first_look_by_caution(caution: Caution, first: float) -> None:
    assert look_level(1, 0, caution) == first


def test_fifteen_looks_without_a_keep_wear_a_set_out() -> None:
    assert next(look for look in range(1, 20) if worn(look, 0)) == 15
    assert not worn(15, 1)


@given(st.integers(1, 500), st.integers(0, 20), st.sampled_from(["low", "normal", "high"]))
def test_bar_rises_with_looks_and_falls_with_keeps(look: int, keeps: int, caution: Caution) -> None:
    assert look_level(look + 1, keeps, caution) <= look_level(look, keeps, caution)
    assert look_level(look, keeps + 1, caution) >= look_level(look, keeps, caution)


@pytest.mark.parametrize(
    ("cases", "held_out"), [(0, 0), (1, 1), (2, 1), (4, 2), (5, 3), (6, 4), (7, 5), (8, 5), (10, 5), (11, 6), (40, 20)]
)
def test_split(cases: int, held_out: int) -> None:
    assert split_size(cases) == held_out


@given(st.integers(5, 400))
def test_two_cases_stay_to_tune_on(cases: int) -> None:
    assert 2 <= cases - split_size(cases) <= split_size(cases) + 1
