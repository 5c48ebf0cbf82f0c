"""What a run will take before it has begun: calls and money by role, typical and at worst. Pure arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.drift import drift_runs
from ceopt_tui.core.plan.laddering import PROPOSAL_TRIES
from ceopt_tui.core.plan.measuring import REPORT_RUNS
from ceopt_tui.core.plan.terms import JudgeTerms, Terms
from schemas.records import SplitFrozen

Range = tuple[int, int]

PROBED_OUTPUTS = 18  # outputs a judge is tried on before the baseline, at most
ASKED_AT_MOST = 2  # times about one output, when a first reply cannot be used


@dataclass(frozen=True)
class Forecast:
    """Ranges from a typical run to the worst one, caps aside. `usd` is None where a price is unknown."""

    baseline: int
    experiment: Range
    task: Range
    proposer: Range
    usd: tuple[float, float] | None
    judge: Range = (0, 0)


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

    Typical: outputs vary, every change meets all selection cases once, one is kept (half of them where rules leave),
    nothing is tried again.
    Worst: every change is swept as often as it may be, confirmed and kept, and every request needs all its retries.
    """
    setting = Setting(terms.span, reference_runs=terms.reference_runs)
    selection, held_out, most = len(split.selection), len(split.holdout), terms.max_iterations
    baseline, report = selection * setting.reference_runs, 2 * REPORT_RUNS * held_out
    experiment = experiment_calls(selection, held_out, setting)
    sweep = selection + drift_runs(selection, deterministic=False)
    keep = 2 * setting.holdout_runs * held_out + drift_runs(held_out, deterministic=False)
    remeasured = baseline if most > 1 else 0  # the text that was kept, beside the next change
    keeps = ceil(most / 2) if terms.pruning else 1
    runs = (baseline + most * sweep + keeps * (keep + remeasured) + report, baseline + most * experiment[1] + report)
    task = (runs[0], runs[1] * (1 + terms.task_retries))
    proposer = (most, PROPOSAL_TRIES * most * (1 + terms.proposer_retries)) if terms.with_proposer else (0, 0)
    judge = _judge_calls(runs, terms.judge) if terms.judge else (0, 0)
    usd = _usd(task, proposer, _judge_usd(runs, judge, terms.judge), terms)
    return Forecast(baseline, experiment, task, proposer, usd, judge)


def _judge_calls(runs: Range, judge: JudgeTerms) -> Range:
    """Typical: full batches. Worst: every output on its own, asked about twice, every request with all its retries."""
    before = ceil(PROBED_OUTPUTS / judge.batch_size)
    return before + ceil(runs[0] / judge.batch_size), ASKED_AT_MOST * (PROBED_OUTPUTS + runs[1]) * (1 + judge.retries)


def _judge_usd(runs: Range, calls: Range, judge: JudgeTerms | None) -> tuple[float, float] | None:
    """A call that carries one output costs what several do in one, at most."""
    if judge is None:
        return 0.0, 0.0
    per_item = judge.usd_per_item
    if per_item is None:
        return None
    return (runs[0] + PROBED_OUTPUTS) * per_item, calls[1] * per_item * judge.batch_size


def _usd(task: Range, proposer: Range, judging: tuple[float, float] | None, terms: Terms) -> tuple[float, float] | None:
    run, proposal = terms.budget.usd_per_run, terms.usd_per_proposal if terms.with_proposer else 0.0
    if run is None or proposal is None or judging is None:
        return None
    low, high = (task[end] * run + proposer[end] * proposal + judging[end] for end in (0, 1))
    return low, high


def plan_lines(split: SplitFrozen, terms: Terms) -> list[str]:
    """The forecast with caps and clocks, to be read before a run is approved; at most 80 columns."""
    seen, budget = forecast(split, terms), terms.budget
    (low, high), (few, many) = seen.experiment, seen.task
    ideas = f", proposer {seen.proposer[0]:,} to {seen.proposer[1]:,}" if terms.with_proposer else ""
    price = f"{seen.usd[0]:.2f} to {seen.usd[1]:.2f} USD" if seen.usd else "price unknown"
    money = f"{budget.usd:.2f} USD" if budget.usd is not None else "uncapped in money"
    if terms.judge and terms.judge.cap_usd is not None:
        money += f", judging at most {terms.judge.cap_usd:.2f} USD"
    calls = counted(budget.calls, "call") if budget.calls is not None else "no cap on calls"
    most = counted(terms.max_iterations, "experiment")
    return [
        f"Plan       baseline {counted(seen.baseline, 'call')}; up to {most} of {low} to {high:,}",
        f"           task {few:,} to {counted(many, 'call')}{ideas}",
        *([f"           judge {seen.judge[0]:,} to {counted(seen.judge[1], 'call')}"] if terms.judge else []),
        f"           {price}; typical to worst, before the caps",
        f"Caps       {money}; {calls}",
        f"Clocks     {terms.max_active_s / 3600:g} h of work, {terms.max_wall_s / 3600:g} h by the calendar",
    ]
