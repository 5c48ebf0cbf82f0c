"""The eval set: recorded failures and guard cases, one YAML document.

Rules between cases are in evalset_rules.py; reading from disk is in loading.py.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from schemas.checks import Check
from schemas.scalars import FilledText, Section, Text, exact_value, json_value, read_text


def _read_input(value: Any) -> Any:
    return exact_value(value) if isinstance(value, dict) else read_text(value)


def _read_expected(value: Any) -> Any:
    return json_value(value) if isinstance(value, (dict, list)) else read_text(value)


_SPLIT_WORDS = {
    **dict.fromkeys(("train", "training"), "selection"),
    **dict.fromkeys(("test", "heldout", "held_out", "held-out"), "holdout"),
}


def _read_split(value: Any) -> Any:
    return _SPLIT_WORDS.get(value, value) if isinstance(value, str) else value


CaseInput = str | dict[str, Any]
Expected = str | dict[str, Any] | list[Any]


def as_words(value: CaseInput | Expected) -> str:
    """A text as it is, anything else as readable JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


class Case(Section):
    """One item of the eval set. `input` is a text, or a mapping that fills a template."""

    id: FilledText
    input: Annotated[CaseInput, BeforeValidator(_read_input)]
    expected: Annotated[Expected, BeforeValidator(_read_expected)] | None = None
    """What was wanted. Numbers and dates stay as written; a mapping or list is JSON."""
    observed: Text | None = None
    """What came out."""
    went_wrong: Text | None = None
    """Why that is a failure."""
    tags: tuple[FilledText, ...] = ()
    check: Check | None = None
    """How an output is checked; `exact` where neither the case nor the file says."""
    kind: Literal["failure", "guard"] = "failure"
    """A guard is a case that passes today and must go on passing."""
    split: Annotated[Literal["selection", "holdout"] | None, BeforeValidator(_read_split)] = None
    """Cases for selection pick winners, held-out ones only confirm; train and test are read as these."""
    source: Text | None = None
    """Where the case comes from."""
    as_imported: Text | None = None
    """Digests of what its record said at the last import; by them the next import tells your edits from news."""


class EvalSet(Section):
    """All cases of one file; `check` is the check of every case that has none of its own."""

    name: FilledText
    check: Check | None = None
    cases: Annotated[tuple[Case, ...], Field(min_length=1)]
