"""What a person's scores are worth against a judge that is wrong: three tables from simulated judges, with seeds.

Order agreement by kind of judge; coverage of intervals; what a judge that favours the new text gets kept.
`python tests/benchmarks/bench_judge_bias.py [--runs N] [--seed N]`
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from functools import cache
from statistics import fmean

import numpy as np
from judge_world import ARMS, RATERS, Comparison, Floats, JudgeWorld, order_of_many, raters

from ceopt_tui.core.evidence.agreement import order_agreement
from ceopt_tui.core.evidence.ladder import decide_holdout
from ceopt_tui.core.evidence.looks import look_level
from ceopt_tui.core.evidence.noise import Noise
from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.statistics import student_quantile
from ceopt_tui.core.trust.blind import people_confirm, people_figures

SETTING = Setting(span=4)
FAVOUR = 0.4
LABELLED = 10
LEVEL = look_level(1, 0)

quantile = cache(student_quantile)


def agreement_table(runs: int, seed: int) -> None:
    """Order agreement of each kind of judge: its value, and how often ten or twenty scores reach the gate."""
    print("\nOrder agreement with a person, and what the gate says after 10 scores | after 20\n")
    print("| judge | order, many | order, 10 scores | within one | passes | fails | unclear | too few |")
    print("|---" * 8 + "|")
    for kind in RATERS:
        rng = np.random.default_rng([seed, 1, RATERS.index(kind)])
        person, judge = raters(kind, 1500, rng)
        verdicts: dict[int, Counter[str]] = {}
        orders = []
        for size in (10, 20):
            found = [order_agreement(*map(floats, raters(kind, size, rng))) for _ in range(runs)]
            verdicts[size] = Counter(one.verdict for one in found)
            orders += [one.order for one in found if size == 10 and one.order is not None]
        shares = [
            " / ".join(f"{verdicts[size][verdict] / runs:.0%}" for size in (10, 20))
            for verdict in ("pass", "fail", "unclear", "cannot_be_judged")
        ]
        many, close = order_of_many(person, judge), float((abs(person - judge) <= 1).mean())
        print(f"| {kind} | {many:.2f} | {fmean(orders):.2f} | {close:.2f} | {' | '.join(shares)} |")


def coverage_table(runs: int, seed: int) -> None:
    """Bias and coverage of the 90 % interval of a gain on people's scale."""
    print("\nGain on people's scale: bias · how often its 90% interval holds the truth (widths beside it)\n")
    print("| judge favours | judged only | labelled | judge runs | by the judge alone | with labels | rests on |")
    print("|---" * 7 + "|")
    for favour in (0.0, FAVOUR):
        world = JudgeWorld(effect=0.4, favour=favour)
        truth = world.truth(np.random.default_rng([seed, 2]))
        for further, labelled, repeats in ((0, 10, 1), (10, 10, 1), (40, 10, 1), (40, 20, 1), (40, 10, 4), (40, 20, 4)):
            rng = np.random.default_rng([seed, 3, further, labelled, repeats])
            alone, corrected, method = [], [], ""
            for _ in range(runs):
                seen = world.compare(rng, further + labelled, labelled, repeats)
                alone.append(judge_interval(seen.judged))
                figures = people_figures(seen.marks, ARMS, seen.reference, seen.candidate, SETTING)
                assert figures is not None
                corrected.append((figures.low, figures.high))
                method = figures.method
            cells = " | ".join(cover(intervals, truth) for intervals in (alone, corrected))
            print(f"| {favour:.1f} | {further} | {labelled} | {repeats} | {cells} | {method} |")


def gate_table(runs: int, seed: int) -> None:
    """What is kept at the first look, by the judge's gate alone and with people asked."""
    print(f"\nKept at one look (level {LEVEL:.2f}, {LABELLED} pairs scored blind): judge alone → with people (ratio)\n")
    sizes = (10, 20, 40)
    print(f"| candidate | judge favours it by | {' | '.join(f'{size} held-out cases' for size in sizes)} |")
    print("|---" * (2 + len(sizes)) + "|")
    candidates = (("no better", 0.0, 0.15), ("better by 0.8", 0.8, 0.35))
    for label, effect, unevenness in candidates:
        for favour in (0.0, FAVOUR):
            world, cells = JudgeWorld(effect, favour, unevenness), []
            for size in sizes:
                rng = np.random.default_rng([seed, 4, size])
                seen = [kept(world.compare(rng, size, LABELLED, SETTING.holdout_runs)) for _ in range(runs)]
                naive, asked = fmean(one for one, _ in seen), fmean(both for _, both in seen)
                cells.append(f"{naive:.0%} → {asked:.0%} ({asked / naive if naive else math.nan:.2f})")
            print(f"| {label} | {favour:.1f} | {' | '.join(cells)} |")


def kept(seen: Comparison) -> tuple[bool, bool]:
    """Would this candidate be kept by the judge alone, and with people asked?"""
    noise = Noise().with_runs(seen.reference).with_runs(seen.candidate)
    first = {case: scores[: SETTING.confirm_runs] for case, scores in seen.candidate.items()}
    naive = all(
        decide_holdout(
            seen.reference, runs, noise, SETTING, cases=seen.cases, look=1, keeps=0, total_cases=2 * len(seen.cases)
        ).decision
        == wanted
        for runs, wanted in ((first, "promising"), (seen.candidate, "keep"))
    )
    figures = people_figures(seen.marks, ARMS, seen.reference, seen.candidate, SETTING)
    return naive, naive and people_confirm(figures, LEVEL) is True


def judge_interval(differences: Floats) -> tuple[float, float]:
    """The 90 % interval that a judge's differences give when its word is taken."""
    n = len(differences)
    half = quantile(0.95, n - 1) * float(differences.std(ddof=1)) / math.sqrt(n)
    return float(differences.mean()) - half, float(differences.mean()) + half


def cover(intervals: list[tuple[float, float]], truth: float) -> str:
    """Bias, coverage and mean width of intervals."""
    bias = fmean((low + high) / 2 for low, high in intervals) - truth
    held = fmean(low <= truth <= high for low, high in intervals)
    return f"{bias:+.2f} · {held:.0%} ({fmean(high - low for low, high in intervals):.2f})"


def floats(scores: Floats) -> list[float]:
    """Plain numbers, as the core takes them."""
    return [float(score) for score in scores]


def main() -> None:
    """Prints the three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="simulated sets of scores per cell (default 200)")
    parser.add_argument("--seed", type=int, default=7, help="seed of the worlds (default 7)")
    options = parser.parse_args()
    started = time.perf_counter()
    for table in (agreement_table, coverage_table, gate_table):
        table(options.runs, options.seed)
    error, took = 0.5 / math.sqrt(options.runs), time.perf_counter() - started
    print(f"\n{options.runs} runs a cell, a share is exact to {error:.1%} (one standard error) or better")
    print(f"seed {options.seed}, {took:.0f} s")


if __name__ == "__main__":
    main()
