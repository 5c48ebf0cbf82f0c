"""The case that `ceopt init` writes to be replaced, and how it is known while it is still there."""

from __future__ import annotations

import re
from typing import Any

from schemas.evalset import Case
from texttargets.placeholders import find_placeholders, names_of, root_of

_INPUT = "Put an input here that went wrong."
_EXPECTED = "The answer you wanted"
_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")

UNTOUCHED = "is the example that `ceopt init` wrote: put a recorded failure in its place"


def example_case(text: str, syntax: str) -> Case:
    """A case to replace; of a template with something for each placeholder."""
    return Case(
        id="example",
        input=_values(text, syntax) or _INPUT,
        expected=_EXPECTED,
        observed="The answer you got",
        went_wrong="Why that is wrong. Replace this case, and add at least four more.",
        tags=("example",),
    )


def is_example(case: Case) -> bool:
    """Does it hold words that only stand there to be replaced?"""
    return case.expected == _EXPECTED or _INPUT in _texts(case.input)


def _values(text: str, syntax: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    names = names_of(text, syntax)
    marks = [mark.name or mark.text.lstrip("{- ") for mark in find_placeholders(text, syntax)]
    paths = {match[0] for mark in marks if (match := _PATH.match(mark)) and root_of(match[0]) in names}
    for path in sorted({*paths, *names}, key=lambda path: (-path.count("."), path)):
        *folders, last = path.split(".")
        at = values
        for folder in folders:
            at = at.setdefault(folder, {})
        at.setdefault(last, _INPUT)
    return {name: values[name] for name in names}


def _texts(value: object) -> list[object]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _texts(inner)]
    return [value]
