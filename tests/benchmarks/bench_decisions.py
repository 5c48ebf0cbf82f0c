"""How often does a rule keep a change that is not truly better, and what is the final text worth?

Prints one table: share of false keeps and true gain per rule and set size, all rules at equal calls on the same
worlds. `python tests/benchmarks/bench_decisions.py [RUNS] [--jobs N] [--seed N]`
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import fmean

from decision_evidence import evidence_high, evidence_low, evidence_normal
from decision_rivals import Outcome, fixed_threshold, gepa_like, hill_climb, mipro_like, paired_minimum
from decision_world import Scenario, World, judged, pass_fail

RULES: dict[str, Callable[[World], Outcome]] = {
    "hill climb": hill_climb,
    "GEPA-like": gepa_like,
    "MIPRO-like": mipro_like,
    "fixed threshold, 5 runs + holdout": fixed_threshold,
    "paired minimum + holdout": paired_minimum,
    "evidence, normal": evidence_normal,
    "evidence, high": evidence_high,
    "evidence, low": evidence_low,
}
SCENARIOS = (judged(8), judged(12), judged(20), judged(40), pass_fail(20))


@dataclass(frozen=True)
class Cell:
    """One rule in one scenario over many runs. Shares are 0 to 1; `optimism` and `covered` are of runs with a keep."""

    keeps: float
    false_share: float
    gain: float
    gain_se: float
    worse: float
    optimism: float | None
    covered: float | None
    calls: float


def measure(rule: str, scenario: Scenario, runs: int, seed: int) -> Cell:
    """Runs one rule in `runs` worlds."""
    keeps = false = 0
    gains, calls, errors, covered = [], [], [], []
    for number in range(runs):
        world = World(scenario, seed + number)
        outcome = RULES[rule](world)
        keeps += len(outcome.kept)
        false += sum(world.gain(child, parent) <= scenario.matters for parent, child in outcome.kept)
        gains.append(world.gain(outcome.final))
        calls.append(world.calls / world.budget)
        if outcome.kept:
            true = world.gain(outcome.final, by_judge=True)
            errors.append(outcome.reported - true)
            if outcome.interval:
                covered.append(outcome.interval[0] <= true <= outcome.interval[1])
    mean = fmean(gains)
    return Cell(
        keeps=keeps / runs,
        false_share=false / max(keeps, 1),
        gain=mean,
        gain_se=math.sqrt(sum((gain - mean) ** 2 for gain in gains) / max(runs - 1, 1) / runs),
        worse=fmean(gain < -scenario.matters for gain in gains),
        optimism=fmean(errors) if errors else None,
        covered=fmean(covered) if covered else None,
        calls=fmean(calls),
    )


def table(cells: dict[tuple[str, str], Cell], title: str, show: Callable[[Cell], str]) -> str:
    """One Markdown table over all rules and scenarios."""
    labels = [scenario.label for scenario in SCENARIOS]
    head = [f"\n{title}\n", f"| rule | {' | '.join(labels)} |", "|---" * (len(labels) + 1) + "|"]
    return "\n".join([*head, *(f"| {rule} | {' | '.join(show(cells[rule, x]) for x in labels)} |" for rule in RULES)])


def optional(value: float | None, form: str) -> str:
    """A number, or a dash where no run had one."""
    return "-" if value is None else format(value, form)


def main() -> None:
    """Runs all cells and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="?", type=int, default=60, help="worlds per cell (default 60)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--seed", type=int, default=2_000_000, help="first world")
    options = parser.parse_args()
    started = time.perf_counter()
    jobs = [(rule, scenario) for scenario in sorted(SCENARIOS, key=lambda one: -one.cases) for rule in RULES]
    with ProcessPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(measure, rule, one, options.runs, options.seed) for rule, one in jobs]
        cells = {(rule, one.label): done.result() for (rule, one), done in zip(jobs, waiting, strict=True)}
    print(f"{options.runs} runs a cell, worlds from {options.seed}, {time.perf_counter() - started:.0f} s")
    print(table(cells, "False keeps · true gain ± standard error", gains))
    print(
        table(cells, "Reported minus true gain · interval covers the truth · final text worse than the first", honesty)
    )
    print(table(cells, "Keeps a run · share of the calls used", spending))


def gains(cell: Cell) -> str:
    """What a rule wins and how much of what it keeps is wrong."""
    return f"{cell.false_share:.0%} · {cell.gain:.2f} ± {cell.gain_se:.2f}"


def honesty(cell: Cell) -> str:
    """How far its own report is off."""
    return f"{optional(cell.optimism, '+.2f')} · {optional(cell.covered, '.0%')} · {cell.worse:.0%}"


def spending(cell: Cell) -> str:
    """How much it keeps and pays."""
    return f"{cell.keeps:.1f} · {cell.calls:.0%}"


if __name__ == "__main__":
    main()
