"""result.yaml: what one experiment measured, written where it was measured. It is evidence, never an instruction."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from schemas.loading import parse
from schemas.scalars import FilledText, Flag, Integer, JsonMap, Number, Section, Text
from schemas.yaml_dump import dump


def _whole_sha(text: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", text):
        raise ValueError(f'must be a commit\'s whole SHA, not "{text}"')
    return text


Sha = Annotated[FilledText, AfterValidator(_whole_sha)]

_VALUES = ("metrics", "judge", "diagnostics")


class Snapshot(Section):
    """Everything one measurement printed, in the form `decide` takes it."""

    gates: JsonMap = Field(default_factory=dict)
    metrics: JsonMap = Field(default_factory=dict)
    """Per metric a number, or a mapping with `samples` and `aggregate`."""
    judge: JsonMap = Field(default_factory=dict)
    """Judge scores in the form of `metrics`."""
    diagnostics: JsonMap = Field(default_factory=dict)
    cases: JsonMap | None = None
    """Per case true or false, or a mapping with `passed` and `score`."""
    runs: dict[str, tuple[Number, ...]] | None = None
    """Per case the score of every run."""
    digest: Text = ""
    """SHA-256 of the bytes that were measured."""
    sample_count: Annotated[Integer, Field(ge=0)] | None = None
    smoke_passed: Flag | None = None
    elapsed_seconds: Annotated[Number, Field(ge=0)] | None = None

    def missing(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of `names` that have no value here."""
        return tuple(name for name in names if self._value(name) is None)

    def _value(self, name: str) -> Any:
        return next((found for part in _VALUES if (found := getattr(self, part).get(name)) is not None), None)


class Cost(Section):
    """What the measurement cost; null where it is not known."""

    usd: Annotated[Number, Field(ge=0)] | None = None
    calls: Annotated[Integer, Field(ge=0)] | None = None
    input_tokens: Annotated[Integer, Field(ge=0)] | None = None
    output_tokens: Annotated[Integer, Field(ge=0)] | None = None


class ResultMarker(Section):
    """Reference and candidate measured in pairs on one machine."""

    version: Literal["1"] = "1"
    base_sha: Sha
    """The commit that was handed out."""
    head_sha: Sha
    """The commit of the edit, before this file was added."""
    machine: FilledText
    measured_by: Text = ""
    baseline: Snapshot
    candidate: Snapshot
    correctness: Text = ""
    cost: Cost = Cost()


def parse_result_marker(raw: bytes, file: str) -> ResultMarker:
    """The marker in `raw`. Raises InputError with every problem; nothing is repaired."""
    return parse(ResultMarker, raw, file)


def result_marker_yaml(marker: ResultMarker) -> str:
    """The file of a marker."""
    return dump(marker.model_dump(mode="json", exclude_defaults=True))
