"""The names people give the fields of a case, and what their values say. Knows rows, not cases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from texttargets.strict_json import as_text

# Earlier names win where a record has several.
NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "case_id", "name"),
    "input": ("input", "inputs", "question", "prompt", "query", "user_input", "vars", "messages"),
    "expected": ("expected", "ideal", "expected_output", "expected_answer", "reference", "ground_truth",
                 "reference_answer", "reference_output", "label", "target"),
    "observed": ("observed", "output", "actual", "actual_output", "response", "answer", "completion", "prediction"),
    "went_wrong": ("went_wrong", "reason", "note", "notes", "feedback", "comment", "explanation", "error"),
    "tags": ("tags", "labels"),
    "verdict": ("pass", "passed", "success", "score"),
    "scores": ("scores",),
    "check": ("check",),
    "kind": ("kind",),
    "split": ("split",),
    "source": ("source",),
    "as_imported": ("as_imported",),  # of another import: known, and of no use here
}  # fmt: skip
_KNOWN = frozenset(name for names in NAMES.values() for name in names)
_SIDES: dict[str, Literal["selection", "holdout"]] = {
    "selection": "selection",
    "train": "selection",
    "training": "selection",
    "holdout": "holdout",
    "heldout": "holdout",
    "held_out": "holdout",
    "test": "holdout",
}


@lru_cache(maxsize=4096)  # files have few names and many records
def fold(name: str) -> str:
    """A field name without regard to case and separators: `Expected Output`, `expectedOutput`, `expected-output`."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\s_-]+", "_", parted).lower()


def is_known(name: str) -> bool:
    """Whether a field of this name is imported."""
    return fold(name) in _KNOWN


def sort_fields(values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The values under the names of a case, nulls left out, and the names of the record that were not used."""
    by_name: dict[str, str] = {}
    for name in values:
        if values[name] is not None:
            by_name.setdefault(fold(name), name)
    found: dict[str, Any] = {}
    used = set()
    for field, names in NAMES.items():
        given = next((by_name[name] for name in names if name in by_name), None)
        if given is not None:
            found[field] = values[given]
            used.add(given)
    return found, tuple(name for name in values if name not in used and values[name] is not None)


def side(value: Any) -> Literal["selection", "holdout"] | None:
    """The side of the split a record asks for; None when its word names neither."""
    return _SIDES.get(fold(as_text(value)))


def tags(value: Any) -> tuple[str, ...]:
    """Tags as a list or as one text with commas, semicolons or bars between them."""
    parts = value if isinstance(value, list) else re.split(r"[,;|]", as_text(value))
    return tuple(dict.fromkeys(tag for part in parts if (tag := as_text(part).strip())))
