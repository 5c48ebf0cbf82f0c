"""A study: one question about texts, asked of several models and harnesses, and the hypotheses registered for it.

Cases are in study_cases.py; rules between keys and files are in study_rules.py.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field

from schemas.scalars import FilledText, Flag, Integer, JsonMap, Number, Section, read_text
from schemas.spec_execution import RepositoryPath
from schemas.spec_target import ModelMap

HarnessName = Literal["api", "claude", "codex", "command", "mock", "mock-weak"]
OFFLINE: frozenset[str] = frozenset({"mock", "mock-weak"})
"""Harnesses that stand in for a model in tests: they send nothing, and their results say nothing of a text."""
PROGRAMS: frozenset[str] = frozenset({"claude", "codex", "command"})
"""Harnesses that are programs on this machine, each started in a folder of its own."""

SKILL_FILE = "SKILL.md"
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def _safe(text: str) -> str:
    if not _SAFE_ID.fullmatch(text):
        raise ValueError("must be 1 to 64 letters, digits, dots, hyphens or underscores, with a letter or digit first")
    return text


def _known_harness(value: Any) -> str:
    text = str(read_text(value))
    known = get_args(HarnessName)
    if text not in known:
        raise ValueError(f"is no harness; known are {', '.join(known)}")
    return text


SafeId = Annotated[FilledText, AfterValidator(_safe)]
Harness = Annotated[HarnessName, BeforeValidator(_known_harness)]


class BoundTarget(Section):
    """One harness with one model, never taken apart; `family` says whose model it is."""

    id: SafeId
    family: FilledText
    harness: Harness
    model: FilledText
    command: tuple[FilledText, ...] = ()
    """Of the harness `command`: the program and its arguments; it reads the prompt from standard input."""
    variables: tuple[FilledText, ...] = ()
    """Of the harness `command`: the variables of the environment it is given, such as a key."""
    timeout_s: Annotated[Number, Field(gt=0)] = 600.0
    """How long a program may take for one cell."""

    @property
    def script(self) -> str | None:
        """The program, where it is a file of the study; None where it is looked up on the PATH."""
        name = self.command[0] if self.command else ""
        return name.removeprefix("./") if "/" in name and not name.startswith("/") else None


def text_kind(path: str) -> Literal["prompt", "skill", "agents"]:
    """How a text reaches a coding agent: as a skill, as instructions of a folder, or as a system prompt."""
    name = path.rpartition("/")[2]
    return "skill" if name == SKILL_FILE else "agents" if name in ("AGENTS.md", "CLAUDE.md") else "prompt"


class MatrixModel(Section):
    """One model of a matrix."""

    model: FilledText
    family: FilledText


class Matrix(Section):
    """Every harness with every model."""

    harnesses: Annotated[tuple[Harness, ...], Field(min_length=1)]
    models: Annotated[tuple[MatrixModel, ...], Field(min_length=1)]


class StudyJudge(Section):
    """The model that scores what no rule can; `family` says whose it is, and it is none of those that are tested."""

    model: FilledText
    family: FilledText


class StudyBudget(Section):
    """Caps over the whole study; null is no cap."""

    usd: Annotated[Number, Field(ge=0)] | None = None
    calls: Annotated[Integer, Field(ge=1)] | None = None
    """Requests to models, retries included."""


class Study(Section):
    """What study.yaml says. Paths are relative to its folder."""

    name: SafeId
    question: FilledText
    texts: Annotated[dict[SafeId, RepositoryPath], Field(min_length=1)]
    """The variants: a name and the file that holds the text."""
    targets: tuple[BoundTarget, ...] = ()
    """Pairs of harness and model as they stand."""
    matrix: Matrix | None = None
    """In place of `targets`: the full product."""
    models: ModelMap = Field(default_factory=dict)
    """Addresses, keys and prices of models, as in a spec."""
    params: JsonMap = Field(default_factory=dict)
    """Parameters of every model call of a target."""
    judge: StudyJudge | None = None
    """Needed where a case has an answer in prose, or is judged."""
    cases: Annotated[tuple[RepositoryPath, ...], Field(min_length=1)]
    hypotheses: RepositoryPath = "hypotheses.yaml"
    k: Annotated[Integer, Field(ge=1, le=100)]
    """Repeats of each case with each text and target."""
    seed: Integer = 7
    parallel: Annotated[Integer, Field(ge=1, le=64)] = 4
    """Cells at a time."""
    budget: StudyBudget = Field(default_factory=StudyBudget)
    weights: dict[str, Annotated[Number, Field(ge=0)]] = Field(default_factory=dict)
    """By scorer, of the value of a text; 1 where none is given."""
    goal: Literal["text", "method"] = "text"
    """What it is to come to: a good text, or a way of working that is known to be sound."""

    @property
    def bound_targets(self) -> tuple[BoundTarget, ...]:
        """The targets that are written, or the product of the matrix."""
        if self.matrix is None:
            return self.targets
        return tuple(
            BoundTarget(id=_product_id(harness, model.model), family=model.family, harness=harness, model=model.model)
            for harness in self.matrix.harnesses
            for model in self.matrix.models
        )

    @property
    def is_offline(self) -> bool:
        """Is no model reached?"""
        return self.judge is None and all(target.harness in OFFLINE for target in self.bound_targets)


class Power(Section):
    """How much evidence a hypothesis was planned with: repeats of a case, and cases."""

    k: Annotated[Integer, Field(ge=1)]
    n: Annotated[Integer, Field(ge=1)]


class Hypothesis(Section):
    """A claim that can fail: a treatment moves a metric, against a control or by itself, by at least a threshold."""

    id: SafeId
    claim: FilledText
    metric: FilledText = "score"
    """A scorer, for the cases it scores, or `score` for all of them."""
    treatment: FilledText
    control: FilledText | None = None
    """The text it is held against; without one its own level is held against the threshold."""
    direction: Literal["increase", "decrease"] = "increase"
    threshold: Annotated[Number, Field(ge=0, le=1)]
    power: Power
    mechanical: Flag = True
    """Does the oracle score by rule, without a model?"""
    confounds: tuple[FilledText, ...] = ()
    """What else could move the metric, and is held equal."""


class Hypotheses(Section):
    """What hypotheses.yaml says."""

    hypotheses: Annotated[tuple[Hypothesis, ...], Field(min_length=1)]


def _product_id(harness: str, model: str) -> str:
    return f"{harness}.{re.sub('[^A-Za-z0-9._-]', '-', model)}"[:64]
