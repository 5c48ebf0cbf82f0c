"""A gain on people's scale from blind scores: golden figures, clusters, and a judge that favours the new text."""

from __future__ import annotations

import random
from statistics import fmean

import pytest

from ceopt_tui.core.evidence.ladder import decide_holdout
from ceopt_tui.core.evidence.noise import Noise
from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.state.judging import Place
from ceopt_tui.core.trust.blind import (
    BY_THE_JUDGES_WORD,
    people_confirm,
    people_figures,
    people_see_no_loss,
    people_sentence,
)
from schemas.judging_records import PeopleFigures

ARMS = ("sha256:old", "sha256:new")
JUDGED = Setting(span=4)
Runs = dict[str, list[float]]
Marks = dict[Place, float | None]

# Worked by hand: cov(H, J) = 11/15, var(J) = 38/45, so lambda = (11/15) / ((1 + 10/20) * 38/45) = 11/19.
PEOPLE = [0.0, 1.0, 0.0, 2.0, 1.0, 0.0, 1.0, -1.0, 2.0, 1.0]
JUDGE = [1.0, 1.0, 0.0, 2.0, 2.0, 1.0, 1.0, 0.0, 3.0, 1.0]
FURTHER = [1.0, 2.0, 0.0, 1.0] * 5


def scored(differences: list[float], start: int = 0) -> tuple[Runs, Runs]:
    """The judge's runs by case: reference at 2 on average, candidate that much better."""
    cases = [f"c{start + n:02}" for n in range(len(differences))]
    return {case: [1.0, 3.0] for case in cases}, {
        case: [2 + gap, 2 + gap, 2 + gap] for case, gap in zip(cases, differences, strict=True)
    }


def marks(differences: list[float]) -> Marks:
    given: Marks = {}
    for n, gap in enumerate(differences):
        given[ARMS[0], f"c{n:02}", 1] = 2.0
        given[ARMS[1], f"c{n:02}", 3] = 2.0 + gap
    return given


def figures(people: list[float], judge: list[float], setting: Setting = JUDGED) -> PeopleFigures:
    reference, candidate = scored(judge)
    found = people_figures(marks(people), ARMS, reference, candidate, setting)
    assert found is not None
    return found


def test_golden_figures_of_labels_and_many_judged_cases() -> None:
    found = figures(PEOPLE, [*JUDGE, *FURTHER])
    assert (found.method, found.labelled, found.judged_only) == ("ppi", 10, 20)
    weight = 11 / 19
    assert found.gain == pytest.approx(0.7 - weight * 1.2 + weight * 1.0)
    assert (found.people_mean, found.judge_mean) == (pytest.approx(0.7), pytest.approx(32 / 30))
    assert found.judge_favour[0] == pytest.approx(0.5)
    assert found.judge_is_partial is True
    # variance of H - lambda J is 571/1710, that of the further J is 10/19; t(.95, 9) = 1.833113
    half = 1.833113 * (weight**2 * (10 / 19) / 20 + (571 / 1710) / 10) ** 0.5
    assert (found.low, found.high) == (pytest.approx(found.gain - half), pytest.approx(found.gain + half))


def test_with_few_further_cases_people_alone_decide() -> None:
    found = figures(PEOPLE, [*JUDGE, *FURTHER[:19]])
    assert (found.method, found.gain) == ("people", pytest.approx(0.7))


def test_below_ten_labelled_cases_both_means_stand_side_by_side() -> None:
    found = figures(PEOPLE[:9], [*JUDGE, *FURTHER])
    assert (found.method, people_confirm(found, 0.10)) == ("side_by_side", None)


def test_of_a_shorter_text_people_only_have_to_see_no_loss() -> None:
    level = figures([0.05, -0.05] * 5, [0.0] * 10)
    assert people_see_no_loss(level, 4) is True
    assert people_sentence(level, True, 4, shorter=True).startswith("People see no loss either: +0.00 (90% interval ")
    worse = figures([-gap for gap in PEOPLE], JUDGE)
    assert people_see_no_loss(worse, 4) is False
    assert people_sentence(worse, False, 4, shorter=True).startswith("People see a loss: -")
    assert people_see_no_loss(figures([1.0, -1.0] * 5, [0.0] * 10), 4) is None
    assert people_see_no_loss(figures([0.0] * 3, [0.0] * 3), 4) is None  # too few
    assert people_see_no_loss(None, 4) is None


def test_people_confirm_at_the_level_of_the_look() -> None:
    found = figures(PEOPLE, JUDGE)
    assert found.p == pytest.approx(0.02225, abs=0.00001)  # t = 0.7 / 0.3 with 9 degrees of freedom
    assert people_confirm(found, 0.10) is True
    assert people_confirm(found, 0.02) is False
    assert people_confirm(figures([-gap for gap in PEOPLE], JUDGE), 0.10) is False
    assert people_confirm(None, 0.10) is None


