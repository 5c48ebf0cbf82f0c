"""The reported gain, by fresh runs and by people."""

from __future__ import annotations

import math
import random

import pytest
from scipy import stats

from ceopt_tui.core.evidence.gain import final_gain
from ceopt_tui.core.evidence.noise import Noise
from ceopt_tui.core.evidence.people import ppi_gain
from ceopt_tui.core.evidence.setting import Setting

JUDGED = Setting(span=4)


def test_interval_comes_from_the_spread_over_cases() -> None:
    before = {case: [2.0] * 4 for case in "abcde"}
    after = dict(zip("abcde", ([3.0], [2.0], [4.0], [2.5], [3.5]), strict=True))
    gain = final_gain(before, after, Noise(), JUDGED)
    differences = [1.0, 0.0, 2.0, 0.5, 1.5]
    se = stats.sem(differences)
    assert gain.mean == 1.0
    assert (gain.low, gain.high) == pytest.approx(stats.t.interval(0.9, 4, loc=1.0, scale=se))
    assert gain.cautious == pytest.approx(1 / (1 + se**2))
    assert gain.clearly_better is True


def test_half_the_pooled_error_is_the_floor() -> None:
    before, after = {"a": [2.0], "b": [3.0]}, {"a": [2.5], "b": [3.5]}
    gain = final_gain(before, after, Noise(sigma_ss=1.0, sigma_df=1), JUDGED)
    assert gain.se == pytest.approx(math.sqrt((0.16 + 2) / 2) / 2)
    assert gain.clearly_better is False


def test_lower_is_better_turns_the_gain() -> None:
    gain = final_gain({"a": [3.0], "b": [3.0]}, {"a": [1.0], "b": [1.0]}, Noise(), Setting(span=4, maximize=False))
    assert gain.mean == 2.0


def test_one_case_has_no_interval() -> None:
    with pytest.raises(ValueError, match="two cases"):
        final_gain({"a": [1.0], "b": []}, {"a": [2.0], "b": [2.0]}, Noise(), JUDGED)


def test_ppi_formula() -> None:
    people = [1.0, 0.0, 1.0, 2.0, 0.0, 1.0, 0.5, -1.0, 1.0, 0.0]
    judge = [1.5, 0.5, 1.0, 2.0, 0.5, 1.5, 1.0, 0.0, 1.5, 0.0]
    further = [0.5, 1.0, 1.5, 0.0, 1.0] * 4
    found = ppi_gain(people, judge, further)
    covariance = stats.linregress(judge, people).slope  # cov / var
    weight = covariance / (1 + 10 / 20)
    rest = [h - weight * j for h, j in zip(people, judge, strict=True)]
    variance = weight**2 * stats.tvar(further) / 20 + stats.tvar(rest) / 10
    assert found.method == "ppi"
    assert found.weight == pytest.approx(weight)
    assert found.gain == pytest.approx(weight * 0.8 + sum(rest) / 10)
    assert found.high - found.low == pytest.approx(2 * stats.t.ppf(0.95, 9) * math.sqrt(variance))
    assert found.p == pytest.approx(stats.t.sf(found.gain / math.sqrt(variance), 9))
    assert found.confirms(0.10) is (found.p <= 0.10)
    assert found.judge_is_partial is True


def test_few_further_cases_leave_it_to_people() -> None:
    people = [1.0, 0.0] * 5
    found = ppi_gain(people, [2.0, 1.0] * 5, [5.0] * 19)
    assert (found.method, found.weight, found.gain) == ("people", 0.0, 0.5)
    assert found.judge_favour == (1.0, 1.0, 1.0)


def test_below_ten_labels_nothing_is_confirmed() -> None:
    found = ppi_gain([1.0] * 9, [1.0] * 9, [1.0] * 30)
    assert (found.method, found.people_mean, found.judge_mean) == ("side_by_side", 1.0, 1.0)
    assert found.p == 0.0
    assert found.confirms(0.10) is False


def test_judge_that_says_one_thing_has_no_weight() -> None:
    found = ppi_gain([1.0, 0.0] * 5, [1.0] * 10, [1.0] * 40)
    assert (found.weight, found.gain) == (0.0, 0.5)


def test_no_gain_and_no_spread() -> None:
    assert ppi_gain([0.0] * 10, [0.0] * 10).p == 1.0


@pytest.mark.parametrize(("people", "judge"), [([1.0], [1.0]), ([1.0, 2.0], [1.0])])
def test_labels_that_do_not_pair(people: list[float], judge: list[float]) -> None:
    with pytest.raises(ValueError, match="two or more"):
        ppi_gain(people, judge)


def test_partial_judge_does_not_move_the_gain() -> None:
    rng = random.Random(5)
    errors = []
    for _ in range(300):
        truth = [rng.gauss(0.4, 0.8) for _ in range(60)]
        judge = [value + 0.4 + rng.gauss(0, 0.5) for value in truth]
        people = [value + rng.gauss(0, 0.3) for value in truth[:20]]
        errors.append(ppi_gain(people, judge[:20], judge[20:]).gain - 0.4)
    assert abs(sum(errors) / len(errors)) < 0.03


def test_the_interval_stays_on_the_scale() -> None:
    before, after = {"a": [0.0], "b": [0.0], "c": [0.0]}, {"a": [1.0], "b": [1.0], "c": [0.0]}
    found = final_gain(before, after, Noise(), Setting(span=1))
    assert found.high == 1.0 and -1.0 <= found.low < 0 and not found.clearly_better
