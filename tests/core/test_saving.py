"""A shorter text in words: what it saves, what it costs, and that its score is told as no worse, not as better."""

from __future__ import annotations

from typing import Any

import pytest
from journals import baseline, experiment, idea, runs, started

from ceopt_tui.core.describe import outcome_sentence, unseen_need
from ceopt_tui.core.plan.wrapping import outcome_word
from ceopt_tui.core.saving import Saving, price_words, saved, saving_words
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.tokens import estimate_tokens
from schemas.records import (
    AnyRecord,
    CallFacts,
    CaseRun,
    Committed,
    ExperimentClosed,
    GainReported,
    Reopened,
    RunStarted,
    Stopped,
)

OLD, NEW = "Answer in one word.\nThink of all customers, too.\n\n", "Answer in one word.\n"
STOPPED = Stopped(outcome="no_ideas", reason="every rule was tried")


def run(*records: AnyRecord, claims: str = "tokens") -> RunState:
    """A run with one experiment on a text of two rules; the candidate has one of them."""
    first, *rest = started()
    assert isinstance(first, RunStarted)
    _, closed, opened, made = experiment()
    candidate = made.model_copy(update={"texts": {"p": NEW}})
    begun = first.model_copy(update={"texts": {"p": OLD}})
    return fold([begun, *rest, *baseline(), idea(claims=claims), closed, opened, candidate, *records])


KEPT: list[AnyRecord] = [
    Committed(number=1, text_digest="new", commit="c", branch="b"),
    ExperimentClosed(number=1, outcome="kept", reason=""),
    STOPPED,
]


def gain(mean: float, low: float, high: float, *, fresh: bool = True) -> GainReported:
    return GainReported(
        original_digest="old", final_digest="new", cases=6, before=0.9, after=0.9 + mean, gain=mean, low=low, high=high,
        cautious=mean, clearly_better=low > 0, fresh=fresh, selection_before=0.9, selection_after=0.9,
    )  # fmt: skip


def reported(text: str, *, usd: float | None, cached: bool = False, sample: int = 0) -> CaseRun:
    facts = CallFacts(role="task", model="m", attempts=0 if cached else 1, usd=usd, cached=cached)
    record = runs(text, "report", {"h0": [1.0]}, first=sample)[0]
    assert isinstance(record, CaseRun)
    return record.model_copy(update={"facts": facts})


def test_a_saving_counts_characters_and_estimates_tokens() -> None:
    found = saved(run(*KEPT))
    assert found == Saving(50, 20, 8) and found.characters == 30
    assert saving_words(found) == "30 characters shorter (50 → 20), about 8 tokens less a call"


@pytest.mark.parametrize(
    ("reported_gain", "verdict"),
    [
        (gain(0.0, -0.021, 0.021), "no loss of more than 3 points on cases like these"),
        (gain(0.0, -0.02, 0.02, fresh=False), "no loss of more than 2 points on cases like these"),
        (gain(-0.2, -0.3, -0.1), "clearly worse"),
        (gain(0.1, 0.05, 0.15), "clearly better"),
    ],
)
def test_a_run_that_only_took_away_is_told_by_what_it_saved_and_not_lost(
    reported_gain: GainReported, verdict: str
) -> None:
    said = outcome_sentence(run(*KEPT, reported_gain), 1.0)
    assert said.startswith("The text is 30 characters shorter (50 → 20), about 8 tokens less a call. On 6 unseen cases")
    assert said.endswith(f"): {verdict}")
    assert ("fresh runs: 90%" in said) is reported_gain.fresh
    assert "interval holds 0" not in said


def test_a_run_with_a_change_for_the_better_is_told_by_its_gain() -> None:
    said = outcome_sentence(run(*KEPT, gain(0.0, -0.02, 0.02), claims="primary"), 1.0)
    assert said.endswith("not clearly better: the interval holds 0")


