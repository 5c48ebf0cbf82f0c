"""What a run is said to take before it begins."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fakes import split_of, terms

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.plan.forecast import experiment_calls, forecast, plan_lines
from ceopt_tui.core.plan.terms import JudgeTerms

CASES = [f"c{number:02d}" for number in range(20)]
SPLIT = split_of(CASES, 10)


def test_calls_are_a_range_that_follows_repeats_and_retries() -> None:
    four = forecast(SPLIT, terms(max_iterations=5))
    # Typical: 40 + 5·(10 + 3) + 80 + 3 to confirm + 40 for the kept text + 80 to report; worst: every one is kept.
    assert (four.baseline, four.task, four.proposer) == (40, (308, 40 + 5 * (39 + 40 + 80 + 6) + 80), (0, 0))
    eight = forecast(SPLIT, terms(max_iterations=5, reference_runs=8))
    assert eight.baseline == 80 and eight.task[0] == four.task[0] + 80
    assert forecast(SPLIT, terms(max_iterations=5, task_retries=2)).task == (308, 3 * four.task[1])
    assert forecast(SPLIT, terms(max_iterations=1)).task[0] == 40 + 13 + 83 + 80


@pytest.mark.parametrize(
    ("selection", "held_out", "deterministic", "calls"),
    [
        (10, 10, False, (4, 3 * (10 + 3) + 4 * 10 + 8 * 10 + 2 * 3)),
        (10, 10, True, (4, (10 + 1) + 10 + 2 * 10 + 1)),
        (3, 3, False, (3 + 3, 3 * (3 + 3) + 4 * 3 + 8 * 3 + 2 * 3)),  # too few to explore: the first step is a sweep
        (2, 3, False, (2 + 2, 3 * (2 + 2) + 4 * 2 + 8 * 3 + 2 * 3)),
        (4, 4, True, (4 + 1, (4 + 1) + 4 + 2 * 4 + 1)),
    ],
)
def test_what_an_experiment_takes(selection: int, held_out: int, deterministic: bool, calls: tuple[int, int]) -> None:
    assert experiment_calls(selection, held_out, Setting(1.0, deterministic=deterministic)) == calls


def test_a_proposer_is_called_and_paid_too() -> None:
    known = terms(
        max_iterations=5, with_proposer=True, proposer_retries=2, budget=Caps(usd_per_run=0.001), usd_per_proposal=0.01
    )
    seen = forecast(SPLIT, known)
    assert seen.proposer == (5, 30) and seen.usd is not None
    assert seen.usd == pytest.approx((0.308 + 0.05, seen.task[1] * 0.001 + 0.3))
    assert forecast(SPLIT, replace(known, usd_per_proposal=None)).usd is None
    assert forecast(SPLIT, replace(known, budget=Caps())).usd is None


def test_a_judge_is_called_and_paid_in_batches_at_best_and_one_by_one_at_worst() -> None:
    judge = JudgeTerms(rubric_digest="r", model="j", batch_size=5, usd_per_item=0.002, retries=2)
    known = terms(max_iterations=5, judge=judge, budget=Caps(usd_per_run=0.001))
    seen, runs = forecast(SPLIT, known), forecast(SPLIT, terms(max_iterations=5)).task
    # Eighteen outputs try the judge beforehand: four batches of five; at worst each output is asked about twice.
    assert seen.judge == (4 + 62, 2 * (18 + runs[1]) * 3) and seen.usd is not None
    assert seen.usd == pytest.approx((runs[0] * 0.001 + (runs[0] + 18) * 0.002, runs[1] * 0.001 + seen.judge[1] * 0.01))
    assert forecast(SPLIT, replace(known, judge=replace(judge, usd_per_item=None))).usd is None


def test_the_plan_fits_80_columns_and_promises_no_most() -> None:
    large = split_of([f"c{number:04d}" for number in range(1000)], 500)
    known = terms(
        max_iterations=100, task_retries=5, with_proposer=True, proposer_retries=2, usd_per_proposal=1.0,
        budget=Caps(calls=100_000, usd=1000.0, usd_per_run=0.1),
    )  # fmt: skip
    lines = plan_lines(large, known)
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    assert "proposer 100 to 600" in text and "typical to worst" in text and "calls at most" not in text
