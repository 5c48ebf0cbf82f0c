"""The rules of evidence as one run has them: scale, direction, caution, and how many runs each step takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Caution = Literal["low", "normal", "high"]


@dataclass(frozen=True)
class Bars:
    """z bar on selection, base level on held-out cases, ceiling of the rising held-out bar."""

    selection_z: float
    base_level: float
    ceiling: float


BARS: dict[Caution, Bars] = {
    "low": Bars(1.0, 0.20, 0.60),
    "normal": Bars(1.64, 0.10, 0.30),
    "high": Bars(1.64, 0.05, 0.15),
}
GO_ON_Z = 0.5  # below this a further sweep is a bad bet
REGRESSED_Z = -1.64
SMALLEST_SET = 5  # cases in all, below which nothing is kept automatically
TENTATIVE_SET = 10  # cases in all, up to which a keep is labelled tentative


@dataclass(frozen=True)
class Setting:
    """`span` is the width of the scale, 1 for pass/fail. Counts are runs per case unless they say otherwise."""

    span: float
    maximize: bool = True
    caution: Caution = "normal"
    deterministic: bool = False
    reference_runs: int = 4
    max_sweeps: int = 3
    first: int = 4  # cases of the exploratory step
    confirm_runs: int = 2
    holdout_runs: int = 4
    groups: tuple[tuple[str, ...], ...] = ()  # near-duplicates, averaged into one case
    by_spread: bool = False  # a standard error is never below what the spread over cases gives
    max_lost: float = 0.2  # share of cases without a usable pair, past which there is no verdict

    def __post_init__(self) -> None:
        if self.span <= 0:
            raise ValueError(f"the scale must be wider than 0, got {self.span}")
        if self.deterministic:  # a second run would only repeat the first
            for count in ("reference_runs", "max_sweeps", "confirm_runs", "holdout_runs"):
                object.__setattr__(self, count, 1)

    @property
    def bars(self) -> Bars:
        """The bars of this caution."""
        return BARS[self.caution]

    @property
    def sign(self) -> int:
        """Turns differences so that positive is better."""
        return 1 if self.maximize else -1
