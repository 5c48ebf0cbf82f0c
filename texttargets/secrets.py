"""Takes credentials out of recorded texts before anything is stored.

A secret is recognised by its shape or, where a name or a header announces one, by its randomness. E-mail addresses,
paths, hashes and ordinary words are none. A finding never carries the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from texttargets.secret_shapes import MARK, SECRET_NAME, SHAPES, Shape, chosen


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with every secret replaced, and the kinds found in the order of the text."""
    findings: list[tuple[int, str]] = []
    lowered = text.lower()
    for shape in SHAPES:
        if any(mark in lowered for mark in shape.marks):
            text, found = _replace(shape, text)
            findings += found
    return text, tuple(kind for _, kind in sorted(findings))


def redact_value(value: Any, name: str = "") -> tuple[Any, tuple[str, ...]]:
    """The same for a JSON value; a text stored under a name like `password` is a secret by its name."""
    if isinstance(value, str):
        if SECRET_NAME.fullmatch(name) and chosen(value):
            return MARK, (_named(name),)
        return redact(value)
    if isinstance(value, dict):
        redacted = {key: redact_value(item, str(key)) for key, item in value.items()}
        return {key: item for key, (item, _) in redacted.items()}, _kinds(redacted.values())
    if isinstance(value, list | tuple):
        items = [redact_value(item) for item in value]
        return type(value)(item for item, _ in items), _kinds(items)
    return value, ()


def _kinds(redacted: Any) -> tuple[str, ...]:
    return tuple(kind for _, kinds in redacted for kind in kinds)


def _replace(shape: Shape, text: str) -> tuple[str, list[tuple[int, str]]]:
    pieces, found, done = [], [], 0
    for start, end, kind in _matches(shape, text):
        pieces += [text[done:start], MARK]
        found.append((start, kind))
        done = end
    return "".join(pieces) + text[done:], found


def _matches(shape: Shape, text: str) -> Iterator[tuple[int, int, str]]:
    for match in shape.pattern.finditer(text):
        group = "value" if "value" in match.re.groupindex else 0
        value = match[group]
        if MARK not in value and shape.accept(value):
            kind = _named(match["name"]) if "name" in match.re.groupindex else shape.kind
            yield match.start(group), match.end(group), kind


def _named(name: str) -> str:
    return "password" if re.search(r"(?i)pass|pwd", name) else "secret"
