"""Deterministic checks of one output, as they are written in an eval set."""

from __future__ import annotations

import re
import sys
import warnings
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from schemas.scalars import Flag, Integer, JsonMap, Marks, Section, Text
from schemas.scalars import Number as AnyNumber


def _compiles(pattern: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise ValueError(f"is no regular expression of Python {version}: {error}") from None
    return pattern


class Exact(Section):
    """Output equals `expected`, surrounding white space aside (the default check)."""

    type: Literal["exact"] = "exact"
    strict: Flag = False
    """White space around the output counts too."""


class Normalized(Section):
    """Equal after NFKC, case folding, and folding white space and closing punctuation."""

    type: Literal["normalized"]


class Contains(Section):
    """Output holds every one of `values` (default: the expected text)."""

    type: Literal["contains"]
    values: tuple[Marks, ...] = ()
    ignore_case: Flag = False


class NoneOf(Section):
    """Output holds none of `values`."""

    type: Literal["none_of"]
    values: Annotated[tuple[Marks, ...], Field(min_length=1)]
    ignore_case: Flag = False


class Regex(Section):
    """`pattern` is found in the output (`full` asks for the whole output); compiled at load."""

    type: Literal["regex"]
    pattern: Annotated[Marks, AfterValidator(_compiles)]
    full: Flag = False


class JsonSchema(Section):
    """Output is JSON that `schema` accepts."""

    type: Literal["json_schema"]
    schema_: Annotated[JsonMap, Field(alias="schema")]


class JsonFields(Section):
    """Output is JSON equal to `expected` in `fields` (default: every field)."""

    type: Literal["json_fields"]
    fields: tuple[Text, ...] = ()


class Number(Section):
    """Output is one number within `tolerance` of `expected`."""

    type: Literal["number"]
    tolerance: Annotated[AnyNumber, Field(ge=0)] = 0.0
    relative: Flag = False


class Length(Section):
    """Length of the output in `unit`, both ends included."""

    type: Literal["length"]
    minimum: Annotated[Integer, Field(ge=0)] | None = None
    maximum: Annotated[Integer, Field(ge=0)] | None = None
    unit: Literal["characters", "words", "lines"] = "characters"


class AllOf(Section):
    """Every one of `checks` passes."""

    type: Literal["all"]
    checks: Annotated[tuple[Check, ...], Field(min_length=1)]


Check = Annotated[
    Exact | Normalized | Contains | NoneOf | Regex | JsonSchema | JsonFields | Number | Length | AllOf,
    Field(discriminator="type"),
]
AllOf.model_rebuild()
