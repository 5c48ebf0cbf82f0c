"""Regular expressions that users write, matched under a time limit: one that never ends must not stop a run.

They are Python's own syntax; `regex` matches them because it can be given a limit, which `re` cannot.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import regex
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator

LIMIT_S = 1.0
UNDECIDED = (
    f"the pattern of the check was not decided within {LIMIT_S:g} s on this output; "
    "repeats inside repeats, as in (a+)+, take that long"
)


class Undecided(Exception):
    """A pattern took longer than the limit on some text."""


def found(pattern: str, text: str, *, full: bool = False) -> bool:
    """Whether the pattern is found in the text, or matches all of it. Raises Undecided past the limit."""
    compiled = _compiled(pattern)
    match = compiled.fullmatch if full else compiled.search
    try:
        return match(text, timeout=LIMIT_S, concurrent=True) is not None
    except TimeoutError:
        raise Undecided from None


def pattern_keyword(
    _validator: Validator, pattern: str, instance: Any, _schema: dict[str, Any]
) -> Iterator[ValidationError]:
    """The keyword `pattern` of JSON Schema under the same limit."""
    if isinstance(instance, str) and not found(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a pattern of the user may use what a later Python reads differently
        return regex.compile(pattern)
