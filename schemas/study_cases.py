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


Commands = Annotated[tuple[FilledText, ...], Field(min_length=1)]


class GateAnswer(Section):
    """What the program left in its folder passes every command: each ends with 0. Scored 1 or 0."""

    type: Literal["dod_gate"] = "dod_gate"
    commands: Commands
    golden: RepositoryPath
    """A folder of files that, put over those of the case, pass. The files of the case alone must not."""


class OutcomeAnswer(Section):
    """What the program left passes tests it never saw; scored by the share of the hidden commands that end with 0.

    The tests are put into the folder when the program has ended. Regression commands are told apart: what worked
    before must still work.
    """

    type: Literal["e2e_outcome"] = "e2e_outcome"
    tests: RepositoryPath
    """A folder of files that the program never sees."""
    hidden: Commands
    regression: tuple[FilledText, ...] = ()
    golden: RepositoryPath
    """A folder of files that pass everything."""
    naive: RepositoryPath
    """A folder of files that pass the regression commands and not all of the hidden ones."""


JudgeAnswer = ProseAnswer | JudgedAnswer
WorkAnswer = GateAnswer | OutcomeAnswer
Answer = (
    ExactAnswer
    | RouteAnswer
    | NumberAnswer
    | BooleanAnswer
    | SetAnswer
    | FindingsAnswer
    | ProseAnswer
    | JudgedAnswer
    | GateAnswer
    | OutcomeAnswer
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
    "dod_gate": "dod_gate",
    "e2e_outcome": "e2e_outcome",
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
    files: RepositoryPath | None = None
    """A folder of the study that the program finds in its own, to work on."""
    answer: Annotated[Answer, Field(discriminator="type"), BeforeValidator(_carried_out)]

    @property
    def is_work(self) -> bool:
        """Is what a program left behind scored, and not what it said?"""
        return isinstance(self.answer, GateAnswer | OutcomeAnswer)

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
        if self.is_work and self.files is None:
            raise ValueError(f"has nothing to work on: `{self.answer.type}` needs `files`, a folder of the study")
        if not self.is_work and self.files is not None:
            raise ValueError(f"has `files`, and `{self.answer.type}` scores what is said; give `material`")
        return self


class StudyCases(Section):
    """One file of cases."""

    cases: Annotated[tuple[StudyCase, ...], Field(min_length=1)]
