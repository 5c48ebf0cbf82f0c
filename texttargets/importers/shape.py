"""Foreign JSON may have any shape: what is not the object or list that was looked for counts as an empty one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from texttargets.strict_json import as_text


def mapping(value: Any) -> Mapping[str, Any]:
    """The value when it is an object."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """The value when it is a list."""
    return value if isinstance(value, list) else []


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects in a list."""
    return [item for item in sequence(value) if isinstance(item, dict)]


def key(value: Any) -> str:
    """An id as text; empty when there is none."""
    return "" if value is None else as_text(value)
