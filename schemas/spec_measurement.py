"""The measurement of a spec: the command, how its noise is handled, and the held-out run."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.scalars import FilledText, Flag, Integer, Number, Section

Method = Literal["absolute", "relative", "paired", "evidence"]


class Comparison(Section):
    """When a difference counts as one."""

    method: Method = "absolute"
    """`evidence`: case by case, against the noise measured in the run; for texts, and commands that print `cases`."""
    relative_threshold: Annotated[Number, Field(ge=0)] = 0.05
    noise_threshold: Annotated[Number, Field(ge=0)] | None = None
    """Takes the place of `stability.noise_threshold`."""
    minimum_improvement: Annotated[Number, Field(ge=0)] | None = None


class Futility(Section):
    """When a candidate that cannot win any more is stopped."""

    worse_factor: Annotated[Number, Field(gt=1)] = 1.2
    after_elapsed_seconds: Annotated[Number, Field(gt=0)] | None = None


class Ladder(Section):
    """Steps that spend only what the decision needs."""

    smoke_command: FilledText | None = None
    exploratory_pairs: Annotated[Integer, Field(ge=1)] = 1
    confirmation_repeats: Annotated[Integer, Field(ge=1)] | None = None
    """Samples before a keep; `stability.repeat_count` where nothing is said."""
    futility: Futility = Futility()


class Stability(Section):
    """How the noise of a measurement is handled."""

    mode: Literal["stable", "repeat", "ladder"] = "stable"
    repeat_count: Annotated[Integer, Field(ge=1)] = 5
    aggregation: Literal["median", "mean", "min", "max"] = "median"
    noise_threshold: Annotated[Number, Field(ge=0)] = 0.02
    comparison: Comparison = Comparison()
    ladder: Ladder = Ladder()

    @property
    def confirmation_repeats(self) -> int:
        """Samples a keep needs in ladder mode."""
        return self.ladder.confirmation_repeats or self.repeat_count

    @property
    def noise_bound(self) -> float:
        """The absolute threshold in force."""
        own = self.comparison.noise_threshold
        return self.noise_threshold if own is None else own


class CommandHoldout(Section):
    """A held-out measurement that only confirms."""

    command: FilledText


class Measurement(Section):
    """How one candidate is measured."""

    command: FilledText | None = None
    """Shell command that prints JSON with every gate, diagnostic and objective."""
    timeout_seconds: Annotated[Number, Field(gt=0)] = 600.0
    output_format: Literal["json"] = "json"
    working_directory: FilledText = "."
    stability: Stability = Stability()
    holdout: CommandHoldout | None = None
    per_case: Flag = False
    """The command also prints `cases`, so that regressions are reported."""
