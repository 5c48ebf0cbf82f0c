"""What a look at the held-out cases may cost: the split, the rising bar, and when the set is worn out."""

from __future__ import annotations

from ceopt_tui.core.evidence.setting import BARS, SMALLEST_SET, Caution
from ceopt_tui.core.statistics import normal_cdf

_WORN_Z = 2.05


def split_size(n: int) -> int:
    """Number of held-out cases: half, rounded up, and at least five as long as two stay to tune on."""
    return max((n + 1) // 2, min(SMALLEST_SET, n - 2), 0)


def look_level(look: int, keeps: int, caution: Caution = "normal") -> float:
    """Level of the `look`-th look (from 1) with `keeps` keeps before it.

    The bar rises as looks are spent without a keep. It bounds the share of false keeps by design, not by theorem.
    """
    bars = BARS[caution]
    return min(bars.base_level, bars.ceiling * (keeps + 1) / max(look, 1))


def worn(look: int, keeps: int, caution: Caution = "normal") -> bool:
    """Has the bar passed z = 2.05, so that fresh held-out cases are due?"""
    return look_level(look, keeps, caution) < normal_cdf(-_WORN_Z)
