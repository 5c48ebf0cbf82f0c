"""How a judge stands, in words; the pattern of its disagreements; whether it may run unattended."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ceopt_tui.core.trust.labelling import Label
from ceopt_tui.core.trust.pattern import pattern, rank_correlation
from ceopt_tui.core.trust.standing import JudgeTrust, TrustRule, judge_trust, may_run_unattended

PERSON = [1.0, 2.0, 3.0, 4.0, 5.0, 2.0, 3.0, 4.0, 1.0, 5.0]
NEARLY = [1.0, 3.0, 2.0, 4.0, 5.0, 2.0, 4.0, 4.0, 2.0, 4.0]
MIDDLING = [2.0, 1.0, 3.0, 5.0, 2.0, 2.0, 3.0, 2.0, 4.0, 3.0]
RULE = TrustRule()


def labels(person: list[float], judge: list[float | None]) -> list[Label]:
    both = enumerate(zip(person, judge, strict=True))
    return [Label(own, score, f"mine {n}", f"its {n}", output="x" * (n + 1)) for n, (own, score) in both]


def trust(person: list[float], judge: list[float], rule: TrustRule = RULE) -> JudgeTrust:
    return judge_trust(labels(person, [*judge]), rule)


def test_a_judge_that_ranks_alike_is_checked() -> None:
    found = trust(PERSON, NEARLY)
    assert found.agreement is not None and found.agreement.order == pytest.approx(35 / 40)
    assert found.kind == "checked"
    assert found.sentence == (
        "Of every 10 pairs of outputs that you scored differently, the judge ranks about 9 as you do "
        "(88%, 90% interval 77% to 98%, 10 outputs). That reaches the 80% asked for."
    )


def test_between_the_bars_ten_more_are_asked_for() -> None:
    found = trust([1.0, 2.0, 3.0, 4.0, 5.0] * 2, MIDDLING)
    assert found.kind == "unclear"
    assert "score 10 more" in found.sentence


def test_a_judge_that_says_three_to_everything_fails() -> None:
    found = trust(PERSON, [3.0] * 10)
    assert found.kind == "failed"
    assert "about 5 as you do (50%, too even for an interval" in found.sentence
    assert found.pattern == "The judge gives every output the same score."


def test_perfect_order_on_ten_outputs_is_not_sold_as_certainty() -> None:
    assert "100% to 100%" not in trust(PERSON, PERSON).sentence


def test_what_falls_short_by_a_hair_is_not_shown_as_reaching_the_bar() -> None:
    found = trust(PERSON, NEARLY, TrustRule(minimum=0.879))
    assert found.kind == "unclear"
    assert "just under 88%" in found.sentence


def test_too_few_scores() -> None:
    found = trust(PERSON[:6], PERSON[:6])
    assert (found.kind, "6 scores by a person, at least 10 are needed" in found.sentence) == ("too_few", True)


@pytest.mark.parametrize("two_level", [False, True])
def test_one_class_is_undefined_not_perfect(two_level: bool) -> None:
    found = trust([1.0] * 12, [1.0] * 12, TrustRule(two_level=two_level))
    assert found.kind == "too_few"
    assert found.sentence == "You gave all 12 outputs the same score, so agreement is undefined, not perfect."
    assert found.pattern == ""


def test_pass_or_fail_needs_both_and_shows_no_within_one() -> None:
    found = trust([1.0] * 6 + [0.0] * 6, [1.0] * 6 + [0.0] * 6, TrustRule(two_level=True))
    assert found.kind == "checked"
    assert "within one point" not in dict(found.beside)


def test_without_labels() -> None:
    assert judge_trust([], RULE).kind == "unchecked"
    assert judge_trust([], RULE, outdated=12).kind == "stale"
    assert "The 12 scores a person gave came before" in judge_trust([], RULE, outdated=12).sentence
    assert "The score a person gave" in judge_trust([], RULE, outdated=1).sentence
    assert judge_trust([], TrustRule(waived="a toy"), outdated=12).kind == "waived"
    assert judge_trust(labels([1.0, 2.0], [None, None]), RULE).kind == "too_few"


def test_new_labels_replace_outdated_ones() -> None:
    assert judge_trust(labels(PERSON, [*PERSON]), RULE, outdated=12).kind == "checked"


def test_outputs_without_a_score_of_the_judge_are_left_out_and_counted() -> None:
    found = judge_trust(labels([*PERSON, 1.0, 2.0], [*PERSON, None, None]), RULE)
    assert (found.kind, found.unjudged) == ("checked", 2)
    assert "2 outputs without a score of the judge" in found.sentence
    assert found.agreement is not None and found.agreement.scores == 10


def test_a_waiver_hides_no_failure() -> None:
    waived = TrustRule(waived="only\nfor a test")
    assert trust(PERSON, [3.0] * 10, waived).kind == "failed"
    assert "The check is waived: only ↵ for a test" in trust(PERSON, [3.0] * 10, waived).sentence
    assert trust(PERSON[:4], PERSON[:4], waived).kind == "waived"
    assert "waived" not in trust(PERSON, PERSON, waived).sentence


def test_who_may_run_unattended() -> None:
    assert may_run_unattended(trust(PERSON, PERSON)) == ""
    assert may_run_unattended(judge_trust([], TrustRule(waived="no person at hand"))) == ""
    assert may_run_unattended(trust(PERSON, [3.0] * 10, TrustRule(waived="known"))) == ""
    for kept_back in (trust(PERSON, [3.0] * 10), trust(PERSON[:5], PERSON[:5]), judge_trust([], RULE, outdated=3)):
        assert kept_back.sentence in may_run_unattended(kept_back)
        assert "ceopt calibrate" in may_run_unattended(kept_back)


def test_the_three_clearest_disagreements_come_with_both_reasons() -> None:
    judge = [*PERSON]
    judge[3], judge[8], judge[0], judge[5] = 1.0, 5.0, 3.0, 1.0
    found = trust(PERSON, judge)
    assert [label.reason for label in found.disagreements] == ["mine 8", "mine 3", "mine 0"]
    assert found.pairs[0] == ("x" * 9, "You: 1. mine 8", "Judge: 5. its 8")


def test_foreign_text_beside_the_reasons_cannot_act() -> None:
    label = Label(1.0, 5.0, "\x1b[2J", "", output="a\nb" + "x" * 500)
    (pair, *_) = judge_trust([label], RULE).pairs
    assert pair == ("a ↵ b" + "x" * 195 + "…", "You: 1. ␛[2J", "Judge: 5. No reason given.")


def test_what_stands_beside() -> None:
    found = judge_trust(labels(PERSON, [score + 0.5 for score in PERSON]), RULE, flips=(1, 8))
    assert dict(found.beside) == {
        "rests on": "10 scores, 40 pairs that differ",
        "judge minus you, on average": "+0.50",
        "within one point": "10 of 10",
        "quadratic kappa": "0.94",
        "the judge asked twice": "7 of 8 scores the same",
    }
    assert found.lines == (found.sentence, found.pattern, "; ".join(f"{a}: {b}" for a, b in found.beside))
    assert dict(trust(PERSON, PERSON).beside)["the judge asked twice"] == "not tried"
    assert judge_trust([], RULE).beside == ()


def test_an_even_lenience_does_no_harm_and_is_named() -> None:
    found = trust(PERSON, [min(score + 1, 5.5) for score in PERSON])
    assert found.kind == "checked"
    assert found.pattern == "The judge is more lenient than you by 0.9 on average."


def test_strict_and_narrow_judges_are_named() -> None:
    strict = pattern(PERSON, [score - 1 for score in PERSON], [9] * 10)
    assert strict == "The judge is stricter than you by 1.0 on average."
    narrow = pattern(PERSON, [3 + (score - 3) / 4 for score in PERSON], [9] * 10)
    assert narrow == "The judge scores from 2.5 to 3.5 where you score from 1 to 5."


def test_a_taste_for_length_is_named() -> None:
    lengths = [100 * n for n in range(10)]
    longer = [score + n / 5 - 0.9 for n, score in enumerate(PERSON)]
    assert pattern(PERSON, longer, lengths) == "The judge favours longer outputs, compared with you."
    assert pattern(PERSON, longer, lengths[::-1]) == "The judge favours shorter outputs, compared with you."


def test_pass_rates_are_told_in_outputs() -> None:
    person = [1.0] * 4 + [0.0] * 8
    assert pattern(person, [1.0] * 11 + [0.0], [9] * 12, two_level=True) == (
        "The judge passes 7 of 12 outputs more than you."
    )
    assert "fewer" in pattern([1.0] * 8 + [0.0] * 4, [0.0] * 11 + [1.0], [9] * 12, two_level=True)


def test_nothing_is_said_where_nothing_is_clear() -> None:
    assert pattern(PERSON, PERSON, [9] * 10) == ""
    assert pattern(PERSON[:9], [score + 1 for score in PERSON[:9]], [9] * 9) == ""
    assert pattern([3.0] * 12, [*PERSON, 1.0, 2.0], [9] * 12) == ""


def test_a_pattern_is_rarely_seen_in_noise() -> None:
    rng = random.Random(3)
    seen = 0
    for _ in range(400):
        person = [float(rng.randint(1, 5)) for _ in range(12)]
        judge = [score + rng.gauss(0, 0.7) for score in person]
        seen += bool(pattern(person, judge, [rng.randint(50, 900) for _ in range(12)]))
    assert seen / 400 < 0.12


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=15))
def test_rank_correlation_is_spearmans(pairs: list[tuple[int, int]]) -> None:
    one, other = [float(a) for a, _ in pairs], [float(b) for _, b in pairs]
    found = rank_correlation(one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(stats.spearmanr(one, other).statistic)
