"""The cells of a study: every text with every target on every case, k times, in the order they are run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from schemas.study import BoundTarget
from schemas.study_cases import StudyCase


@dataclass(frozen=True)
class Cell:
    """One run to be made; repeats count from 0."""

    text: str
    target: BoundTarget
    case: StudyCase
    repeat: int

    @property
    def id(self) -> str:
        """Its name in the journal; ids of its parts hold no slash."""
        return f"{self.target.id}/{self.case.id}/{self.text}/{self.repeat}"


def cells_of(
    texts: Sequence[str], targets: Sequence[BoundTarget], cases: Sequence[StudyCase], repeats: int
) -> Iterator[Cell]:
    """Texts side by side, each in turn the first, so that what drifts while the study runs is shared by all of them."""
    for repeat in range(repeats):
        for target in targets:
            for number, case in enumerate(cases):
                first = (repeat + number) % len(texts)
                for text in (*texts[first:], *texts[:first]):
                    yield Cell(text, target, case, repeat)
