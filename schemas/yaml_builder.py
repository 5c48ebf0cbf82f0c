"""Builds values from YAML parser events, and names everything a strict file must not hold.

Works without recursion, so that depth cannot exhaust the stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from ceopt_tui.errors import InputError, Problem
from schemas.key_names import key_text, visible
from schemas.scalars import Plain

DEPTH = 64


class Builder:
    """Takes the events of one document; `root`, `lines`, `problems` and `sound` are what came of them."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.sound = True
        self.lines: dict[int, Any] = {}
        self.documents = 0
        self.root: Any = None
        self.stack: list[_Open] = []

    def take(self, event: Any) -> None:
        """Takes the next event. Raises InputError when the rest cannot be read."""
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent):
            self._new_document(line)
        elif isinstance(event, yaml.AliasEvent):
            self._lose(line, f"aliases are not allowed (*{event.anchor}); write the value out, or quote the text")
            self._add("", line)
        elif isinstance(event, yaml.ScalarEvent):
            self._check_properties(event, line)
            plain = event.style in (None, "")
            self._add(Plain(event.value) if plain else event.value, line)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            self._check_properties(event, line)
            self._open(event, line)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._close()

    def _new_document(self, line: int) -> None:
        self.documents += 1
        if self.documents > 1:
            raise InputError([*self.problems, Problem(self.file, line, "", "holds more than one YAML document")])

    def _open(self, event: yaml.CollectionStartEvent, line: int) -> None:
        if len(self.stack) >= DEPTH:
            what = f"is nested deeper than {DEPTH} levels"
            raise InputError([*self.problems, Problem(self.file, line, "", what)])
        mapping = isinstance(event, yaml.MappingStartEvent)
        container: Any = {} if mapping else []
        self.lines[id(container)] = {} if mapping else []
        self.stack.append(_Open(container, line, bool(event.flow_style)))

    def _close(self) -> None:
        done = self.stack.pop()
        if isinstance(done.container, dict) and done.flow and done.bare_braces():
            self.lines.pop(id(done.container))
            text = "{" + ", ".join(done.container) + "}"
            if self.stack and self.stack[-1].expects_key():
                self._add(text, done.line)
                return
            self._problem(done.line, f'`{self._place()}` must be text and should be quoted: "{text}"')
            self._add(text, done.line)
            return
        self._add(done.container, done.line)

    def _add(self, value: Any, line: int) -> None:
        if not self.stack:
            self.root = value
            return
        top = self.stack[-1]
        if isinstance(top.container, list):
            top.container.append(value)
            self.lines[id(top.container)].append(line)
        elif top.expects_key():
            self._add_key(top, value, line)
        else:
            lines = self.lines[id(top.container)]
            if top.doubled:
                self.lines.pop(id(value), None)
            else:
                top.container[top.key] = value
                lines[top.key] = top.key_line
            top.key = None

    def _add_key(self, top: _Open, value: Any, line: int) -> None:
        if not isinstance(value, str):
            self._lose(line, "a key must be text, not a mapping or list")
            value = f"line {line}"
        if value == "<<" and isinstance(value, Plain):
            self._lose(line, "merge keys are not allowed (<<); write the keys out")
        first = self.lines[id(top.container)].get(str(value))
        top.key, top.key_line, top.doubled = str(value), line, first is not None
        if top.doubled:
            self._problem(line, f"the key `{value}` stands twice, on lines {first} and {line}")

    def _check_properties(self, event: Any, line: int) -> None:
        if event.anchor is not None:
            self._lose(line, f"anchors are not allowed (&{event.anchor}); quote the text if it starts with &")
        if event.tag is not None:
            self._lose(line, f"tags are not allowed ({_short(event.tag)}); quote the text if it starts with !")

    def _place(self) -> str:
        return next(iter(reversed([entry.key for entry in self.stack if entry.key is not None])), self.file)

    def _key(self) -> str:
        return key_text(list(_parts(self.stack)))

    def _problem(self, line: int, message: str) -> None:
        self.problems.append(Problem(self.file, line, visible(self._key(), 120), visible(message)))

    def _lose(self, line: int, message: str) -> None:
        """One such problem is enough: a file that leans on aliases holds hundreds of them."""
        if self.sound:
            self._problem(line, message)
        self.sound = False


class _Open:
    """A collection that is not closed yet, and the key that waits for its value."""

    __slots__ = ("container", "doubled", "flow", "key", "key_line", "line")

    def __init__(self, container: Any, line: int, flow: bool) -> None:
        self.container = container
        self.line = line
        self.flow = flow
        self.key: str | None = None
        self.key_line = line
        self.doubled = False

    def expects_key(self) -> bool:
        return isinstance(self.container, dict) and self.key is None

    def bare_braces(self) -> bool:
        """Whether this is text in braces, which YAML reads as a mapping without values."""
        values = self.container.values()
        return bool(values) and all(isinstance(value, Plain) and value == "" for value in values)


def _parts(stack: Sequence[_Open]) -> Iterator[str | int]:
    for entry in stack:
        if isinstance(entry.container, list):
            yield len(entry.container)
        elif entry.key is not None:
            yield entry.key


def _short(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")
