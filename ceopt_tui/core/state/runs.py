"""Scores and outputs per text and case, with the noise they show."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import count as counting
from itertools import islice

from schemas.records import CaseRun

Scores = dict[str, list[float]]
Place = tuple[str, str, str]  # text, case, step

# A run that failed for reasons of the infrastructure is tried again; a case that fails this often in one tick is lost.
TRIES_PER_CASE = 2

# Replies that are no output. Anything else a run has no score for is the message of a failed call.
CUT, EMPTY, FILTERED = "truncated (length)", "empty reply", "stopped by the provider's content filter"


@dataclass(slots=True)
class Cell:
    """All scored runs of one text on one case; variance sums are updated run by run (Welford)."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, score: float) -> float:
        """Adds a score; gives how much the sum of squared deviations grew."""
        self.count += 1
        step = score - self.mean
        self.mean += step / self.count
        grown = step * (score - self.mean)
        self.squares += grown
        return grown


@dataclass
class RunBook:
    """Every case run so far: next sample numbers, repeat variance, outputs of the texts that still matter."""

    samples: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    cells: dict[tuple[str, str], Cell] = field(default_factory=dict)
    outputs: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    details: dict[tuple[str, str], str] = field(default_factory=dict)
    failed: int = 0  # runs without a score, in the whole run
    failures: dict[Place, int] = field(default_factory=dict)  # this tick only: what it need not try again
    reasons: dict[tuple[str, str], str] = field(default_factory=dict)  # … by text and case: why there was no score
    faults: set[Place] = field(default_factory=set)  # of these, those without any output
    lost: set[Place] = field(default_factory=set)  # given up in earlier ticks to errors, and not scored since
    failed_before: set[Place] = field(default_factory=set)  # in earlier ticks, whatever the reason, not scored since
    sigma_ss: float = 0.0
    sigma_df: int = 0
    scored: int = 0

    def add(self, run: CaseRun) -> None:
        key = (run.text_digest, run.case_id)
        if (taken := self.samples.get(key)) is None:
            self.samples[key] = {run.sample}
        else:
            taken.add(run.sample)
        if not run.awaits_judge:
            self.score(run)

    def score(self, run: CaseRun) -> None:
        """Files the score of a run, or that it has none. A judged run comes here when its verdict is in."""
        key = (run.text_digest, run.case_id)
        if run.score is None:
            place = (*key, run.step)
            self.failed += 1
            self.failures[place] = self.failures.get(place, 0) + 1
            self.reasons[key] = run.unscored or ""
            if not run.truncated:
                self.faults.add(place)
            return
        self.scored += 1
        if self.lost or self.failed_before:
            place = (*key, run.step)
            self.lost.discard(place)
            self.failed_before.discard(place)
        self.outputs.setdefault(key, []).append(run.output)
        self.details[key] = run.detail
        cell = self.cells.setdefault(key, Cell())
        self.sigma_ss += cell.add(run.score)
        self.sigma_df += cell.count > 1

    def leave_out(self, cases: Collection[str]) -> None:
        """Takes these cases out of the noise and of what errors left open; what was run and said stays on record."""
        for key in [key for key in self.cells if key[1] in cases]:
            cell = self.cells.pop(key)
            self.sigma_ss = max(0.0, self.sigma_ss - cell.squares)
            self.sigma_df -= cell.count - 1
        for places in (self.faults, self.lost, self.failed_before):
            places.difference_update([place for place in places if place[1] in cases])

    def new_tick(self) -> None:
        """What failed before is worth trying again; what is on record of it stays."""
        self.lost = self.given_up()
        self.failed_before |= self.failures.keys()
        self.failures.clear()
        self.reasons.clear()
        self.faults.clear()

    def given_up(self) -> set[Place]:
        """Places that errors left without the runs they needed, in this tick or before it."""
        return self.lost | {place for place in self.faults if self.failures[place] >= TRIES_PER_CASE}

    def free_samples(self, text_digest: str, case_id: str, count: int) -> list[int]:
        """The lowest sample numbers not run yet: after a kill the gaps are filled, so the same samples are measured."""
        taken = self.samples.get((text_digest, case_id), set())
        return list(islice((number for number in counting() if number not in taken), count))

    def forget(self, text_digest: str) -> None:
        """Drops the outputs of a text nothing will look at again; its noise stays counted."""
        for key in [key for key in self.outputs if key[0] == text_digest]:
            del self.outputs[key]
            self.details.pop(key, None)


def add_score(scores: Scores, run: CaseRun) -> None:
    """Files a scored run under its case."""
    if run.score is not None:
        scores.setdefault(run.case_id, []).append(run.score)
