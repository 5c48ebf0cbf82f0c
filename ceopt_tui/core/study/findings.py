"""What a study found: the level of every text on every target, from the scores of its cells. Reads no file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ceopt_tui.core.statistics import mean
from ceopt_tui.core.study.cells import Cell
from ceopt_tui.core.study.intervals import Estimate, estimate
from ceopt_tui.core.study.tags import Basis, Tags, missing_power, tags_of
from schemas.study import OFFLINE, BoundTarget

LEVELS = (0.0, 1.0)
ALPHA = 0.05

Scores = Mapping[str, float]  # by cell id


@dataclass(frozen=True)
class Level:
    """How one text does on one target, on the cases of one group. No estimate: not one cell has a score."""

    text: str
    target: BoundTarget
    group: str
    estimate: Estimate | None
    scored: int
    wanted: int
    tags: Tags
    missing: tuple[str, ...]


def basis_of(cells: Sequence[Cell], scores: Scores, families: int, *, trusted: bool = True) -> Basis:
    """What stands behind a figure made of `cells`; `trusted`: is a score of the judge a measurement?"""
    scored = [cell for cell in cells if cell.id in scores]
    cases = {(cell.case.group, cell.case.id) for cell in scored}
    planned = max((cell.repeat + 1 for cell in cells), default=0)
    return Basis(
        repeats=planned,
        cases=Counter(group for group, _ in cases),
        families=families,
        wanted=len(cells),
        scored=len(scored),
        offline=any(cell.target.harness in OFFLINE for cell in cells),
        soft=not trusted and any(cell.case.is_judged for cell in cells),
    )


def levels(cells: Sequence[Cell], scores: Scores, *, trusted: bool = True) -> tuple[Level, ...]:
    """Every level, in the order of the study."""
    families = len({cell.target.family for cell in cells})
    grouped: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        grouped.setdefault((cell.case.group, cell.target.id, cell.text), []).append(cell)
    return tuple(_level(some, scores, families, trusted=trusted) for some in grouped.values())


def case_means(cells: Iterable[Cell], scores: Scores) -> dict[str, float]:
    """The mean score of every case that has one, by case id."""
    found: dict[str, list[float]] = {}
    for cell in cells:
        if cell.id in scores:
            found.setdefault(cell.case.id, []).append(scores[cell.id])
    return {case: mean(values) for case, values in found.items()}


def _level(cells: Sequence[Cell], scores: Scores, families: int, *, trusted: bool) -> Level:
    basis = basis_of(cells, scores, families, trusted=trusted)
    values = list(case_means(cells, scores).values())
    first = cells[0]
    return Level(
        text=first.text,
        target=first.target,
        group=first.case.group,
        estimate=estimate(values, ALPHA, LEVELS) if values else None,
        scored=basis.scored,
        wanted=basis.wanted,
        tags=tags_of(basis),
        missing=missing_power(basis),
    )
