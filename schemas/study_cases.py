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
    "dod_gate": "a definition-of-done gate needs an isolated cell",
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


class ProseAnswer(Section):
    """The reply says these things in words of its own; a judge is asked of each whether it does.

    Scored by the share it says. `tokens` are words that stand for one of them, for a search without a model, which is
    reported beside the judge and never averaged with it.
    """

    type: Literal["prose"] = "prose"
    planted: Annotated[tuple[FilledText, ...], Field(min_length=1)]
    tokens: dict[str, tuple[FilledText, ...]] = Field(default_factory=dict)
    """By a planted thing, as it is written above."""


class JudgedAnswer(Section):
    """The reply is scored by a judge with a rubric for each dimension; scored by their mean, each from 0 to 1."""

    type: Literal["judged"] = "judged"
    dimensions: Annotated[dict[SafeId, RepositoryPath], Field(min_length=1)]
    """A name, such as compliance or quality, and the file with its rubric, which names its scale."""
    good: FilledText
    """A reply that is known to be good: the judge must score it above one that says nothing."""


JudgeAnswer = ProseAnswer | JudgedAnswer
Answer = (
    ExactAnswer | RouteAnswer | NumberAnswer | BooleanAnswer | SetAnswer | FindingsAnswer | ProseAnswer | JudgedAnswer
)

SCORERS: dict[str, str] = {
    "exact": "exact",
    "route": "routing_decision",
    "number": "number",
    "boolean": "boolean",
    "set": "set",
    "findings": "planted_defect",
    "prose": "recall_judge",
    "judged": "llm_judge",
}
"""The scorer of each answer type."""
JUDGE_SCORERS = frozenset({"recall_judge", "llm_judge"})
"""Those that ask a model."""


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
    def is_judged(self) -> bool:
        """Does a model score it?"""
        return self.scorer in JUDGE_SCORERS

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
