"""A reference and a candidate compared on every required objective; shared by selection and held-out comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ceopt_tui.core.decision.compare import Comparison, compare
from ceopt_tui.core.decision.rules import Rules
from ceopt_tui.core.decision.snapshot import Snapshot


@dataclass(frozen=True)
class Compared:
    """`missing` are required objectives without a usable value on one side."""

    comparisons: Mapping[str, Comparison]
    missing: tuple[str, ...]
    samples: float  # behind the objective that has fewest, on the candidate's side
    target_reached: bool

    @property
    def improved(self) -> tuple[str, ...]:
        """Objectives that got better."""
        return tuple(name for name, one in self.comparisons.items() if one.verdict == "improved")

    @property
    def violated(self) -> tuple[str, ...]:
        """Objectives that got worse than allowed."""
        return tuple(name for name, one in self.comparisons.items() if one.violated)


def compare_pair(before: Snapshot, after: Snapshot, rules: Rules) -> Compared:
    """Compares every required objective that has a value on both sides."""
    comparisons: dict[str, Comparison] = {}
    missing: list[str] = []
    counts: list[float] = []
    met: list[bool] = []
    for objective in rules.required:
        old, new = before.measured(objective), after.measured(objective)
        if old is None or new is None:
            missing.append(objective.name)
            continue
        comparisons[objective.name] = compare(objective, old, new, rules)
        counts.append(after.count(objective, new))
        if objective.target is not None:
            met.append(objective.reached(new.aggregate(rules.aggregation)))
    return Compared(comparisons, tuple(missing), min(counts, default=0), bool(met) and all(met))


def rank_score(comparisons: Mapping[str, Comparison], primary: str) -> float:
    """Relative gain to rank by: the primary's, or the strongest improved objective's where the primary stood still."""
    gains = [one.relative for one in comparisons.values() if one.verdict == "improved"]
    if comparisons[primary].verdict == "improved" or not gains:
        return comparisons[primary].relative
    return max(gains)
