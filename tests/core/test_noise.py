"""Pooled noise and paired differences."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceopt_tui.core.evidence.differences import contrast, paired_differences
from ceopt_tui.core.evidence.noise import Noise, standard_error
from ceopt_tui.core.evidence.setting import Setting

JUDGED = Setting(span=4)


def test_standard_error_vector() -> None:
    noise = Noise(sigma_ss=7.0, sigma_df=10)  # sigma2 0.7; tau2 is the prior's (4 / 10)^2 = 0.16
    se = standard_error(noise, 4, [1 / 2 + 1 / 4] * 10)
    assert noise.tau2(4) == pytest.approx(0.16)
    assert se == pytest.approx(0.2617, abs=5e-5)
    assert 0.5 / se == pytest.approx(1.91, abs=5e-3)


def test_contrast_of_that_vector() -> None:
    noise = Noise(sigma_ss=7.0, sigma_df=10)
    reference = {str(case): [3.0] * 4 for case in range(10)}
    candidate = {str(case): [3.5] * 2 for case in range(10)}
    seen = contrast(paired_differences(reference, candidate, JUDGED, reference), noise, JUDGED)
    assert (seen.z, seen.p) == (pytest.approx(1.91, abs=5e-3), pytest.approx(0.028, abs=5e-4))


def test_repeats_that_agree_are_not_certainty() -> None:
    agreed = Noise().with_runs({"a": [3, 3, 3, 3], "b": [2, 2], "c": [1]})
    assert (agreed.sigma2, agreed.sigma_df) == (0.0, 4)
    assert standard_error(agreed, 4, [0.5, 0.5]) > 0


def test_pools_add_up() -> None:
    noise = Noise().with_runs({"a": [1, 3]}).with_runs({"a": [2, 4, 6]}).with_sweep((5.0, 3, 3.75))
    assert noise == Noise(2.0 + 8.0, 3, 5.0, 3, 3.75)
    assert noise.tau2(4) == pytest.approx((max(0, 5 - 10 / 3 * 3.75) + 20 * 0.16) / 23)


def test_direction_and_lost_cases() -> None:
    found = paired_differences(
        {"a": [1.0], "b": [2.0], "c": []}, {"a": [0.5], "c": [1.0]}, Setting(1, maximize=False), "abc"
    )
    assert (found.values, found.lost) == ((0.5,), ("b", "c"))


def test_near_duplicates_count_as_one_case() -> None:
    setting = Setting(span=4, groups=(("a", "b"), ("x",)))
    reference = {case: [2.0, 2.0] for case in "abc"}
    found = paired_differences(reference, {"a": [3.0], "b": [4.0], "c": [2.0]}, setting, "abc")
    assert sorted(found.values) == [0.0, 1.5]
    assert sorted(found.inverse_runs) == [0.75, 1.5]


def test_deterministic_spread_is_the_floor() -> None:
    setting = Setting(span=1, deterministic=True)
    reference = {str(case): [0.0] for case in range(10)}
    candidate = {str(case): [float(case < 5)] for case in range(10)}
    differences = paired_differences(reference, candidate, setting, reference)
    seen = contrast(differences, Noise(), setting)
    assert seen.se == pytest.approx(math.sqrt(10 / 36 / 10))
    assert contrast(differences, Noise(), Setting(span=1)).se < seen.se


def test_deterministic_takes_one_run() -> None:
    setting = Setting(span=1, deterministic=True)
    assert (setting.reference_runs, setting.max_sweeps, setting.confirm_runs, setting.holdout_runs) == (1, 1, 1, 1)


def test_scale_without_width() -> None:
    with pytest.raises(ValueError, match="wider"):
        Setting(span=0)


scores = st.lists(st.integers(1, 5).map(float), min_size=1, max_size=4)
sides = st.dictionaries(st.sampled_from("abcdefgh"), scores, min_size=1)


@given(sides, sides)
def test_flipped_scale_gives_the_same_contrast(
    reference: dict[str, list[float]], candidate: dict[str, list[float]]
) -> None:
    def flip(runs: dict[str, list[float]]) -> dict[str, list[float]]:
        return {case: [6 - score for score in row] for case, row in runs.items()}

    up = paired_differences(reference, candidate, JUDGED, "abcdefgh")
    down = paired_differences(flip(reference), flip(candidate), Setting(span=4, maximize=False), "abcdefgh")
    assert down.values == pytest.approx(up.values)
    assert (down.inverse_runs, down.lost) == (up.inverse_runs, up.lost)
