"""The terms of a run: what the planner needs of the spec and of the way the run was started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.state.run import RunState


@dataclass(frozen=True)
class Terms:
    """Fixed for one tick. Scores run from `lowest` to `lowest + span`; `span` 1 is pass/fail."""

    approval_digest: str
    caps: dict[str, float | None]
    attended: bool
    max_iterations: int
    max_active_s: float
    max_wall_s: float
    plateau: int
    stop_at_target: bool
    budget: Caps
    target: float | None = None
    lowest: float = 0.0
    span: float = 1.0
    maximize: bool = True
    pass_at: float = 1.0
    caution: Literal["low", "normal", "high"] = "normal"
    allow_broken: bool = False
    max_unscored: float = 0.2
    seed: int = 7
    ideas_per_round: int = 4
    reference_runs: int = 4

    def setting(self, state: RunState) -> Setting:
        """The evidence rules as they stand for this run now."""
        return Setting(
            span=self.span,
            maximize=self.maximize,
            caution=self.caution,
            deterministic=state.deterministic,
            reference_runs=self.reference_runs,
            max_lost=self.max_unscored,
            groups=state.split.groups if state.split else (),
        )
