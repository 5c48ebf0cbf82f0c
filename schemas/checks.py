"""Deterministic checks of one output, as they are written in an eval set."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Check(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Exact(_Check):
    """Output equals `expected`, surrounding white space aside (the default check)."""

    type: Literal["exact"] = "exact"


class Normalized(_Check):
    """Equal after NFKC, case folding, and folding white space and closing punctuation."""

    type: Literal["normalized"]


class Contains(_Check):
    """Output holds every one of `values` (default: the expected text)."""

    type: Literal["contains"]
    values: tuple[str, ...] = ()
    ignore_case: bool = False


class NoneOf(_Check):
    """Output holds none of `values`."""

    type: Literal["none_of"]
    values: Annotated[tuple[str, ...], Field(min_length=1)]
    ignore_case: bool = False


class Regex(_Check):
    """`pattern` is found in the output (`full` asks for the whole output); compiled at load."""

    type: Literal["regex"]
    pattern: str
    full: bool = False


class JsonSchema(_Check):
    """Output is JSON that `schema` accepts."""

    type: Literal["json_schema"]
    schema_: Annotated[dict[str, Any], Field(alias="schema")]


class JsonFields(_Check):
    """Output is JSON equal to `expected` in `fields` (default: every field)."""

    type: Literal["json_fields"]
    fields: tuple[str, ...] = ()


class Number(_Check):
    """Output is one number within `tolerance` of `expected`."""

    type: Literal["number"]
    tolerance: Annotated[float, Field(ge=0)] = 0.0
    relative: bool = False


class Length(_Check):
    """Length of the output in `unit`, both ends included."""

    type: Literal["length"]
    minimum: int | None = None
    maximum: int | None = None
    unit: Literal["characters", "words", "lines"] = "characters"


class AllOf(_Check):
    """Every one of `checks` passes."""

    type: Literal["all"]
    checks: Annotated[tuple[Check, ...], Field(min_length=1)]


Check = Annotated[
    Exact | Normalized | Contains | NoneOf | Regex | JsonSchema | JsonFields | Number | Length | AllOf,
    Field(discriminator="type"),
]
AllOf.model_rebuild()
