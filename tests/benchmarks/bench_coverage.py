"""Is a rule called what it is? Simulated texts with planted rules, run by models of known unsteadiness, with seeds.

`python tests/benchmarks/bench_coverage.py [--texts N] [--seed N]`
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from dataclasses import dataclass

import numpy as np

from ceopt_tui.core.coverage import rule_effects

KINDS = ("covered", "uncovered", "harmful", "contradicted")
OF_EACH = {"covered": 4, "uncovered": 4, "harmful": 2, "contradicted": 2}  # rules of one text
REFERENCE_RUNS = 4
FAILS_SHARE = 0.3  # of the cases, with the whole text: room for a removal to win

RULES = [kind for kind, count in OF_EACH.items() for _ in range(count)]
BLANK_LINE_FLIPS, RULE_LOSS_FLIPS = 0.25, 0.5  # of the touchy cases

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
    chances = model.chances(cases, rng)
    without = {
        (kind, place): draws(planted(kind, chances, strength, rng), repeats, rng) for place, kind in enumerate(RULES)
    }
    return verdicts(draws(chances, REFERENCE_RUNS, rng), without, cases)


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
    print("\nOutputs vary: share of rules called what they are, by planted kind\n")
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
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=200, help="simulated texts per row (default 200)")
    parser.add_argument("--seed", type=int, default=7, help="seed of the worlds (default 7)")
    options = parser.parse_args()
    started = time.perf_counter()
    for table in (noisy_table, repeating_table):
        table(options.texts, options.seed)
    rules = options.texts * min(OF_EACH.values())
    took = time.perf_counter() - started
    print(f"\na share rests on {rules} rules or more: exact to {0.5 / math.sqrt(rules):.1%} (one standard error)")
    print(f"seed {options.seed}, {took:.0f} s")


if __name__ == "__main__":
    main()
