"""How one judge judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ceopt_tui.core.ports import ResolvedModel
from ceopt_tui.errors import SetupError
from judges.rubric import Rubric, Scale

Method = Literal["auto", "expected", "sampled"]


@dataclass(frozen=True)
class JudgeSettings:
    """A rubric on a model. `params` go over the model's own; `seed` shuffles items within a batch.

    `ask_for_feedback` sends a second request for failing items whose feedback is missing. A run that groups feedback
    into themes needs it; where only scores count, a missing feedback stays empty and costs nothing.

    `method` says how a score is read. `sampled`: the number as written. `auto`: the same question, and the expectation
    over the scale's levels wherever the reply's log-probabilities give one; no call more. `expected`: one item a call,
    asked for its score before a word could settle it, so that the expectation tells most; feedback for failing items
    is a question of its own; an endpoint without log-probabilities is refused, and so is a scale without levels.
    `singleton_rubric` scores what is tagged as a singleton.
    """

    rubric: Rubric
    model: ResolvedModel
    batch_size: int = 5
    seed: int = 42
    params: Mapping[str, Any] = field(default_factory=dict)
    ask_for_feedback: bool = False
    timeout_s: float = 60.0
    retries: int = 2
    method: Method = "sampled"
    singleton_rubric: Rubric | None = None

    def __post_init__(self) -> None:
        for rubric in (self.rubric, self.singleton_rubric):
            if rubric is not None:
                require_levels(self.method, rubric.scale)

    @property
    def deciding_params(self) -> dict[str, Any]:
        """Every parameter of a call that does not depend on how many items it carries."""
        return {"temperature": 0, **self.model.params, **self.params}

    @property
    def items_per_call(self) -> int:
        """How many items one call may carry."""
        return 1 if self.method == "expected" else self.batch_size

    @property
    def for_singletons(self) -> JudgeSettings:
        """The same judge for what is judged alone, by the rubric for it where there is one."""
        return replace(self, rubric=self.singleton_rubric or self.rubric, batch_size=1)


def require_levels(method: Method, scale: Scale) -> None:
    """Refuse expected scores on a scale whose scores are no levels. Raises SetupError."""
    if method == "expected" and not scale.has_levels:
        raise SetupError(
            f"the scoring method expected needs a scale of whole levels such as 1-5; this one is {scale}",
            "Use the scoring method sampled, or another scale.",
        )
