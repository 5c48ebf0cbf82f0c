"""The series behind the charts: what is drawn of a run, and of a long one what is left out."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from coverage_maps import WHOLE
from fakes import terms
from journals import HOLDOUT, SELECTION, everywhere, experiment, looping, runs

from ceopt_tui.core.charts import (
    MOST_CASES,
    MOST_DOTS,
    CaseBar,
    Estimate,
    Share,
    call_chart,
    case_chart,
    coverage_chart,
    money_chart,
    outcome_chart,
    score_chart,
)
from ceopt_tui.core.state.run import RunState
from schemas import records as r

Runs = Mapping[str, tuple[float, ...]]


def verdict(number: int, step: str, difference: float, se: float = 0.1, n: int = 6) -> r.Decided:
    numbers: dict[str, float | int | None] = {"n": n, "mean_difference": difference, "se": se}
    return r.Decided(
        number=number, step=step, decision="d", next_measurement="none", reason="x", numbers=numbers  # type: ignore[arg-type]
    )  # fmt: skip


def closed(number: int, outcome: str) -> list[r.AnyRecord]:
    end: list[r.AnyRecord] = [r.ExperimentClosed(number=number, outcome=outcome, reason="because")]
    if outcome == "kept":
        commit = r.Committed(number=number, text_digest=f"t{number}", commit="c", branch="b")
        return [commit, *end]
    return end


def compared(number: int, before: Runs, after: Runs) -> r.Compared:
    return r.Compared(
        number=number, comparison="holdout", reference_digest="old", candidate_digest="new", workload="w",
        reference=dict(before), candidate=dict(after),
    )  # fmt: skip


def three() -> RunState:
    """One that changed nothing measurable, one kept after a look, one better than the kept one but reverted."""
    held_out = dict.fromkeys(HOLDOUT, (0.0, 1.0))
    return looping(
        *experiment(1, "t1"), *closed(1, "refused"),
        *experiment(2, "t2"), verdict(2, "exploratory", 0.1, n=4), verdict(2, "add_sample", 0.25),
        compared(2, held_out, held_out), verdict(2, "confirm", 0.2), *closed(2, "kept"),
        *experiment(3, "t3"), verdict(3, "add_sample", 0.5, se=0.2), verdict(3, "confirm", 0.2), *closed(3, "reverted"),
    )  # fmt: skip


def test_a_candidate_stands_where_the_best_stood_plus_its_paired_difference() -> None:
    chart = score_chart(three(), terms())
    assert chart is not None
    assert (chart.experiments, chart.measured, chart.best) == (3, 2, ((0, 0.5), (2, 0.75)))
    kept, last = chart.dots
    assert (kept.number, kept.kept, kept.outcome, last.kept) == (2, True, "kept", False)
    assert kept.selection.mean == 0.75 and kept.selection.low < 0.6 < 0.9 < kept.selection.high
    assert kept.held_out is not None and kept.held_out.mean == 0.7
    low = pytest.approx(1.25 - 1.645 * 0.2, abs=1e-3)
    assert last.selection == Estimate(1.0, low, 1.0)  # no score leaves the scale
    assert last.held_out is None  # the runs behind its look are not on record


def test_where_less_is_better_a_gain_is_a_lower_score() -> None:
    chart = score_chart(three(), terms(maximize=False))
    assert chart is not None and chart.best == ((0, 0.5), (2, 0.25))


def test_a_verdict_that_compared_nothing_is_no_dot() -> None:
    state = looping(*experiment(1), verdict(1, "add_sample", 0.0, n=0), *closed(1, "error"))
    chart = score_chart(state, terms())
    assert chart is not None and not chart.dots
    assert score_chart(RunState(), terms()) is None


def test_a_look_at_nothing_scores_nothing() -> None:
    empty: Runs = dict.fromkeys(HOLDOUT, ())
    state = looping(
        *experiment(1), verdict(1, "add_sample", 0.1), compared(1, empty, empty), verdict(1, "confirm", 0.2)
    )
    chart = score_chart(state, terms())
    assert chart is not None and chart.dots[0].held_out is not None and chart.dots[0].held_out.mean == 0.2


def test_of_a_long_run_the_best_of_every_stretch_is_drawn_and_all_that_was_kept() -> None:
    records: list[r.AnyRecord] = []
    for number in range(1, 1001):
        outcome, gain = ("kept", 0.01) if number == 502 else ("reverted", 0.3 if number % 4 == 0 else -0.1)
        records += [*experiment(number, f"t{number}"), verdict(number, "add_sample", gain), *closed(number, outcome)]
    chart = score_chart(looping(*records), terms())
    assert chart is not None and chart.measured == 1000
    shown = [dot.number for dot in chart.dots]
    assert 200 < len(shown) <= MOST_DOTS and 502 in shown
    assert all(number % 4 == 0 for number in shown if number != 502)


def reported() -> RunState:
    """A kept text with fresh held-out runs: one case better, one worse, the others as before."""
    better, worse = HOLDOUT[:2]
    after = {**everywhere(HOLDOUT, 0.5), better: (1.0,), worse: (0.0,)}
    return looping(
        *experiment(1, "t1"),
        *runs("t1", "add_sample", {**everywhere(SELECTION[1:], 0.5), SELECTION[0]: (1.0,)}, experiment=1),
        *closed(1, "kept"),
        *runs("old", "report", everywhere(HOLDOUT, 0.5)),
        *runs("t1", "report", after),
    )


def test_cases_go_from_the_most_improved_to_the_worst() -> None:
    chart = case_chart(reported(), terms())
    assert chart is not None
    assert chart.bars == (
        CaseBar(SELECTION[0], False, 0.5, 1.0, 0.5), CaseBar(HOLDOUT[0], True, 0.5, 1.0, 0.5),
        CaseBar(HOLDOUT[1], True, 0.5, 0.0, -0.5),
    )  # fmt: skip
    assert (chart.same, chart.left_out) == (len(SELECTION) + len(HOLDOUT) - 3, 0)
    assert case_chart(looping(*experiment(1)), terms()) is None


def test_of_very_many_cases_both_ends_are_shown() -> None:
    names = [f"c{place:03d}" for place in range(3 * MOST_CASES)]
    after = {case: (1.0,) if place % 2 else (0.0,) for place, case in enumerate(names)}
    state = looping(
        *experiment(1, "t1"), *closed(1, "kept"),
        *runs("old", "report", everywhere(names, 0.5)), *runs("t1", "report", after),
        *runs("t1", "report", {"unscored": (None,)}),
    )  # fmt: skip
    chart = case_chart(state, terms())
    assert chart is not None and len(chart.bars) == MOST_CASES and chart.left_out == 2 * MOST_CASES
    assert chart.bars[0].gain == 0.5 and chart.bars[-1].gain == -0.5


def test_outcomes_are_counted_kept_ones_first() -> None:
    chart = outcome_chart(three())
    assert chart is not None
    assert chart.shares == (Share("kept", 1), Share("refused", 1), Share("reverted", 1))
    assert outcome_chart(looping()) is None


def call(role: str, usd: float | None) -> r.CallFinished:
    return r.CallFinished(facts=r.CallFacts(role=role, model="m", usd=usd))  # type: ignore[arg-type]


def test_a_role_of_unknown_price_has_no_figure() -> None:
    lost = r.CallStarted(call_id="lost", role="task", usd_reserved=0.1)
    state = looping(call("task", 0.5), call("judge", None), lost)
    calls, usd = call_chart(state), money_chart(state)
    assert calls is not None and usd is not None
    assert calls.shares == (Share("judge", 1), Share("task", 1), Share("no reply on record", 1))
    assert usd.shares == (Share("judge", None), Share("task", 0.5))
    assert call_chart(RunState()) is None and money_chart(RunState()) is None


def test_the_map_has_a_row_for_every_rule_that_was_removed() -> None:
    chart = coverage_chart(WHOLE, ["one", "two", "three", "four"])
    assert chart.cases == ("a", "b", "c", "d")
    assert chart.rows[0] == ("one", "covered", ("loses", "same", "touchy", None))
    assert [row[0] for row in chart.rows] == ["one", "two", "three"]
