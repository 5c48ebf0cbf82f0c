"""Cells, scores and hypotheses of a study that was never run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ceopt_tui.core.study.cells import Cell, cells_of
from schemas.study import BoundTarget, Hypothesis, Power
from schemas.study_cases import ExactAnswer, NumberAnswer, StudyCase

TEXTS = ("plain", "better")


def target(name: str, family: str, harness: str = "api") -> BoundTarget:
    return BoundTarget(id=name, family=family, harness=harness, model="p/m")  # type: ignore[arg-type]


TWO = (target("a", "oak"), target("b", "elm"))


def cases(count: int = 8, group: str = "g") -> list[StudyCase]:
    return [StudyCase(id=f"{group}{n}", group=group, input="?", answer=ExactAnswer(value="x")) for n in range(count)]


def numbers(count: int) -> list[StudyCase]:
    return [StudyCase(id=f"n{n}", group="n", input="?", answer=NumberAnswer(value=1.0)) for n in range(count)]


def world(targets: tuple[BoundTarget, ...] = TWO, asked: list[StudyCase] | None = None, k: int = 5) -> list[Cell]:
    return list(cells_of(TEXTS, targets, asked or cases(), k))


def scored(cells: list[Cell], score: Callable[[Cell], float | None]) -> dict[str, float]:
    return {cell.id: value for cell in cells if (value := score(cell)) is not None}


def claim(**changes: Any) -> Hypothesis:
    parts = {"id": "H", "claim": "Better.", "treatment": "better", "control": "plain", "threshold": 0.25}
    return Hypothesis(**{**parts, "power": Power(k=5, n=8), **changes})
