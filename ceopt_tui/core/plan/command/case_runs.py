"""What the cases that a command prints say: scores run by run, passes, and the noise they show over a whole run. Pure.

A case is `true` or `false`, a score from 0 to 1, or `{passed, score}`. One that is not printed has no score: it is lost
for that run, and never a zero.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ceopt_tui.core.evidence.noise import Noise
from ceopt_tui.core.state.commands import CommandState, Place
from schemas.command_records import CommandMeasured, Workload

RESERVED_FROM = 30  # held-out cases

Runs = dict[str, list[float]]


def score_of(told: Any, *, maximize: bool) -> float | None:
    """The score of one case in one run; where it only says whether it passed, a pass is the best score there is."""
    value = told.get("score", told.get("passed")) if isinstance(told, Mapping) else told
    if isinstance(value, bool):
        return float(value is maximize)
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def passed(told: Any, *, maximize: bool) -> bool | None:
    """Whether one case passed in one run: by its own word, else by having the best score."""
    said = told.get("passed") if isinstance(told, Mapping) else told
    if isinstance(said, bool):
        return said
    score = score_of(told, maximize=maximize)
    return None if score is None else (score >= 1 if maximize else score <= 0)


def scored_cases(samples: Iterable[CommandMeasured], *, maximize: bool) -> set[str]:
    """Ids of the cases that have a score in any of these samples."""
    return {
        case
        for sample in samples
        for case, told in (sample.cases or {}).items()
        if score_of(told, maximize=maximize) is not None
    }


def report_cases(held_out: Iterable[str]) -> set[str]:
    """The held-out cases that a gain is reported on, where repeats are identical: fresh runs are none.

    Of enough cases about a third is for that alone and confirms no keep; of fewer all have to do both. A case's name
    draws it, so that a case that goes missing moves no other.
    """
    cases = set(held_out)
    if len(cases) < RESERVED_FROM:
        return cases
    return {case for case in cases if hashlib.sha256(case.encode("utf-8", "surrogatepass")).digest()[0] % 3 == 0}


def confirming_cases(held_out: Iterable[str]) -> set[str]:
    """The held-out cases that confirm keeps, where repeats are identical."""
    cases = set(held_out)
    reported = report_cases(cases)
    return cases if reported == cases else cases - reported


def runs_of(samples: Sequence[CommandMeasured], cases: Iterable[str], *, maximize: bool) -> Runs:
    """Scores by case, in the order of the samples."""
    found: Runs = {case: [] for case in sorted(cases)}
    for case, scores in found.items():
        told = (score_of((sample.cases or {}).get(case), maximize=maximize) for sample in samples)
        scores += [score for score in told if score is not None]
    return found


def with_cases(
    snapshot: dict[str, Any], samples: Sequence[CommandMeasured], cases: Iterable[str], *, maximize: bool
) -> dict[str, Any]:
    """A snapshot with every run of its cases; a case passes where most of its runs do."""
    known = list(cases)
    passes: dict[str, list[bool]] = {}
    for case in known:
        told = (passed((sample.cases or {}).get(case), maximize=maximize) for sample in samples)
        passes[case] = [one for one in told if one is not None]
    return {
        **snapshot,
        "runs": runs_of(samples, known, maximize=maximize),
        "passes": passes,
        "cases": {case: 2 * sum(each) > len(each) for case, each in passes.items() if each},
    }


def usable(state: CommandState, place: Place) -> list[CommandMeasured]:
    """The samples of one side that gave numbers."""
    return [sample for sample in state.taken(place) if sample.status == "ok"]


def repeat_noise(state: CommandState, *, maximize: bool) -> Noise:
    """How much a case moves from run to run, over everything that was measured more than once on the same commit."""
    alike: dict[tuple[str, Workload], list[CommandMeasured]] = {}
    for place in state.samples:
        if place.workload != "smoke":
            alike.setdefault((place.commit, place.workload), []).extend(usable(state, place))
    noise = Noise()
    for samples in alike.values():
        if len(samples) > 1:
            noise = noise.with_runs(runs_of(samples, scored_cases(samples, maximize=maximize), maximize=maximize))
    return noise
