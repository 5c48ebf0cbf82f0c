"""YAML: a list of records, or an eval set. Plain words, dates and numbers like `no`, `007`, `1.10` stay texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from texttargets.importers.json_document import LIST_NAMES
from texttargets.importers.records import BadRow, Item, Row, Source
from texttargets.strict_json import WrittenNumber

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?P<fraction>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?)")
_WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}


class _NoAliases(yaml.SafeLoader):
    """A few hundred bytes of aliases can stand for gigabytes, so they are refused."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(None, None, "aliases (*name) are not allowed", mark)
        return super().compose_node(parent, index)


def looks_like(source: Source) -> bool:
    """Whether the file is called YAML or begins like a list of records."""
    return (
        source.suffix in (".yaml", ".yml")
        or re.match(r"\s*(?:-\s+\w+\s*:|(?:name|cases)\s*:)", source.text) is not None
    )


def read(source: Source) -> Iterator[Item]:
    """Every element of the list. Raises InputError when the file is no YAML."""
    for node in _records(source, compose(source)):
        yield _row(node)


def compose(source: Source) -> yaml.Node | None:
    """The file as nodes with their places. Raises InputError when it is no YAML, or has aliases."""
    try:
        return yaml.compose(source.text, Loader=_NoAliases)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise source.fault(f"not YAML: {error.problem}", line) from None
    except yaml.reader.ReaderError as error:
        line = source.text.count("\n", 0, error.position) + 1
        raise source.fault(f"not YAML: the character U+{error.character:04X} must be escaped", line) from None
    except RecursionError:
        raise source.fault("nested too deeply") from None


def typed(text: str) -> Any:
    """The value of a YAML text with YAML's own types. Raises ValueError when it is none, or has aliases."""
    try:
        return yaml.load(text, Loader=_NoAliases)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _records(source: Source, root: yaml.Node | None) -> list[yaml.Node]:
    if isinstance(root, yaml.SequenceNode):
        return list(root.value)
    if isinstance(root, yaml.MappingNode):
        for name, value in root.value:
            if name.value in LIST_NAMES and isinstance(value, yaml.SequenceNode):
                return list(value.value)
    raise source.fault(f"no list of records; looked for a list, or one under {', '.join(LIST_NAMES)}")


def _row(node: yaml.Node) -> Item:
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.MappingNode):
        return BadRow(line, "not a mapping")
    try:
        return Row(line, value_of(node))
    except ValueError as error:
        return BadRow(line, str(error))


def value_of(node: yaml.Node) -> Any:
    """The value of a node, plain words and dates as texts. Raises ValueError where braces or keys are amiss."""
    if isinstance(node, yaml.SequenceNode):
        return [value_of(item) for item in node.value]
    if not isinstance(node, yaml.MappingNode):
        return _scalar(node)
    found: dict[str, Any] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise ValueError("a key must be a word; put a text with braces in quotes")
        if node.flow_style and value.value == "" and value.style is None:
            raise ValueError(f"{{{key.value}}} is read as a mapping; put a text with braces in quotes")
        if key.value in found:
            raise ValueError(f"key {key.value!r} is given twice")
        found[key.value] = value_of(value)
    return found


def _scalar(node: yaml.Node) -> Any:
    text = str(node.value)
    if not isinstance(node, yaml.ScalarNode) or node.style is not None:
        return text
    if text in _WORDS:
        return _WORDS[text]
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text
    return WrittenNumber(text) if number["fraction"] else int(text)
