"""What the planner needs of a spec whose measurement is a command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ceopt_tui.core.evidence.setting import Caution, Setting


@dataclass(frozen=True)
class CaseTerms:
    """Where the cases that a command prints decide: how sure a keep has to be, and how many cases may go missing."""

    caution: Caution = "normal"
    max_unscored: float = 0.2


@dataclass(frozen=True)
class CommandTerms:
    """Fixed for one tick. `spec` is the part of the spec that `decide` reads; `names` must be in every measurement."""

    spec: Mapping[str, Any]
    primary: str
    maximize: bool
    names: tuple[str, ...]
    mode: Literal["stable", "repeat", "ladder"]
    aggregation: str  # median, mean, min, max
    paired: bool  # each sample of a candidate has one of the reference beside it
    repeats: int  # samples of the full protocol
    smoke: bool = False
    holdout: bool = False
    judged: bool = False  # the primary comes from a judge
    second_sample: bool = False  # held out is another draw of the judged outputs, not a command of its own
    batch: int = 1  # experiments carried on side by side
    runners_up: int = 1  # that may join a batch's winner
    remote: bool = False  # made and first measured elsewhere
    censor_after_s: float | None = None  # a command may stop then, once nothing can be won any more
    cases: CaseTerms | None = None  # each decides for itself, and not the numbers of the whole

    @property
    def first(self) -> int:
        """Samples before the first verdict."""
        return self.repeats if self.mode == "repeat" and self.cases is None else 1

    def setting(self, *, deterministic: bool) -> Setting:
        """The evidence rules as they stand now, where cases decide: the scores of commands lie between 0 and 1."""
        cases = self.cases or CaseTerms()
        return Setting(
            span=1.0,
            maximize=self.maximize,
            caution=cases.caution,
            deterministic=deterministic,
            max_lost=cases.max_unscored,
        )
