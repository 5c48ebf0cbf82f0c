"""The answer to a payload, and its JSON in the order scripts rely on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ceopt_tui.core.decision.compare import Comparison

Decision = Literal["keep", "promising", "revert", "inconclusive", "censored", "degenerate", "error"]
NextMeasurement = Literal["none", "smoke", "exploratory", "add_sample", "confirm", "holdout"]


@dataclass(frozen=True)
class Verdict:
    """`extra` holds what applies to some payloads only: regressions, fixed, broken, holdout, evidence."""

    decision: Decision
    reason: str
    next_measurement: NextMeasurement = "none"
    eligible: bool = False
    target_reached: bool = False
    improved: tuple[str, ...] = ()
    violated: tuple[str, ...] = ()
    comparisons: Mapping[str, Comparison] = field(default_factory=dict)
    primary_delta: float | None = None
    rank_score: float = 0.0
    extra: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The verdict as plain JSON values."""
        return {
            "decision": self.decision,
            "eligible": self.eligible,
            "next_measurement": self.next_measurement,
            "target_reached": self.target_reached,
            "improved_objectives": list(self.improved),
            "violated_objectives": list(self.violated),
            "comparisons": comparisons_as_json(self.comparisons),
            "primary_delta": self.primary_delta,
            "rank_score": self.rank_score,
            "reason": self.reason,
            **self.extra,
        }


def comparisons_as_json(comparisons: Mapping[str, Comparison]) -> dict[str, Any]:
    """Comparisons by objective as plain JSON values."""
    return {
        name: {"verdict": one.verdict, "delta": one.delta, "relative": one.relative, "violated": one.violated}
        for name, one in comparisons.items()
    }
