"""The A/A floor: the smallest gain an eval set can see, told before anything is tried."""

from __future__ import annotations

from dataclasses import dataclass

from ceopt_tui.core.evidence.noise import Noise, standard_error
from ceopt_tui.core.evidence.setting import Setting

_SEES_HALF_SE = 2.5
_SEES_MOST_SE = 3.5
_PASS_FAIL_SPAN = 1.0


@dataclass(frozen=True)
class Floor:
    """Gains the set sees about half the time and four times in five, in score units."""

    sees_half: float
    sees_most: float


def aa_floor(noise: Noise, setting: Setting, held_out: int) -> Floor:
    """The floor of a set with `held_out` cases, from the baseline's repeats and an edit of the usual unevenness."""
    if held_out < 1:
        raise ValueError(f"needs at least one held-out case, got {held_out}")
    before_edits = Noise(noise.sigma_ss, noise.sigma_df)
    se = standard_error(before_edits, setting.span, [2 / setting.holdout_runs] * held_out)
    # A pass rate moves in whole cases: less than two of them is no gain anyone could point at.
    least = 2 / held_out if setting.span == _PASS_FAIL_SPAN else 0.0
    return Floor(max(_SEES_HALF_SE * se, least), max(_SEES_MOST_SE * se, least))
