"""Reads one YAML document without guessing: no type changes, no aliases, no tags, no doubled keys, line numbers kept.

What a scalar means is decided by the field that takes it (see scalars.py); this module only keeps it as written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from ceopt_tui.errors import InputError, Problem
from schemas.key_names import ABSENT, step
from schemas.yaml_builder import Builder

SPEC_BYTES = 2_000_000
EVALSET_BYTES = 64_000_000

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Path = Sequence[str | int]


@dataclass(frozen=True)
class Document:
    """What a file says: mappings, lists, `Plain` for unquoted scalars and `str` for quoted ones.

    `problems` are those that leave the rest readable; `sound` is false when values were lost with them.
    """

    file: str
    data: Any
    problems: tuple[Problem, ...] = ()
    sound: bool = True
    _lines: dict[int, Any] | None = field(default=None, repr=False)

    def line(self, path: Path) -> int:
        """The line of the last part of `path` that exists, counted from 1; 0 when the data was never a file."""
        lines = self._lines or {}
        line, here = 0 if self._lines is None else 1, self.data
        for part in path:
            known = lines.get(id(here))
            try:
                line, here = known[part], here[part]  # type: ignore[index]
            except (KeyError, IndexError, TypeError):
                break
        return int(line)

    def at(self, path: Path) -> Any:
        """The value at `path`, or None where there is none."""
        here = self.data
        for part in path:
            if (here := step(here, part)) is ABSENT:
                return None
        return here


def load(text: str | bytes, file: str, *, limit: int = SPEC_BYTES) -> Document:
    """The document in `text`. Raises InputError with every problem found."""
    document = read(text, file, limit=limit)
    if document.problems:
        raise InputError(list(document.problems))
    return document


def read(text: str | bytes, file: str, *, limit: int = SPEC_BYTES) -> Document:
    """Like `load`, but gives problems back with what could be read. Raises InputError where nothing can be."""
    source = _decoded(text, file, limit)
    builder = Builder(file)
    try:
        for event in yaml.parse(source, Loader=_LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        raise InputError([*builder.problems, _syntax_problem(error, source, file)]) from None
    return Document(file, builder.root, tuple(builder.problems), builder.sound, builder.lines)


def _decoded(text: str | bytes, file: str, limit: int) -> str:
    size = len(text)
    if size > limit:
        raise InputError([Problem(file, 0, "", f"is {size} bytes; the limit is {limit}")])
    text = (_utf8(text, file) if isinstance(text, bytes) else text).removeprefix("\ufeff")
    found = _UNPRINTABLE.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        what = f"holds the control character U+{ord(found.group()):04X}, which YAML does not allow"
        raise InputError([Problem(file, line, "", what)])
    return text


def _utf8(raw: bytes, file: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = f"is not UTF-8: byte 0x{raw[error.start]:02X} at {error.start}"
        raise InputError([Problem(file, line, "", what)]) from None


def _syntax_problem(error: yaml.MarkedYAMLError, source: str, file: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    number = mark.line + 1 if mark else 1
    lines = source.splitlines()
    shown = lines[number - 1] if number <= len(lines) else ""
    return Problem(file, number, "", _explained(error, shown))


def _explained(error: yaml.MarkedYAMLError, line: str) -> str:
    indentation = line[: len(line) - len(line.lstrip())]
    if "\t" in indentation:
        return "a tab is used for indentation; indent with spaces"
    key, colon, value = line.partition(":")
    value = value.strip()
    if colon and value[:1] in tuple("{[>|%@`&*!"):
        return f"the value of `{key.strip(' -')}` must be put in quotes, because {value[0]} has a meaning of its own"
    if colon and ": " in value:
        return f"the value of `{key.strip(' -')}` holds a colon and must be put in quotes"
    return f"is not valid YAML: {error.problem or error.context}"
