"""Which runs are still missing, and whether the caps leave room for them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ceopt_tui.core.budget import has_room
from ceopt_tui.core.plan.actions import Measure, PlannedRun
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.state.runs import TRIES_PER_CASE
from ceopt_tui.core.state.spend import RoleSpend
from schemas.records import Step

REPORT_RUNS = 4
PRICE_MARGIN = 1.1  # the runs to come may be dearer than the mean of those that were


def missing(
    state: RunState,
    text_digest: str,
    scores: Mapping[str, Sequence[float]],
    cases: Iterable[str],
    wanted: int,
    step: Step,
    experiment: int | None = None,
) -> list[PlannedRun]:
    """Runs that bring every case to `wanted` scores, lost cases aside."""
    planned = []
    for case_id in cases:
        if state.runs.failures.get((text_digest, case_id, step), 0) >= TRIES_PER_CASE:
            continue
        need = max(0, wanted - len(scores.get(case_id, ())))
        samples = state.runs.free_samples(text_digest, case_id, need)
        planned += [PlannedRun(text_digest, case_id, sample, step, experiment) for sample in samples]
    return planned


def pooled(runs: list[PlannedRun], seed: int, title: str) -> Measure:
    """One pool in seeded random order, so that load and drift hit both sides alike."""
    mixed = sorted(runs, key=lambda run: (run.case_id, run.sample, run.text_digest))
    random.Random(f"{seed}:{title}").shuffle(mixed)
    return Measure(tuple(mixed), title)


def lost_share(scores: Mapping[str, Sequence[float]], cases: Sequence[str]) -> float:
    """Share of cases without a single score."""
    return sum(not scores.get(case_id) for case_id in cases) / len(cases) if cases else 0.0


def report_runs(state: RunState) -> int:
    """Fresh runs a side and case for the final report."""
    return 1 if state.deterministic else REPORT_RUNS


def usd_per_run(state: RunState, terms: Terms) -> float | None:
    """What a run is expected to cost, its judging included: the typical price, or more where it cost more so far.

    None when a price is unknown.
    """
    typical = terms.budget.usd_per_run
    task = None if typical is None else max(typical, state.spend.usd_per_run * PRICE_MARGIN)
    if terms.judge is None or task is None:
        return task
    judged, spent = state.judging.scored, state.spend.roles.get("judge", RoleSpend()).usd
    per_item = terms.judge.usd_per_item
    return None if per_item is None else task + max(per_item, PRICE_MARGIN * spent / judged if judged else 0.0)


def requests_per_run(state: RunState, terms: Terms) -> float:
    """Requests a run takes, its share of a judge's call included."""
    task = state.spend.requests_per_run
    if terms.judge is None:
        return task
    judged, calls = state.judging.scored, state.spend.roles.get("judge", RoleSpend()).calls
    return task + (calls / judged if judged else 1 / terms.judge.batch_size)


def affordable(state: RunState, terms: Terms, runs: int) -> bool:
    """Do the caps leave room for these runs and for the final report after them?"""
    reserve, spend = 2 * len(state.report_cases) * report_runs(state), state.spend
    return has_room(
        replace(terms.budget, usd_per_run=usd_per_run(state, terms)),
        spent_calls=spend.calls,
        spent_usd=spend.usd,
        runs=runs + reserve,
        requests_per_run=requests_per_run(state, terms),
        held_usd=spend.most_reserved_usd,
    )
