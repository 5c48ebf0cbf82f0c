"""The eval set: recorded failures and guard cases, one YAML document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.checks import Check

CaseInput = str | dict[str, Any]
Expected = str | dict[str, Any] | list[Any]


class Case(BaseModel):
    """One item of the eval set. `input` is a text, or a mapping that fills a template."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    input: CaseInput
    expected: Expected | None = None
    observed: str | None = None
    went_wrong: str | None = None
    tags: tuple[str, ...] = ()
    check: Check | None = None
    kind: Literal["failure", "guard"] = "failure"
    split: Literal["selection", "holdout"] | None = None
    source: str | None = None


class EvalSet(BaseModel):
    """All cases of one file; `check` is the check of every case that has none of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    check: Check | None = None
    cases: Annotated[tuple[Case, ...], Field(min_length=1)]
