"""How one judge judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ceopt_tui.core.ports import ResolvedModel
from judges.rubric import Rubric


@dataclass(frozen=True)
class JudgeSettings:
    """A rubric on a model. `params` go over the model's own; `seed` shuffles items within a batch.

    `ask_for_feedback` sends a second request for failing items whose feedback is missing. A run that groups feedback
    into themes needs it; where only scores count, a missing feedback stays empty and costs nothing.
    """

    rubric: Rubric
    model: ResolvedModel
    batch_size: int = 5
    seed: int = 42
    params: Mapping[str, Any] = field(default_factory=dict)
    ask_for_feedback: bool = False
    timeout_s: float = 60.0
    retries: int = 2

    @property
    def deciding_params(self) -> dict[str, Any]:
        """Every parameter of a call that does not depend on how many items it carries."""
        return {"temperature": 0, **self.model.params, **self.params}