def test_skipped_and_half_scored_cases_are_judged_only() -> None:
    given = marks(PEOPLE)
    given[ARMS[0], "c00", 1] = None
    del given[ARMS[1], "c01", 3]
    reference, candidate = scored(JUDGE)
    found = people_figures(given, ARMS, reference, candidate, JUDGED)
    assert found is not None
    assert (found.labelled, found.judged_only) == (8, 2)


def test_cases_the_judge_has_no_score_for_are_left_out() -> None:
    reference, candidate = scored(JUDGE)
    candidate["c00"] = []
    found = people_figures(marks(PEOPLE), ARMS, reference, candidate, JUDGED)
    assert found is not None
    assert (found.labelled, found.judged_only) == (9, 0)


def test_fewer_than_two_labelled_cases_are_no_figures() -> None:
    reference, candidate = scored(JUDGE)
    assert people_figures(marks(PEOPLE[:1]), ARMS, reference, candidate, JUDGED) is None
    assert people_figures({}, ARMS, reference, candidate, JUDGED) is None


def test_near_duplicates_are_one_case_whichever_of_them_was_scored() -> None:
    grouped = Setting(span=4, groups=(("c00", "c01", "c02"),))
    reference, candidate = scored(JUDGE)
    given = {place: score for place, score in marks(PEOPLE).items() if place[1] != "c02"}
    found = people_figures(given, ARMS, reference, candidate, grouped)
    assert found is not None
    assert (found.labelled, found.judged_only) == (8, 0)
    assert found.people_mean == pytest.approx(fmean([0.5, *PEOPLE[3:]]))
    assert found.judge_mean == pytest.approx(fmean([fmean(JUDGE[:3]), *JUDGE[3:]]))


def test_several_scores_of_one_case_are_averaged() -> None:
    given = marks(PEOPLE)
    given[ARMS[1], "c00", 0] = 4.0
    reference, candidate = scored(JUDGE)
    found = people_figures(given, ARMS, reference, candidate, JUDGED)
    assert found is not None
    assert found.people_mean == pytest.approx(fmean([1.0, *PEOPLE[1:]]))


def test_lower_is_better_turns_both() -> None:
    turned, straight = figures(PEOPLE, JUDGE, Setting(span=4, maximize=False)), figures(PEOPLE, JUDGE)
    assert (turned.people_mean, turned.judge_mean) == (-straight.people_mean, -straight.judge_mean)


def test_the_order_of_marks_makes_no_difference() -> None:
    reference, candidate = scored([*JUDGE, *FURTHER])
    given = marks(PEOPLE)
    backwards = dict(reversed(given.items()))
    assert people_figures(backwards, ARMS, reference, candidate, JUDGED) == figures(PEOPLE, [*JUDGE, *FURTHER])


def test_what_is_said() -> None:
    assert people_sentence(None, None, 4) == BY_THE_JUDGES_WORD
    few = figures(PEOPLE[:6], JUDGE)
    assert people_sentence(few, people_confirm(few, 0.10), 4) == (
        "By the judge's word: +1.20 on 10 cases. A person who scored 6 of them blind sees +0.67; "
        "from 10 cases on the decision rests on the person. The judge likes the new text more than people do: "
        "+0.50 (90% interval +0.05 to +0.95)."
    )
    even = figures(PEOPLE, PEOPLE)
    assert people_sentence(even, True, 4) == (
        "People see the gain too: +0.70 (90% interval +0.15 to +1.25) by blind scores of 10 cases."
    )
    many = figures(PEOPLE, [*JUDGE, *FURTHER])
    assert people_sentence(many, False, 4).startswith("People do not confirm the gain: +0.58 (90% interval")
    assert "by blind scores of 10 cases and the judge on 20 more." in people_sentence(many, False, 4)
    assert "points" in people_sentence(even, True, 1)


def biased_run(rng: random.Random, favour: float, cases: int = 20) -> tuple[bool, bool | None]:
    """One look at a candidate that changes nothing: does the judge's gate keep it, and do people confirm it?"""
    names = [f"c{n:02}" for n in range(cases)]
    level = {case: rng.gauss(3, 0.8) for case in names}
    runs = [
        {case: [level[case] + gain + rng.gauss(0, 0.7) for _ in range(4)] for case in names} for gain in (0, favour)
    ]
    given: Marks = {(arm, case, 0): level[case] + rng.gauss(0, 0.7) for arm in ARMS for case in names[:10]}
    noise = Noise().with_runs(runs[0]).with_runs(runs[1])
    naive = decide_holdout(*runs, noise, JUDGED, cases=names, look=1, keeps=0, total_cases=40).decision == "keep"
    return naive, people_confirm(people_figures(given, ARMS, runs[0], runs[1], JUDGED), 0.10)


def test_what_a_partial_judge_keeps_people_refuse() -> None:
    rng = random.Random(11)
    seen = [biased_run(rng, 0.4) for _ in range(150)]
    kept = [confirmed for naive, confirmed in seen if naive]
    assert len(kept) / 150 > 0.6
    assert kept.count(True) / 150 < 0.2
    assert None not in kept
