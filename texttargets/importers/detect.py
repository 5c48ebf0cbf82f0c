"""Tells the format of a file by what is in it, and lists the formats there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ceopt_tui.errors import InputError, Problem
from texttargets.importers import csv_table, json_document, jsonl, promptfoo, yaml_list
from texttargets.importers.records import Item, Source


@dataclass(frozen=True)
class Format:
    """One way failures are written down."""

    name: str
    looks_like: Callable[[Source], bool]
    read: Callable[[Source], Iterator[Item]]


# In the order they are tried: a special export before the general form it is written in.
FORMATS = (
    Format("promptfoo", promptfoo.looks_like, promptfoo.read),
    Format("json", json_document.looks_like, json_document.read),
    Format("jsonl", jsonl.looks_like, jsonl.read),
    Format("csv", csv_table.looks_like, csv_table.read),
    Format("yaml", yaml_list.looks_like, yaml_list.read),
)
# Names people know; the reader of the general form understands them.
ALIASES = {"openai": "jsonl", "tsv": "csv", "yml": "yaml"}
_BY_SUFFIX = {".csv": "csv", ".tsv": "csv", ".yaml": "yaml", ".yml": "yaml", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def format_named(name: str) -> Format:
    """The format of that name. Raises InputError listing all names."""
    wanted = ALIASES.get(name.lower(), name.lower())
    for known in FORMATS:
        if known.name == wanted:
            return known
    names = ", ".join(sorted([*ALIASES, *(known.name for known in FORMATS)]))
    raise InputError([Problem("", 0, "format", f"{name!r} is no format ceopt reads; it reads {names}")])


def detect(source: Source) -> Format:
    """The format of a file: a special export by its content, the rest by the end of its name, then by content."""
    if not source.data.strip(b"\xef\xbb\xbf \t\r\n"):
        raise source.fault("the file is empty")
    named = _BY_SUFFIX.get(source.suffix)
    if named and named != "jsonl":
        return format_named(named)
    found = next((known for known in FORMATS if known.looks_like(source)), None)
    if found is None and named is None:
        raise source.fault("cannot tell the format; name it with --format")
    return found or format_named("jsonl")
