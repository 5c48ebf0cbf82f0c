"""Reading foreign JSON: every value is checked where it is used, and what cannot be read is said by its path."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

_DECIMAL = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_LONGEST_NUMBER = 400  # characters; longer text is no measurement


class Undecidable(ValueError):
    """The payload does not allow a decision; the message says which part."""


def as_number(value: object) -> float | None:
    """A finite number, also from text as measuring commands print it; None for anything else, booleans included."""
    if isinstance(value, str):
        if len(value) > _LONGEST_NUMBER or not _DECIMAL.fullmatch(value):
            return None
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def section(parent: Mapping[str, Any], key: str, path: str = "") -> Mapping[str, Any]:
    """The mapping under `key`; empty when it is missing or null."""
    value = parent.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise Undecidable(f"{path}{key} is not a mapping")
    return value


def entries(parent: Mapping[str, Any], key: str, path: str = "") -> Sequence[Any]:
    """The list under `key`; empty when it is missing or null."""
    value = parent.get(key)
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise Undecidable(f"{path}{key} is not a list")
    return value


def text(parent: Mapping[str, Any], key: str, path: str = "") -> str:
    """The text under `key`, which must be there."""
    value = parent.get(key)
    if not isinstance(value, str) or not value.strip():
        raise Undecidable(f"{path}{key} is missing")
    return value


def choice(parent: Mapping[str, Any], key: str, options: Sequence[str], default: str | None, path: str = "") -> str:
    """One of `options`; `default` when it is missing, where there is one."""
    value = parent.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or value not in options:
        raise Undecidable(f"{path}{key} must be one of {', '.join(options)}")
    return value


def number(parent: Mapping[str, Any], key: str, default: float | None = None, path: str = "") -> float | None:
    """The number under `key`; `default` when it is missing or null."""
    if parent.get(key) is None:
        return default
    value = as_number(parent[key])
    if value is None:
        raise Undecidable(f"{path}{key} is not a number")
    return value


def amount(parent: Mapping[str, Any], key: str, default: float, path: str = "", most: float = math.inf) -> float:
    """A number from 0 to `most`."""
    value = number(parent, key, default, path)
    assert value is not None  # the default is a number
    if not 0 <= value <= most:
        raise Undecidable(f"{path}{key} is out of range")
    return value
