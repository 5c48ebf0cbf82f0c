"""Which rules does a pruning run take out? Planted useless ones should go, planted useful ones stay.

Each text has 6 useless rules, 4 that 12% of all inputs need each, and 2 that 2% need each. The real plan decides.
`python tests/benchmarks/bench_pruning.py [RUNS] [--jobs N] [--seed N]`
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from statistics import fmean
from unittest.mock import patch

from pruning_world import CREEPING, RULES, SLIGHT, USELESS, PruningWorld, Removed, prune

from ceopt_tui.core.plan import shortening

CASES = (12, 20, 40, 80, 120)
HEAD = (
    "| cases | useless removed | useful lost, with cases for them | useful lost, without | rules for 2% lost "
    "| true loss | calls | too few to try |"
)


def measure(cases: int, deterministic: bool, runs: int, seed: int) -> list[Removed]:
    """As many pruning runs, each on a text and a set of its own."""
    return [prune(PruningWorld(cases, seed + at, deterministic=deterministic)) for at in range(runs)]


def measure_creeping(cases: int, runs: int, seed: int, *, anchored: bool) -> list[Removed]:
    """Texts of rules that would not be missed one by one; `anchored`: held against the first text too, as it is."""
    with nullcontext() if anchored else patch.object(shortening, "before_removals", lambda state: None):
        worlds = (PruningWorld(cases, seed + at, deterministic=False, rules=CREEPING) for at in range(runs))
        return [prune(world) for world in worlds]


def row(cases: int, found: list[Removed]) -> str:
    """One line of the table: shares over all runs, means per run."""
    runs = len(found)
    shares = (
        _share((one.useless for one in found), runs * RULES.count(USELESS)),
        _share((one.covered_lost for one in found), sum(one.covered for one in found)),
        _share((one.uncovered_lost for one in found), sum(one.uncovered for one in found)),
        _share((one.slight_lost for one in found), runs * RULES.count(SLIGHT)),
    )
    loss, calls = fmean(one.loss for one in found), fmean(one.calls for one in found)
    untried = _share((one.ended == "too_few_cases" for one in found), runs)
    return f"| {cases} | {' | '.join(shares)} | {100 * loss:.1f} points | {calls:,.0f} | {untried} |"


def _share(part: Iterable[int], whole: int) -> str:
    return f"{sum(part) / whole:.0%} of {whole}" if whole else "-"


def main() -> None:
    """Runs every set size with both kinds of runner and prints a table for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="?", type=int, default=6, help="texts per row (default 6)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--seed", type=int, default=1_000, help="first text")
    options = parser.parse_args()
    started = time.perf_counter()
    jobs = [(cases, deterministic) for deterministic in (False, True) for cases in reversed(CASES)]
    with ProcessPoolExecutor(options.jobs) as pool:
        waiting = {job: pool.submit(measure, *job, options.runs, options.seed) for job in jobs}
        ways = {"also with the first text": True, "with the current text alone": False}
        crept = {
            way: pool.submit(measure_creeping, max(CASES), options.runs, options.seed, anchored=anchored)
            for way, anchored in ways.items()
        }
        found = {job: done.result() for job, done in waiting.items()}
    for deterministic, kind in ((True, "repeats itself"), (False, "varies: 97% right with the rule, 10% without")):
        print(f"\nA runner that {kind}\n\n{HEAD}\n{'|---' * HEAD.count(' | ')}|---|")
        print("\n".join(row(cases, found[cases, deterministic]) for cases in CASES))
    print(f"\n{len(CREEPING)} rules that each raise the pass rate by 1.5 points, {max(CASES)} cases; compared:")
    for way, done in crept.items():
        gone, losses = fmean(one.slight_lost for one in done.result()), [100 * one.loss for one in done.result()]
        print(f"- {way}: {gone:.1f} removed, {fmean(losses):.1f} points lost, at most {max(losses):.1f}")
    print(f"\n{options.runs} texts a row, from seed {options.seed}, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