def test_a_saving_is_told_without_a_final_gain_too() -> None:
    said = outcome_sentence(run(*KEPT), 1.0)
    assert said == "1 change kept; the text is 30 characters shorter (50 → 20), about 8 tokens less a call."
    assert outcome_sentence(run(*KEPT, claims="primary"), 1.0) == "1 change kept."


def test_where_no_rule_left_the_text_that_is_said() -> None:
    closed = ExperimentClosed(number=1, outcome="reverted", reason="")
    said = outcome_sentence(run(closed, STOPPED), 1.0)
    assert said == "No rule left the text: without each that was tried a loss was seen, or could not be ruled out."
    assert outcome_sentence(run(closed, STOPPED, claims="primary"), 1.0).startswith("No confirmed gain")


def test_where_no_rule_may_go_that_is_said() -> None:
    state = fold([*started(), *baseline(), Stopped(outcome="no_rules", reason="")])
    assert outcome_sentence(state, 1.0).startswith("No rule may leave this text: each is protected, ")
    assert outcome_word(state) == "nothing_removed"


@pytest.mark.parametrize(
    ("records", "claims", "word"),
    [
        (KEPT, "tokens", "shortened"),
        ([*KEPT, gain(0.0, -0.1, 0.1)], "tokens", "shortened"),
        ([*KEPT, gain(0.2, 0.1, 0.3)], "tokens", "improved"),
        (KEPT, "primary", "improved"),
        ([ExperimentClosed(number=1, outcome="reverted", reason=""), STOPPED], "tokens", "nothing_removed"),
        ([ExperimentClosed(number=1, outcome="reverted", reason=""), STOPPED], "primary", "no_improvement"),
        ([ExperimentClosed(number=1, outcome="inconclusive", reason=""), STOPPED], "tokens", "inconclusive"),
    ],
)
def test_one_word_for_scripts(records: list[Any], claims: str, word: str) -> None:
    assert outcome_word(run(*records, claims=claims)) == word


def test_a_call_is_priced_by_the_runs_of_the_report() -> None:
    before = [reported("old", usd=0.00032), reported("old", usd=0.00030, sample=1)]
    state = run(*KEPT, *before, reported("new", usd=0.00025))
    assert price_words(state) == "a call costs 0.000310 → 0.000250 USD"
    assert f"; {price_words(state)}. On 6" in outcome_sentence(fold([gain(0.0, -0.1, 0.1)], state), 1.0)
    assert price_words(run(*KEPT, reported("old", usd=2.5), reported("new", usd=1.25))) == (
        "a call costs 2.5000 → 1.2500 USD"
    )


@pytest.mark.parametrize(
    "after", [[], [reported("new", usd=None)], [reported("new", usd=None, cached=True)], [reported("new", usd=0.0)]]
)
def test_a_price_that_is_not_known_is_not_said(after: list[CaseRun]) -> None:
    assert price_words(run(*KEPT, reported("old", usd=0.001), *after)) == ""


def test_a_run_that_goes_on_prices_its_next_report_anew() -> None:
    state = run(*KEPT, reported("old", usd=0.001), reported("new", usd=0.001))
    fold([Reopened(reason="more time")], state)
    assert price_words(state) == ""


def test_a_report_run_without_a_call_behind_it_is_scored_all_the_same() -> None:
    record = reported("new", usd=0.001).model_copy(update={"facts": None})
    assert run(*KEPT, record).report_after == {"h0": [1.0]}


def test_what_no_held_out_case_missed_may_be_needed_elsewhere() -> None:
    said = unseen_need(run(*KEPT))
    assert said.startswith(
        "a rule that up to 32% of all inputs need may go unmissed on 6 distinct held-out cases (at 90%); "
    )


def test_tokens_are_estimated_by_the_kind_of_characters() -> None:
    assert [estimate_tokens(text) for text in ("", "four", "fives", "éé", "日本")] == [0, 1, 2, 1, 2]
