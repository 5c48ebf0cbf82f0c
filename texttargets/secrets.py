"""Takes credentials out of recorded texts before anything is stored.

A secret is recognised by its shape or, where a name or a header announces one, by its randomness; what was recognised
once is taken out wherever it stands again. Every one is stored as the same mark, so that the next import finds the same
text. E-mail addresses, paths, hashes and ordinary words are none. A finding never carries the value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from texttargets.secret_shapes import ANNOUNCED, SECRET_NAME, SHAPES
from texttargets.secret_signs import MARK, Shape, chosen
from texttargets.secret_tokens import LONG_RUN

AGAIN = "secret seen elsewhere"
_TELLING = 6  # characters from which a password with digits or signs is known again
_AT_ONCE = 500  # values that are looked for together

Known = dict[str, None]
"""Values that were recognised, in the order they were met."""


def redact(text: str, known: Known | None = None) -> tuple[str, tuple[str, ...]]:
    """The text with every secret replaced, and the kinds in the order of the text; adds the values to `known`."""
    findings: list[tuple[int, str]] = []
    lowered = text.lower()
    for shape in SHAPES if LONG_RUN.search(text) else ANNOUNCED:
        for mark in shape.marks:
            if mark in lowered:
                text, found = _replace(shape, text, known)
                findings += found
                break
    return text, tuple(kind for _, kind in sorted(findings))


def redact_value(value: Any, name: str = "", known: Known | None = None) -> tuple[Any, tuple[str, ...]]:
    """The same for a JSON value; a text stored under a name like `password` is a secret by its name."""
    if isinstance(value, str):
        if SECRET_NAME.fullmatch(name) and chosen(value):
            _note(value, known)
            return MARK, (_named(name),)
        return redact(value, known)
    if isinstance(value, dict):
        redacted = {key: redact_value(item, str(key), known) for key, item in value.items()}
        return {key: item for key, (item, _) in redacted.items()}, _kinds(redacted.values())
    if isinstance(value, list | tuple):
        items = [redact_value(item, known=known) for item in value]
        return type(value)(item for item, _ in items), _kinds(items)
    return value, ()


def repeats(known: Known) -> list[re.Pattern[str]]:
    """What finds the known values where nothing announces them, longer ones first."""
    values = sorted(known, key=lambda value: (-len(value), value))
    return [
        re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, values[at : at + _AT_ONCE]))})(?![A-Za-z0-9])")
        for at in range(0, len(values), _AT_ONCE)
    ]


def without_repeats(value: Any, patterns: list[re.Pattern[str]]) -> tuple[Any, int]:
    """The JSON value without the secrets that the patterns find, and how many they were."""
    if isinstance(value, str):
        count = 0
        for pattern in patterns:
            value, more = pattern.subn(MARK, value)
            count += more
        return value, count
    if isinstance(value, dict):
        parts = {key: without_repeats(item, patterns) for key, item in value.items()}
        return {key: item for key, (item, _) in parts.items()}, sum(count for _, count in parts.values())
    if isinstance(value, list | tuple):
        items = [without_repeats(item, patterns) for item in value]
        return type(value)(item for item, _ in items), sum(count for _, count in items)
    return value, 0


def _kinds(redacted: Any) -> tuple[str, ...]:
    return tuple(kind for _, kinds in redacted for kind in kinds)


def _replace(shape: Shape, text: str, known: Known | None) -> tuple[str, list[tuple[int, str]]]:
    pieces, found, done = [], [], 0
    for start, end, kind in _matches(shape, text):
        _note(text[start:end], known)
        pieces += [text[done:start], MARK]
        found.append((start, kind))
        done = end
    return "".join(pieces) + text[done:], found


def _note(value: str, known: Known | None) -> None:
    """Keeps a value by which it is known again; a plain word as password would blot out the word everywhere."""
    telling = not value.isalpha() and any(map(str.isalpha, value)) and "\n" not in value
    if known is not None and telling and len(value) >= _TELLING:
        known[value.rstrip(".,!?;)")] = None


def _matches(shape: Shape, text: str) -> Iterator[tuple[int, int, str]]:
    for match in shape.pattern.finditer(text):
        group = "value" if "value" in match.re.groupindex else 0
        value = match[group]
        if MARK not in value and shape.accept(value):
            kind = _named(match["name"]) if "name" in match.re.groupindex else shape.kind
            yield match.start(group), match.end(group), kind


def _named(name: str) -> str:
    return "password" if re.search(r"(?i)pass|pwd", name) else "secret"
