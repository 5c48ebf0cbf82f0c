"""Is one text worse than another, in any family of models? Two intervals that do not meet say so; all else is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.statistics import mean
from ceopt_tui.core.study.cells import Cell
from ceopt_tui.core.study.findings import ALPHA, LEVELS, Scores, basis_of, case_means
from ceopt_tui.core.study.intervals import Estimate, estimate
from ceopt_tui.core.study.tags import Tags, tags_of

LEAST_CASES = 2
_WORTH = ("underpowered", "soft", "measured")  # the weaker side decides

Change = Literal["improved", "regressed", "inconclusive"]


@dataclass(frozen=True)
class Side:
    """One text as it was measured: its cells, and the scores of those that have one."""

    cells: Sequence[Cell]
    scores: Scores
    trusted: bool = True  # is a score of the judge a measurement?

    def of(self, family: str) -> Side:
        """The part of one family."""
        return Side([cell for cell in self.cells if cell.target.family == family], self.scores, self.trusted)

    def level(self) -> Estimate | None:
        """The mean over cases; None where fewer than two have a score. Several targets are one voice."""
        by_case: dict[str, list[float]] = {}
        for target in dict.fromkeys(cell.target.id for cell in self.cells):
            for case, value in case_means((c for c in self.cells if c.target.id == target), self.scores).items():
                by_case.setdefault(case, []).append(value)
        values = [mean(some) for some in by_case.values()]
        return estimate(values, ALPHA, LEVELS) if len(values) >= LEAST_CASES else None


@dataclass(frozen=True)
class FamilyChange:
    """What one family says of the candidate."""

    family: str
    word: Change
    baseline: Estimate | None
    candidate: Estimate | None
    tags: Tags


def changes(baseline: Side, candidate: Side) -> tuple[FamilyChange, ...]:
    """One answer for each family, in the order of the targets."""
    names = list(dict.fromkeys(cell.target.family for cell in baseline.cells))
    return tuple(_change(name, baseline.of(name), candidate.of(name), len(names)) for name in names)


def together(found: Sequence[FamilyChange]) -> Change:
    """Regressed where one family is; improved where all are."""
    words = {change.word for change in found}
    return "regressed" if "regressed" in words else "improved" if words == {"improved"} else "inconclusive"


def _change(name: str, baseline: Side, candidate: Side, families: int) -> FamilyChange:
    before, after = baseline.level(), candidate.level()
    sides = (baseline, candidate)  # each by itself: ids of their cells may be the same
    bases = [basis_of(side.cells, side.scores, families, trusted=side.trusted) for side in sides]
    weaker = min((tags_of(basis) for basis in bases), key=lambda tags: _WORTH.index(tags.evidence))
    word: Change = "inconclusive"
    if before is not None and after is not None:
        word = "improved" if after.low > before.high else "regressed" if after.high < before.low else "inconclusive"
    return FamilyChange(name, word, before, after, weaker)
