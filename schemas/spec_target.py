"""The parts of a spec that only text targets have: the text, its cases, who runs it and who rewrites it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from schemas.scalars import FilledText, Integer, JsonMap, Number, Section, read_number
from schemas.spec_execution import RepositoryPath
from schemas.spec_metric import LEGACY_TIERS, ModelName

Kind = Literal["prompt", "template", "skill", "agents"]
REQUEST_NAME = "request.json"  # what a proposer's command is asked, beside the target files

TextRole = Literal["system", "user", "template"]
Syntax = Literal["brace", "double-brace", "jinja", "shell", "none"]

_VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_AGENT_FILES = frozenset({"AGENTS.md", "CLAUDE.md", "GEMINI.md"})
_TEMPLATE_ENDINGS = (".j2", ".jinja", ".jinja2")


class Target(Section):
    """The text that is optimized."""

    files: Annotated[tuple[RepositoryPath, ...], Field(min_length=1)]
    kind: Kind = "prompt"
    """Taken from the file name where nothing is said: SKILL.md, AGENTS.md, CLAUDE.md, NAME.j2."""
    role: TextRole = "system"
    """`system` and `user` send the whole text; `template` fills its placeholders with each case."""
    syntax: Syntax | None = None
    """How placeholders are written; guessed once and recorded where nothing is said."""
    protect: tuple[FilledText, ...] = ()
    """Headings or rules that must not be edited."""
    max_tokens: Annotated[Integer, Field(ge=1)] | None = None
    max_growth: Annotated[Number, Field(gt=0)] | None = None
    """How many times longer than the original the text may become."""
    front_matter: Literal["fixed", "editable"] = "fixed"
    """May a change edit the YAML at the head of the text? Its `name` never."""
    public_phrases: tuple[FilledText, ...] = ()
    """Words of cases, answers or rubric that any text may use, such as a format that is published."""
    references: tuple[RepositoryPath, ...] = ()
    """Files sent along after the text and never edited: what a skill tells its reader to open."""

    @model_validator(mode="before")
    @classmethod
    def _guess_kind_and_role(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        guessed = "template" if data.get("role") == "template" else _kind_of(data.get("files"))
        kind = data.get("kind", guessed)
        role = {"role": "template"} if kind == "template" and "role" not in data else {}
        return {**data, "kind": kind, **role}


def _kind_of(files: Any) -> str:
    names = {PurePosixPath(str(file)).name for file in files} if isinstance(files, (list, tuple)) else set()
    if "SKILL.md" in names:
        return "skill"
    if names & _AGENT_FILES:
        return "agents"
    return "template" if names and all(name.lower().endswith(_TEMPLATE_ENDINGS) for name in names) else "prompt"


class HoldoutFile(Section):
    """A file whose cases only confirm."""

    file: FilledText


def _share_or_file(value: Any) -> Any:
    if isinstance(value, (dict, HoldoutFile)):
        return HoldoutFile.model_validate(value)
    share = read_number(value)
    if not 0 < share < 1:
        raise ValueError("must be a share between 0 and 1, or a mapping with the file of the held-out cases")
    return share


class EvalSetSource(Section):
    """Where the cases are and how they are divided."""

    file: FilledText | None = None
    files: tuple[FilledText, ...] = ()
    holdout: Annotated[float | HoldoutFile, BeforeValidator(_share_or_file)] | None = None
    """Share of the cases that only confirm, or a file of such cases; half where nothing is said."""
    seed: Integer = 7

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file of cases, the held-out one last."""
        own = (self.file,) if self.file else ()
        held_out = (self.holdout.file,) if isinstance(self.holdout, HoldoutFile) else ()
        return (*own, *self.files, *held_out)


class RunnerSpec(Section):
    """Who carries out the text on one case."""

    kind: Literal["chat", "claude", "codex", "command"] = "chat"
    model: ModelName = "cheap"
    params: JsonMap = Field(default_factory=dict)
    repeats: Annotated[Integer, Field(ge=1)] | None = None
    """Runs per case of the reference; four where nothing is said."""
    timeout_s: Annotated[Number, Field(gt=0)] = 60.0
    retries: Annotated[Integer, Field(ge=0)] = 2


class TokenPrice(Section):
    """US dollars for a million tokens."""

    in_: Annotated[Number, Field(ge=0, alias="in")]
    out: Annotated[Number, Field(ge=0)]


class ModelSpec(Section):
    """A model under the name of a tier, or under a name of its own."""

    model: FilledText | None = None
    """As the provider names it: provider/model."""
    api_base: FilledText | None = None
    params: JsonMap = Field(default_factory=dict)
    usd_per_mtok: TokenPrice | None = None
    """Price where it is not known; needed for a cap in dollars."""
    concurrency: Annotated[Integer, Field(ge=1)] | None = None


def _tier_names(models: dict[str, ModelSpec]) -> dict[str, ModelSpec]:
    for name in models:
        if LEGACY_TIERS.get(name) in models:
            raise ValueError(f"`{name}` is the old name of `{LEGACY_TIERS[name]}`; keep one of them")
    return {LEGACY_TIERS.get(name, name): model for name, model in models.items()}


ModelMap = Annotated[dict[str, ModelSpec], AfterValidator(_tier_names)]


def _variable_name(value: str) -> str:
    if not _VARIABLE_NAME.fullmatch(value):
        raise ValueError("must be the name of an environment variable alone; its value never stands in a spec")
    return value


VariableName = Annotated[FilledText, AfterValidator(_variable_name)]


class ProposerSpec(Section):
    """Who has the ideas."""

    kind: Literal["auto", "llm", "mechanical", "codex", "claude", "command"] = "auto"
    """`auto`: a model where a strong one is at hand, else without any model."""
    model: ModelName = "strong"
    edits: Annotated[Integer, Field(ge=1)] = 4
    """Edits one experiment may make."""
    command: FilledText | None = None
    """Shell command that brings a whole new text: one run of it is one experiment."""
    timeout_s: Annotated[Number, Field(gt=0)] = 3600.0
    """How long one run of the command, or of a coding agent that edits, may take."""
    environment: tuple[VariableName, ...] = ()
    """Environment variables the command gets beside PATH, HOME and the language: keys of its own models."""

    @property
    def asks_model(self) -> bool:
        """Does ceopt itself ask a model for ideas, where one is configured?"""
        return self.kind in {"auto", "llm"}
