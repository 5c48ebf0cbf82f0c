"""Reads JSON the way it is specified: no doubled keys, no NaN, no half characters, nothing around the value.

Owns nothing else; what a value means is up to the caller.
"""

from __future__ import annotations

import json
from typing import Any

LONGEST_INTEGER = 4000  # digits; Python itself refuses some more


class WrittenNumber(float):
    """A number with a fraction or exponent that still knows how it was written: `1.10` is not `1.1` as a text."""

    written: str

    def __new__(cls, written: str) -> WrittenNumber:
        number = super().__new__(cls, written)
        if number in (float("inf"), float("-inf")):
            raise ValueError(f"the number {written[:20]} is too large")
        number.written = written
        return number


def loads(text: str) -> Any:
    """The JSON value of the whole text. Raises ValueError with a reason."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ValueError(_reason(text, error)) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    reject_half_characters(value)
    return value


def loads_from(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at `start`, and where it ends. Raises ValueError."""
    return _DECODER.raw_decode(text, start)


def plain(value: Any) -> Any:
    """The value with built-in numbers only."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return float(value) if isinstance(value, WrittenNumber) else value


def as_text(value: Any) -> str:
    """A value as a person would write it: texts and numbers as they are, everything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, WrittenNumber):
        return value.written
    return json.dumps(plain(value), ensure_ascii=False)


def json_equal(left: Any, right: Any) -> bool:
    """Equality of JSON values: 1 equals 1.0, true does not equal 1, the order of keys does not count."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(json_equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(json_equal, left, right))
    return bool(left == right)


def reject_half_characters(value: Any) -> None:
    r"""Raises ValueError when a text in `value` holds half a surrogate pair, as `"\ud83d"` does."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as error:
            half = f"U+{ord(value[error.start]):04X}"
            raise ValueError(f"half of a character ({half}, a cut emoji)") from None
    elif isinstance(value, dict):
        for key, item in value.items():
            reject_half_characters(key)
            reject_half_characters(item)
    elif isinstance(value, list):
        for item in value:
            reject_half_characters(item)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"key {key!r} is given twice")
        found[key] = value
    return found


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _integer(written: str) -> int:
    if len(written) > LONGEST_INTEGER:
        raise ValueError(f"a number of {len(written.lstrip('-'))} digits is too long; put it in quotes")
    return int(written)


def _reason(text: str, error: json.JSONDecodeError) -> str:
    if error.msg == "Extra data":
        following = text[error.pos :].lstrip(" \t,")
        return "two records on one line" if following[:1] in "{[" else "text after the JSON value"
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
        return "the JSON value is cut off"
    place = f"line {error.lineno} column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
    return f"not JSON at {place}: {error.msg}"


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=WrittenNumber, parse_int=_integer
)
