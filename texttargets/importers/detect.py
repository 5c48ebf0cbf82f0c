"""Tells the format of a file by what is in it, and lists the formats there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ceopt_tui.errors import InputError, Problem
from texttargets.importers import (
    braintrust,
    claude_code,
    codex,
    csv_table,
    json_document,
    jsonl,
    junit_xml,
    langfuse,
    langsmith,
    openai_evals,
    openai_platform,
    optimizer_examples,
    otel_spans,
    promptfoo,
    promptfoo_config,
    pytest_json,
    skill_evals,
    skillopt,
    yaml_list,
)
from texttargets.importers.records import Item, Source


@dataclass(frozen=True)
class Format:
    """One way failures are written down."""

    name: str
    looks_like: Callable[[Source], bool]
    read: Callable[[Source], Iterator[Item]]


# In the order they are tried: a format with names that only it has before one that shares them.
EXPORTS = (
    Format("promptfoo", promptfoo.looks_like, promptfoo.read),
    Format("promptfoo-config", promptfoo_config.looks_like, promptfoo_config.read),
    Format("junit", junit_xml.looks_like, junit_xml.read),
    Format("pytest", pytest_json.looks_like, pytest_json.read),
    Format("claude-code", claude_code.looks_like, claude_code.read),
    Format("codex", codex.looks_like, codex.read),
    Format("otel", otel_spans.looks_like, otel_spans.read),
    Format("openai-evals", openai_evals.looks_like, openai_evals.read),
    Format("openai-platform", openai_platform.looks_like, openai_platform.read),
    Format("braintrust", braintrust.looks_like, braintrust.read),
    Format("langsmith", langsmith.looks_like, langsmith.read),
    Format("langfuse", langfuse.looks_like, langfuse.read),
    Format("skill-evals", skill_evals.looks_like, skill_evals.read),
    Format("skillopt", skillopt.looks_like, skillopt.read),
    Format("dspy", optimizer_examples.looks_like, optimizer_examples.read),
)
GENERAL = (
    Format("json", json_document.looks_like, json_document.read),
    Format("jsonl", jsonl.looks_like, jsonl.read),
    Format("csv", csv_table.looks_like, csv_table.read),
    Format("yaml", yaml_list.looks_like, yaml_list.read),
)
FORMATS = (*EXPORTS, *GENERAL)
# Names people know for what another reader understands.
ALIASES = {
    "openai": "jsonl",
    "tsv": "csv",
    "yml": "yaml",
    "phoenix": "otel",
    "gepa": "dspy",
    "skill-creator": "skill-evals",
}
_BY_SUFFIX = {".csv": "csv", ".tsv": "csv", ".yaml": "yaml", ".yml": "yaml", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_BINARY = (
    (b"PK\x03\x04", "a ZIP or spreadsheet file; save the sheet as CSV"),
    (b"PAR1", "a Parquet file; write it as JSONL"),
    (b"SQLite format 3", "an SQLite database; export the table as CSV or JSON"),
    (b"%PDF", "a PDF file"),
    (b"\x1f\x8b", "a gzip file; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd file; unpack it first"),
)


def format_named(name: str) -> Format:
    """The format of that name. Raises InputError listing all names."""
    wanted = ALIASES.get(name.lower(), name.lower())
    for known in FORMATS:
        if known.name == wanted:
            return known
    raise InputError([Problem("", 0, "format", f"{name!r} is no format ceopt reads; it reads {_names()}")])


def detect(source: Source) -> Format:
    """The format of a file: an export by its content, the rest by the end of its name, then by content.

    Raises InputError that says what the file looks like when nothing fits.
    """
    if not source.data.strip(b"\xef\xbb\xbf \t\r\n"):
        raise source.fault("the file is empty")
    binary = next((what for mark, what in _BINARY if source.data.startswith(mark)), None)
    if binary:
        raise source.fault(f"cannot tell the format: it is {binary}")
    named = _BY_SUFFIX.get(source.suffix)
    general = (format_named(named),) if named and named != "jsonl" else GENERAL
    found = next((known for known in EXPORTS if known.looks_like(source)), None)
    if found is None and len(general) == 1:
        return general[0]
    found = found or next((known for known in general if known.looks_like(source)), None)
    if found is None and named is None:
        problem = Problem(source.name, 0, "", f"cannot tell the format: it is {_seen(source)}")
        raise InputError([problem], f"ceopt reads {_names()}; name one of them with --format.")
    return found or format_named("jsonl")


def _names() -> str:
    return ", ".join(sorted([*ALIASES, *(known.name for known in FORMATS)]))


def _seen(source: Source) -> str:
    """What a file looks like to a reader that knows no more than JSON and text."""
    keys = ", ".join(map(str, list(source.head[0])[:8])) if source.head else ""
    if isinstance(source.document, dict):
        return f"one JSON object with the keys {keys}, and no list of records in it"
    if isinstance(source.document, list):
        return f"a JSON list of objects with the keys {keys}" if keys else "a JSON list without objects"
    first = next((line for line in source.text.splitlines() if line.strip()), "").strip()
    return f"text that begins with {first[:60]!r}"
