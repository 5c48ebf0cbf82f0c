"""What a run will take before it has begun: calls and money by role, typical and at worst. Pure arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.drift import drift_runs
from ceopt_tui.core.plan.laddering import PROPOSAL_TRIES
from ceopt_tui.core.plan.measuring import REPORT_RUNS
from ceopt_tui.core.plan.terms import Terms
from schemas.records import SplitFrozen

Range = tuple[int, int]


@dataclass(frozen=True)
class Forecast:
    """Ranges from a typical run to the worst one, caps aside. `usd` is None where a price is unknown."""

    baseline: int
    experiment: Range
    task: Range
    proposer: Range
    usd: tuple[float, float] | None


def experiment_calls(selection: int, held_out: int, setting: Setting) -> Range:
    """Fewest and most task calls of one experiment over so many cases; retries, and drift that was found, aside.

    Most: all sweeps, both held-out steps, the reference measured anew on both sides, and its runs against drift.
    """
    alone = setting.deterministic
    fewest = setting.first if selection > setting.first else selection + drift_runs(selection, deterministic=alone)
    sweep = selection + drift_runs(selection, deterministic=alone)
    held_out_steps = 1 if alone else 2  # where repeats are identical the second runs nothing
    looking = 2 * setting.holdout_runs * held_out + held_out_steps * drift_runs(held_out, deterministic=alone)
    return fewest, setting.max_sweeps * sweep + setting.reference_runs * selection + looking


def forecast(split: SplitFrozen, terms: Terms) -> Forecast:
    """Calls and US dollars for these cases.

    Typical: outputs vary, every change meets all selection cases once, one is kept, nothing is tried again.
    Worst: every change is swept as often as it may be, confirmed and kept, and every request needs all its retries.
    """
    setting = Setting(terms.span, reference_runs=terms.reference_runs)
    selection, held_out, most = len(split.selection), len(split.holdout), terms.max_iterations
    baseline, report = selection * setting.reference_runs, 2 * REPORT_RUNS * held_out
    experiment = experiment_calls(selection, held_out, setting)
    sweep = selection + drift_runs(selection, deterministic=False)
    keep = 2 * setting.holdout_runs * held_out + drift_runs(held_out, deterministic=False)
    remeasured = baseline if most > 1 else 0  # the text that was kept, beside the next change
    task = (
        baseline + most * sweep + keep + remeasured + report,
        (baseline + most * experiment[1] + report) * (1 + terms.task_retries),
    )
    proposer = (most, PROPOSAL_TRIES * most * (1 + terms.proposer_retries)) if terms.with_proposer else (0, 0)
    return Forecast(baseline, experiment, task, proposer, _usd(task, proposer, terms))


def _usd(task: Range, proposer: Range, terms: Terms) -> tuple[float, float] | None:
    run, proposal = terms.budget.usd_per_run, terms.usd_per_proposal if terms.with_proposer else 0.0
    if run is None or proposal is None:
        return None
    return task[0] * run + proposer[0] * proposal, task[1] * run + proposer[1] * proposal


def plan_lines(split: SplitFrozen, terms: Terms) -> list[str]:
    """The forecast with caps and clocks, to be read before a run is approved; at most 80 columns."""
    seen, budget = forecast(split, terms), terms.budget
    (low, high), (few, many) = seen.experiment, seen.task
    ideas = f", proposer {seen.proposer[0]:,} to {seen.proposer[1]:,}" if terms.with_proposer else ""
    price = f"{seen.usd[0]:.2f} to {seen.usd[1]:.2f} USD" if seen.usd else "price unknown"
    money = f"{budget.usd:.2f} USD" if budget.usd is not None else "uncapped in money"
    calls = counted(budget.calls, "call") if budget.calls is not None else "no cap on calls"
    most = counted(terms.max_iterations, "experiment")
    return [
        f"Plan       baseline {counted(seen.baseline, 'call')}; up to {most} of {low} to {high:,}",
        f"           task {few:,} to {counted(many, 'call')}{ideas}",
        f"           {price}; typical to worst, before the caps",
        f"Caps       {money}; {calls}",
        f"Clocks     {terms.max_active_s / 3600:g} h of work, {terms.max_wall_s / 3600:g} h by the calendar",
    ]
