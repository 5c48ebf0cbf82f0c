"""Finds the complete JSON values in a model's reply, whatever stands around them.

Nothing is repaired: no comment removed, no brace closed, no second key dropped.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

_MAX_BROKEN = 50  # a reply with more torn pieces than this is no reply; bounds the work on hostile text
_OPENING = re.compile(r"[{\[]")
_MEANT_AS_JSON = re.compile(r"""\{\s*(?:"|\}|//|/\*|$)|\[\s*(?:[{\["\]]|$)""")


@dataclass(frozen=True)
class Found:
    """`value` is `text` decoded, which begins at `start` of the reply."""

    value: Any
    text: str
    start: int = 0


@dataclass(frozen=True)
class Search:
    """All outermost values of one reply in order. `broken` says why a piece that looks like JSON is none."""

    values: tuple[Found, ...]
    broken: str | None = None


def find_json(reply: str) -> Search:
    """Collect the outermost objects and arrays. Raw line breaks in strings are allowed, NaN and double keys are not."""
    values: list[Found] = []
    broken: list[str] = []
    position = 0
    while (match := _OPENING.search(reply, position)) and len(broken) < _MAX_BROKEN:
        start = match.start()
        try:
            value, position = _DECODER.raw_decode(reply, start)
        except (ValueError, RecursionError) as error:
            position = start + 1
            if _MEANT_AS_JSON.match(reply, start):
                broken.append(_reason(error))
        else:
            values.append(Found(value, reply[start:position], start))
    return Search(tuple(values), broken[0] if broken else None)


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return "the JSON is cut off or damaged"
    return "the JSON is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen = dict(pairs)
    if len(seen) < len(pairs):
        raise ValueError("a key stands there twice")  # without its name: reasons go into the next prompt
    return seen


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys, parse_constant=_no_constant, strict=False)
