"""The cases of a study: what is asked, and the answer that is wanted, each of a type with a scorer of its own.

How a reply is held against an answer is in ceopt_tui/core/study/scoring.py.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from schemas.scalars import FilledText, Flag, Number, Section, Text
from schemas.spec_execution import RepositoryPath
from schemas.study import SafeId

NOT_CARRIED_OUT = {
    "prose": "answers in prose need a judge of recall",
    "dod_gate": "a definition-of-done gate needs an isolated cell",
    "judged": "judged dimensions need a calibrated judge",
    "e2e_outcome": "an end-to-end outcome needs an isolated cell and hidden tests",
    "learning_transfer": "learning transfer needs the paired sequence",
}


class ExactAnswer(Section):
    """The reply is this text, white space around it aside."""

    type: Literal["exact"] = "exact"
    value: FilledText


class RouteAnswer(Section):
    """The reply is one of the labels, and it is this one."""

    type: Literal["route"] = "route"
    value: FilledText
    labels: Annotated[tuple[FilledText, ...], Field(min_length=2)]


class NumberAnswer(Section):
    """The reply is a number, no further from this one than the tolerance."""

    type: Literal["number"] = "number"
    value: Number
    tolerance: Annotated[Number, Field(ge=0)] = 0.0


class BooleanAnswer(Section):
    """The reply is true or false as JSON has them; the same word in quotes cannot be read."""

    type: Literal["boolean"] = "boolean"
    value: Flag


class SetAnswer(Section):
    """The reply is a JSON list of texts in any order; scored by overlap: shared over all of both."""

    type: Literal["set"] = "set"
    values: Annotated[tuple[FilledText, ...], Field(min_length=1)]


class FindingsAnswer(Section):
    """The reply names codes, one a line; scored by the share of the planted ones it names.

    With nothing planted a reply that names no code is right.
    """

    type: Literal["findings"] = "findings"
    planted: tuple[SafeId, ...]
    codes: Annotated[tuple[SafeId, ...], Field(min_length=1)]
    """Every code a reply may name."""


Answer = ExactAnswer | RouteAnswer | NumberAnswer | BooleanAnswer | SetAnswer | FindingsAnswer

SCORERS: dict[str, str] = {
    "exact": "exact",
    "route": "routing_decision",
    "number": "number",
    "boolean": "boolean",
    "set": "set",
    "findings": "planted_defect",
}
"""The scorer of each answer type."""


def _carried_out(value: Any) -> Any:
    kind = str(value.get("type", "")) if isinstance(value, dict) else ""
    if kind in NOT_CARRIED_OUT:
        raise ValueError(f"{NOT_CARRIED_OUT[kind]}, which this version does not have; it has {', '.join(SCORERS)}")
    return value


class StudyCase(Section):
    """One case. `group` is the class of cases whose number power is counted by."""

    id: SafeId
    group: SafeId = "cases"
    input: Text | None = None
    material: RepositoryPath | None = None
    """A file of the study's folder that follows the input."""
    answer: Annotated[Answer, Field(discriminator="type"), BeforeValidator(_carried_out)]

    @property
    def scorer(self) -> str:
        """The scorer that reads the reply."""
        return SCORERS[self.answer.type]

    @model_validator(mode="after")
    def _asks_something(self) -> StudyCase:
        if not (self.input or "").strip() and self.material is None:
            raise ValueError("asks nothing: give an input, a file of material, or both")
        return self


class StudyCases(Section):
    """One file of cases."""

    cases: Annotated[tuple[StudyCase, ...], Field(min_length=1)]
