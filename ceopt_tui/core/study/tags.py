"""What a figure of a study may be called: measured, soft or underpowered. Computed, never declared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.figures import counted

LEAST_REPEATS, LEAST_CASES, LEAST_FAMILIES = 5, 8, 2
MOST_EXPLORATORY_REPEATS = 2

Evidence = Literal["measured", "soft", "underpowered"]


@dataclass(frozen=True)
class Basis:
    """What stands behind a figure. `cases` are counted by group; `wanted` and `scored` are cells."""

    repeats: int
    cases: Mapping[str, int]
    families: int
    wanted: int
    scored: int
    offline: bool = False  # some of it comes from a harness that stands in for a model
    soft: bool = False  # some of it was scored by a judge that was not shown to tell good from empty


@dataclass(frozen=True)
class Tags:
    """How a figure is marked: its evidence, and what else must be known with it."""

    evidence: Evidence
    marks: tuple[Literal["mock", "exploratory"], ...] = ()

    def __str__(self) -> str:
        return "".join(f"[{word}]" for word in (self.evidence, *self.marks))


def missing_power(basis: Basis) -> tuple[str, ...]:
    """Everything that is missing for power, in words; none where a figure is powered."""
    found = []
    if basis.repeats < LEAST_REPEATS:
        found.append(f"{counted(basis.repeats, 'repeat')} of a case; {LEAST_REPEATS} are needed")
    for group, cases in sorted(basis.cases.items()):
        if cases < LEAST_CASES:
            found.append(f"{counted(cases, 'case')} in the group {group}; {LEAST_CASES} are needed")
    if not basis.cases:
        found.append("no case was measured")
    if basis.families < LEAST_FAMILIES:
        found.append(f"{counted(basis.families, 'family', 'families')} of models; {LEAST_FAMILIES} are needed")
    if basis.scored < basis.wanted:
        found.append(f"{basis.wanted - basis.scored} of {counted(basis.wanted, 'cell')} have no score")
    return tuple(found)


def tags_of(basis: Basis) -> Tags:
    """The tags of a figure; what a stand-in for a model gave is never a measurement of a text."""
    marks: list[Literal["mock", "exploratory"]] = []
    if basis.offline:
        marks.append("mock")
    if basis.repeats <= MOST_EXPLORATORY_REPEATS:
        marks.append("exploratory")
    if missing_power(basis):
        return Tags("underpowered", tuple(marks))
    return Tags("soft" if basis.offline or basis.soft else "measured", tuple(marks))
