"""What a study is worth in two layers: how well its texts do, and how well that is known.

The second is four components of 0 or 1 that nobody can declare: a threshold of 0.80 on their mean asks for all four.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ceopt_tui.core.statistics import mean
from ceopt_tui.core.study.cells import Cell
from ceopt_tui.core.study.findings import Scores, basis_of, case_means
from ceopt_tui.core.study.tags import Tags, missing_power, tags_of
from ceopt_tui.core.study.verdicts import Verdict

LEAST_INSTANCE, LEAST_META, LEAST_METHOD = 0.8, 0.8, 0.55


@dataclass(frozen=True)
class TextValue:
    """One text: the weighted mean of what its scorers say. None where one of them has no score."""

    text: str
    value: float | None
    tags: Tags


@dataclass(frozen=True)
class MetaValue:
    """Whether the figures can be trusted, by component."""

    pre_registration: bool
    statistical_power: bool
    oracle_calibration: bool
    confound_control: bool

    @property
    def value(self) -> float:
        """The share of components that hold."""
        return mean([float(held) for held in vars(self).values()])


def text_values(
    cells: Sequence[Cell], scores: Scores, weights: Mapping[str, float], *, trusted: bool = True
) -> tuple[TextValue, ...]:
    """The value of every text, in their order; `weights` are by scorer, 1 where none is given."""
    families = len({cell.target.family for cell in cells})
    found = []
    for text in dict.fromkeys(cell.text for cell in cells):
        own = [cell for cell in cells if cell.text == text]
        tags = tags_of(basis_of(own, scores, families, trusted=trusted))
        found.append(TextValue(text, _weighted(own, scores, weights), tags))
    return tuple(found)


def meta_value(
    verdicts: Sequence[Verdict], *, registered: bool, powered: bool, trusted: bool, apart: bool
) -> MetaValue:
    """`registered`: before any call, in a commit. `apart`: does every target run apart?"""
    planned = all(not any(why.startswith("planned with") for why in verdict.objections) for verdict in verdicts)
    controlled = all(one.hypothesis.control is not None and one.hypothesis.confounds for one in verdicts)
    return MetaValue(registered, powered and planned, trusted, controlled and apart)


def is_powered(cells: Sequence[Cell], scores: Scores) -> bool:
    """Is nothing missing for power, over the whole study?"""
    return not missing_power(basis_of(cells, scores, len({cell.target.family for cell in cells})))


def is_converged(value: float | None, meta: MetaValue, *, method_goal: bool) -> bool:
    """Is it good enough, and known well enough? A study whose declared goal is a method asks less of the first."""
    least = LEAST_METHOD if method_goal else LEAST_INSTANCE
    return value is not None and value >= least and meta.value >= LEAST_META


def _weighted(cells: Sequence[Cell], scores: Scores, weights: Mapping[str, float]) -> float | None:
    total = weight = 0.0
    for scorer in dict.fromkeys(cell.case.scorer for cell in cells):
        values = case_means((cell for cell in cells if cell.case.scorer == scorer), scores)
        if not values:
            return None
        own = weights.get(scorer, 1.0)
        total, weight = total + own * mean(list(values.values())), weight + own
    return total / weight if weight else None
