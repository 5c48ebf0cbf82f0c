"""Is a rule called what it is? Simulated texts with planted rules, run by models of known unsteadiness, with seeds.

`python tests/benchmarks/bench_coverage.py [--texts N] [--seed N]`
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ceopt_tui.core.coverage import RuleEffect, rule_effects
from ceopt_tui.coverage_plan import MORE_ROUNDS

KINDS = ("covered", "uncovered", "harmful", "contradicted")
OF_EACH = {"covered": 4, "uncovered": 4, "harmful": 2, "contradicted": 2}  # rules of one text
REFERENCE_RUNS = 4
FAILS_SHARE = 0.3  # of the cases, with the whole text: room for a removal to win

RULES = [kind for kind, count in OF_EACH.items() for _ in range(count)]
LONE_RULES, LONE_VERDICTS = 8, ("covered", "contradicted", "unclear", "uncovered", "harmful")
BLANK_LINE_FLIPS, RULE_LOSS_FLIPS = 0.25, 0.5  # of the touchy cases

Key = TypeVar("Key", bound=Hashable)
Rng = np.random.Generator
Flags = np.ndarray
Scores = dict[str, list[float]]


@dataclass(frozen=True)
class Model:
    """How unsteady it is: the share of its cases that pass now and then; where it repeats itself, of those that any
    other wording may flip.
    """

    name: str
    unsteady: float
    repeats_itself: bool = False

    def chances(self, cases: int, rng: Rng) -> np.ndarray:
        """The chance of each case to pass with the whole text."""
        steady = np.where(rng.random(cases) < FAILS_SHARE, 0.02, 0.98)
        steady[0], steady[1] = 0.98, 0.02  # every planted effect finds a case
        loose = rng.random(cases) < self.unsteady
        loose[:2] = False
        return np.where(loose, rng.uniform(0.3, 0.95, cases), steady)


MODELS = (
    Model("quiet", 0.0),
    Model("some noise", 0.2),
    Model("noisy", 0.5),
    Model("repeats itself", 0.0, repeats_itself=True),
    Model("repeats itself, 20% touchy", 0.2, repeats_itself=True),
)


def planted(kind: str, chances: np.ndarray, strength: float, rng: Rng) -> np.ndarray:
    """The chances without a rule of that kind: one to three cases lose, win, or both."""
    changed = chances.copy()
    for wanted, sign in (("covered", -1), ("harmful", 1)):
        if kind in (wanted, "contradicted"):
            able = np.flatnonzero(chances > 0.9 if sign < 0 else chances < 0.1)
            touched = rng.choice(able, min(len(able), int(rng.integers(1, 4))), replace=False)
            changed[touched] = np.clip(chances[touched] + sign * strength, 0.02, 0.98)
    return changed


def noisy_text(model: Model, cases: int, repeats: int, strength: float, rng: Rng) -> Counter[tuple[str, str]]:
    """Verdicts on one text whose outputs vary: (planted, found)."""
    whole = model.chances(cases, rng)
    chances = {(kind, place): planted(kind, whole, strength, rng) for place, kind in enumerate(RULES)}
    effects, _ = settled(whole, chances, repeats, MORE_ROUNDS, rng)
    return Counter((kind, effect.status) for (kind, _), effect in effects.items())


def settled(
    whole: np.ndarray, chances: Mapping[Key, np.ndarray], repeats: int, rounds: int, rng: Rng
) -> tuple[dict[Key, RuleEffect], float]:
    """The effects of rules with these chances without them, as `ceopt coverage` measures; and the extra runs a run."""
    names = [str(case) for case in range(len(whole))]
    reference, extra = draws(whole, REFERENCE_RUNS, rng), 0
    without = {rule: draws(chances[rule], repeats, rng) for rule in chances}
    for _ in range(rounds):
        again = {
            rule: effect.worth_more_runs
            for rule, effect in rule_effects(reference, without, cases=names, span=1).items()
        }
        for rule, dips in again.items():
            for case in dips:
                without[rule][case] += draws(chances[rule][[int(case)]], repeats, rng)["0"]
        dipped = sorted({case for dips in again.values() for case in dips})
        for case in dipped:
            reference[case] += draws(whole[[int(case)]], repeats, rng)["0"]
        extra += repeats * (len(dipped) + sum(map(len, again.values())))
    runs = len(whole) * (REFERENCE_RUNS + repeats * len(chances))
    return rule_effects(reference, without, cases=names, span=1), extra / runs


def repeating_text(model: Model, cases: int, copies: int, rng: Rng) -> Counter[tuple[str, str]]:
    """Verdicts on one text whose outputs repeat: (planted, found). Touchy cases flip at edits without meaning.

    Each moved case is run again on neutral copies of the text without the rule, as `ceopt coverage` does.
    """
    chances = MODELS[0].chances(cases, rng)
    passes = chances > 0.5
    touchy = rng.random(cases) < model.unsteady
    touchy[:2] = False

    def flipped(outcome: Flags, share: float) -> Flags:
        return outcome ^ (touchy & (rng.random(cases) < share))

    reference = runs_of([passes, *(flipped(passes, BLANK_LINE_FLIPS) for _ in range(copies))])
    without = {}
    for place, kind in enumerate(RULES):
        left = flipped(np.where(touchy, passes, planted(kind, chances, 0.96, rng) > 0.5), RULE_LOSS_FLIPS)
        again = [flipped(left, BLANK_LINE_FLIPS) for _ in range(copies)]
        without[kind, place] = {
            case: scores if passes[int(case)] != left[int(case)] else scores[:1]
            for case, scores in runs_of([left, *again]).items()
        }
    return verdicts(reference, without, cases, neutral_copies=True)


def runs_of(outcomes: list[Flags]) -> Scores:
    """Scores by case of texts that were run once each."""
    return {str(case): [float(outcome[case]) for outcome in outcomes] for case in range(len(outcomes[0]))}


def draws(chances: np.ndarray, runs: int, rng: Rng) -> Scores:
    """Pass or fail of so many runs a case."""
    passed = rng.random((len(chances), runs)) < chances[:, None]
    return {str(case): [float(value) for value in row] for case, row in enumerate(passed)}


def verdicts(
    reference: Scores, without: dict[tuple[str, int], Scores], cases: int, *, neutral_copies: bool = False
) -> Counter[tuple[str, str]]:
    """(planted, found) of every rule."""
    names = [str(case) for case in range(cases)]
    found = rule_effects(reference, without, cases=names, span=1, neutral_copies=neutral_copies)
    return Counter((kind, effect.status) for (kind, _), effect in found.items())


def shares(found: Counter[tuple[str, str]]) -> str:
    """By planted kind: the share called that."""
    cells = []
    for kind in KINDS:
        total = sum(count for (planted_kind, _), count in found.items() if planted_kind == kind)
        cells.append(f"{found[kind, kind] / total:.0%}")
    return " | ".join(cells)


def noisy_table(texts: int, seed: int) -> None:
    """Where outputs vary: by noise, cases, runs and strength of a rule."""
    print("\nOutputs vary: share of rules called what they are, by planted kind; dips are run again\n")
    print("| model | a rule moves a case by | cases | runs without each rule | " + " | ".join(KINDS) + " |")
    print("|---" * (4 + len(KINDS)) + "|")
    for model in MODELS[:3]:
        for strength in (0.96, 0.6):
            for cases in (10, 30):
                for repeats in (2, 4, 8):
                    rng = np.random.default_rng([seed, 1, cases, repeats])
                    found: Counter[tuple[str, str]] = Counter()
                    for _ in range(texts):
                        found += noisy_text(model, cases, repeats, strength, rng)
                    print(f"| {model.name} | {strength:.0%} | {cases} | {repeats} | {shares(found)} |")


def lone_rules(cases: int, rounds: int, lost: bool, rng: Rng) -> tuple[Counter[str], float]:
    """Verdicts on the rules of one text that each take one case from 90% to 10%, or none; and the extra runs a run."""
    whole = np.full(cases, 0.9)
    chances = {rule: whole.copy() for rule in range(LONE_RULES)}
    for changed in chances.values():
        if lost:
            changed[rng.integers(cases)] = 0.1
    effects, extra = settled(whole, chances, REFERENCE_RUNS, rounds, rng)
    return Counter(effect.status for effect in effects.values()), extra


def lone_table(texts: int, seed: int) -> None:
    """One case alone stands for a rule, every case is a little unsteady: what runs of the cases that dip are worth."""
    print("\nEvery case passes 90% of its runs; a rule takes one case to 10%, or none. Shares of verdicts\n")
    print("| a rule guards | cases | rounds of more runs | " + " | ".join(LONE_VERDICTS) + " | extra runs |")
    print("|---" * (4 + len(LONE_VERDICTS)) + "|")
    for lost in (True, False):
        for cases in (10, 20, 50):
            for rounds in (0, MORE_ROUNDS):
                rng = np.random.default_rng([seed, 3, cases, rounds, lost])
                found, extra = Counter[str](), 0.0
                for _ in range(texts):
                    verdicts_of_text, more = lone_rules(cases, rounds, lost, rng)
                    found, extra = found + verdicts_of_text, extra + more / texts
                cells = " | ".join(f"{found[verdict] / found.total():.1%}" for verdict in LONE_VERDICTS)
                print(f"| {'one case' if lost else 'none'} | {cases} | {rounds} | {cells} | {extra:.0%} |")


def repeating_table(texts: int, seed: int) -> None:
    """Where outputs repeat exactly: what neutral copies are worth."""
    print("\nOutputs repeat exactly, one run without each rule: the same, by the number of neutral copies\n")
    print("| model | cases | neutral copies | " + " | ".join(KINDS) + " |")
    print("|---" * (3 + len(KINDS)) + "|")
    for model in MODELS[3:]:
        for cases in (10, 30):
            for copies in (0, 2, 4, 6):
                rng = np.random.default_rng([seed, 2, cases, copies])
                found: Counter[tuple[str, str]] = Counter()
                for _ in range(texts):
                    found += repeating_text(model, cases, copies, rng)
                print(f"| {model.name} | {cases} | {copies} | {shares(found)} |")


def main() -> None:
    """Prints all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=200, help="simulated texts per row (default 200)")
    parser.add_argument("--seed", type=int, default=7, help="seed of the worlds (default 7)")
    options = parser.parse_args()
    started = time.perf_counter()
    for table in (noisy_table, lone_table, repeating_table):
        table(options.texts, options.seed)
    rules = options.texts * min(OF_EACH.values())
    took = time.perf_counter() - started
    print(f"\na share rests on {rules} rules or more: exact to {0.5 / math.sqrt(rules):.1%} (one standard error)")
    print(f"seed {options.seed}, {took:.0f} s")


if __name__ == "__main__":
    main()
