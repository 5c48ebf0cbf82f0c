"""Decision rules of other optimizers, at equal calls: what each keeps, and the gain it would report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from decision_world import Floats, Indices, Text, World

SWEEPS = 5
HELD_OUT_SHARE = 0.4


@dataclass(frozen=True)
class Outcome:
    """The final text, every kept change that led to it, and the gain claimed for it with its interval."""

    final: Text
    kept: tuple[tuple[Text, Text], ...]
    reported: float
    interval: tuple[float, float] | None = None


def hill_climb(world: World) -> Outcome:
    """Keeps whatever scores higher once, on all cases, than the stored score of the best."""
    cases = world.everything
    best, kept = world.original, []
    first = stored = world.score(best, cases).mean()
    while world.affords(len(cases)) and (candidate := world.propose(best, cases)):
        score = world.score(candidate, cases).mean()
        if score > stored:
            kept.append((best, candidate))
            best, stored = candidate, score
    return Outcome(best, tuple(kept), float(stored - first))


def gepa_like(world: World, batch: int = 3) -> Outcome:
    """A parent from the front of per-case bests; a child that wins on three cases joins; the best mean is final."""
    cases = world.everything
    texts, parents, scores = [world.original], [-1], [world.score(world.original, cases)[:, 0]]
    while world.affords(2 * batch):
        table = np.array(scores)
        wins = (table == table.max(axis=0)).sum(axis=1)
        parent = int(world.rng.choice(len(texts), p=wins / wins.sum()))
        few = world.rng.choice(cases, min(batch, len(cases)), replace=False)
        child = world.propose(texts[parent], few)
        if child is None:
            break
        better = world.score(child, few).sum() > world.score(texts[parent], few).sum()
        if better and world.affords(len(cases)):
            texts.append(child)
            parents.append(parent)
            scores.append(world.score(child, cases)[:, 0])
    means = [row.mean() for row in scores]
    final = at = int(np.argmax(means))
    kept = []
    while parents[at] >= 0:
        kept.append((texts[parents[at]], texts[at]))
        at = parents[at]
    return Outcome(texts[final], tuple(kept), float(means[final] - means[0]))


def mipro_like(world: World) -> Outcome:
    """One pass for every edit of the original; the highest mean wins."""
    cases = world.everything
    first = highest = world.score(world.original, cases).mean()
    best = world.original
    while world.affords(len(cases)) and (candidate := world.propose(world.original, cases)):
        score = world.score(candidate, cases).mean()
        if score > highest:
            best, highest = candidate, score
    kept = ((world.original, best),) if best is not world.original else ()
    return Outcome(best, kept, float(highest - first))


def fixed_threshold(world: World) -> Outcome:
    """The median of up to five sweeps must beat the stored best by a fixed amount; held-out cases too."""
    bar = 0.02 if world.scenario.pass_fail else 0.3

    def selects(candidate: Floats, stored: Floats) -> bool | None:
        ahead = float(np.median(candidate) - np.median(stored))
        if ahead > bar:
            return None if len(candidate) < SWEEPS else True
        return False if ahead < -bar or len(candidate) >= 2 else None

    def confirms(candidate: Floats, stored: Floats) -> bool:
        return float(np.median(candidate) - np.median(stored)) > bar

    return _with_holdout(world, selects, confirms)


def paired_minimum(world: World) -> Outcome:
    """Every one of five paired sweeps must win by 5 %, and a judge's median by 0.3; held-out cases too."""
    step = 0.0 if world.scenario.pass_fail else 0.3

    def wins(candidate: Floats, stored: Floats) -> bool:
        pairs = candidate - stored[: len(candidate)]
        return bool(pairs.min() > 0.05 * np.median(stored))

    def clears(candidate: Floats, stored: Floats) -> bool:
        return wins(candidate, stored) and float(np.median(candidate) - np.median(stored)) > step

    def selects(candidate: Floats, stored: Floats) -> bool | None:
        if len(candidate) < SWEEPS:
            return None if wins(candidate, stored) or len(candidate) < 2 else False
        return clears(candidate, stored)

    return _with_holdout(world, selects, clears)


def _with_holdout(
    world: World, selects: Callable[[Floats, Floats], bool | None], confirms: Callable[[Floats, Floats], bool]
) -> Outcome:
    """Sweeps until `selects` says yes or no (None: another sweep), then asks `confirms` on held-out cases."""
    cut = round(world.scenario.cases * HELD_OUT_SHARE)
    held_out, selection = world.order[:cut], world.order[cut:]

    def sweeps(text: Text, cases: Indices) -> Floats:
        means: Floats = world.score(text, cases, SWEEPS).mean(axis=0)
        return means

    best, kept = world.original, []
    stored, stored_held = sweeps(best, selection), sweeps(best, held_out)
    first = np.median(stored_held)
    while world.affords(len(selection)) and (candidate := world.propose(best, selection)):
        seen, chosen = np.zeros(0), None
        while chosen is None:
            seen = np.append(seen, world.score(candidate, selection).mean())
            chosen = selects(seen, stored)
        if not chosen:
            continue
        held = sweeps(candidate, held_out)
        if confirms(held, stored_held):
            kept.append((best, candidate))
            best, stored, stored_held = candidate, seen, held
    return Outcome(best, tuple(kept), float(np.median(stored_held) - first))
