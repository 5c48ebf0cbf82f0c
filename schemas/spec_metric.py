"""The metric of a spec: what is optimized, what must not break, and how a judge scores."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from schemas.scalars import FilledText, Integer, Number, Section, Text

Direction = Literal["maximize", "minimize"]

LEGACY_TIERS = {"haiku": "cheap", "sonnet": "strong"}

_CHECK = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*")
PASS_FAIL = "pass/fail"
_SCALE = re.compile(r"\s*(-?[0-9]+)\s*[-–]\s*(-?[0-9]+)\s*")


def _gate_check(text: str) -> str:
    if not _CHECK.fullmatch(text):
        raise ValueError(f'must be one of >= <= > < == != and a number, in quotes, such as ">= 0.9"; got "{text}"')
    return text


def _scale(text: str) -> str:
    if text.strip().lower() == PASS_FAIL:
        return PASS_FAIL
    bounds = _SCALE.fullmatch(text)
    if not bounds or int(bounds[1]) >= int(bounds[2]):
        raise ValueError(f'must be the lowest and the highest score, such as 1-5, or pass/fail; got "{text}"')
    return text


def _model_name(name: str) -> str:
    return LEGACY_TIERS.get(name, name)


ModelName = Annotated[FilledText, AfterValidator(_model_name)]


class Primary(Section):
    """The metric the run optimizes."""

    type: Literal["hard", "judge"]
    name: FilledText
    direction: Direction
    target: Number | None = None
    """A value that is good enough: the run may stop there."""
    baseline: Number | None = None
    """Measured by the run; a value written here is not used."""


class Gate(Section):
    """A check that must hold before anything is compared."""

    name: FilledText
    check: Annotated[Text, AfterValidator(_gate_check)]
    """Comparison and number, such as `>= 0.9`."""
    description: Text = ""


class MaxRegression(Section):
    """How much worse an objective may become; replaces the comparison's own threshold."""

    type: Literal["relative", "absolute"]
    value: Annotated[Number, Field(ge=0)]


class Objective(Section):
    """A further metric. A required one must not get worse, and may be what an experiment improves."""

    name: FilledText
    direction: Direction
    role: Literal["required", "secondary"] = "required"
    type: Literal["hard"] = "hard"
    target: Number | None = None
    max_regression: MaxRegression | None = None


class Diagnostic(Section):
    """A number that is logged and never decides."""

    name: FilledText


class Scoring(Section):
    """Which fields of the judge's reply count."""

    primary: FilledText
    """The field that is the primary metric."""
    secondary: tuple[FilledText, ...] = ()
    """Fields that are logged."""
    method: Literal["auto", "expected", "sampled"] = "auto"
    """How a score is read: from token probabilities where the endpoint gives them, or as written."""


class Stratum(Section):
    """How many items of one bucket are judged."""

    bucket: FilledText
    count: Annotated[Integer, Field(ge=1)]


class Calibration(Section):
    """How the judge is compared with a person."""

    labels: FilledText | None = None
    """File with a person's scores, written by `ceopt calibrate`."""
    min_agreement: Annotated[Number, Field(ge=0, le=1)] = 0.8
    waived: FilledText | None = None
    """The reason for running without a person's scores."""


class Exemplars(Section):
    """Outputs known to be good and bad; the judge must tell them apart before the run starts."""

    good: tuple[Text, ...] = ()
    bad: tuple[Text, ...] = ()


class Judge(Section):
    """A model that scores outputs with a rubric."""

    rubric: FilledText
    scoring: Scoring
    model: ModelName = "cheap"
    """`cheap`, `strong`, a name from `models`, or provider/model."""
    sample_size: Annotated[Integer, Field(ge=1)] = 10
    stratification: tuple[Stratum, ...] | None = None
    singleton_sample: Annotated[Integer, Field(ge=0)] = 0
    singleton_rubric: FilledText | None = None
    sample_seed: Integer = 42
    confirmation_seed: Integer | None = None
    """Seed of the held-out sample of the same output."""
    batch_size: Annotated[Integer, Field(ge=1)] = 5
    minimum_improvement: Annotated[Number, Field(ge=0)] = 0.3
    max_total_cost_usd: Annotated[Number, Field(gt=0)] | None = 5.0
    """Cap on what judging may cost; null is uncapped."""
    calibration: Calibration = Calibration()
    exemplars: Exemplars = Exemplars()
    scale: Annotated[Text, AfterValidator(_scale)] = "1-5"
    """Lowest and highest score, or pass/fail."""
    pass_at: Number | None = None
    """The score from which an output passes; one level below the highest where nothing is said."""

    @property
    def bounds(self) -> tuple[int, int]:
        """Lowest and highest score of the scale."""
        match = _SCALE.fullmatch(self.scale)
        return (int(match[1]), int(match[2])) if match else (0, 1)

    @property
    def passing_score(self) -> float:
        """The score from which an output passes."""
        if self.pass_at is not None:
            return self.pass_at
        lowest, highest = self.bounds
        return float(highest - 1) if highest - lowest > 1 else float(highest)


class Metric(Section):
    """What is optimized and what must hold."""

    primary: Primary
    degenerate_gates: Annotated[tuple[Gate, ...], Field(min_length=1)]
    objectives: tuple[Objective, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    judge: Judge | None = None

    @property
    def required(self) -> tuple[Objective, ...]:
        """Every objective that decides, the primary first."""
        own = next((entry for entry in self.objectives if entry.name == self.primary.name), None)
        target = own.target if own and own.target is not None else self.primary.target
        primary = Objective(
            name=self.primary.name,
            direction=self.primary.direction,
            target=target,
            max_regression=own.max_regression if own else None,
        )
        return primary, *(entry for entry in self.objectives if entry.role == "required" and entry is not own)
