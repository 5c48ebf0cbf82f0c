"""A row of promptfoo's table of tests as a test: columns with two underscores are about it, others its variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_EXPECTED = re.compile(r"__expected\d*")
_SPECIAL = re.compile(r"__(expected\d*|description|prefix|suffix|metric|threshold|metadata:.*|config:.*|provider.*)")
_READ = re.compile(r"__(expected\d*|description|prefix|suffix|metric|threshold|metadata:.*)")
_KINDS = (
    "agent-rubric|answer-relevance|bleu|character-count|classifier|contains|contains-all|contains-any|contains-html|"
    "contains-json|contains-sql|contains-xml|context-faithfulness|context-recall|context-relevance|"
    "conversation-relevance|cost|ends-with|equals|factuality|finish-reason|g-eval|gleu|guardrails|icontains|"
    "icontains-all|icontains-any|is-html|is-json|is-refusal|is-sql|is-valid-function-call|"
    "is-valid-openai-function-call|is-valid-openai-tools-call|is-xml|javascript|latency|levenshtein|llm-rubric|meteor|"
    "model-graded-closedqa|model-graded-factuality|moderation|perplexity|perplexity-score|pi|python|regex|rouge-n|ruby|"
    "search-rubric|similar|starts-with|tool-call-f1|trace-error-spans|trace-span-count|trace-span-duration|webhook|"
    "word-count"
)
_PROGRAMS = re.compile(r"(?:fn|eval|grade):[\s\S]*|file://[\s\S]*")
_ASSERTION = re.compile(rf"(?P<kind>(?:not-)?(?:{_KINDS}))(?:\([\d.]+\))?(?::(?P<value>[\s\S]*))?")


def is_expected(column: str) -> bool:
    """Whether a column holds assertions."""
    return _EXPECTED.fullmatch(column) is not None


def test_of(cells: Mapping[str, str]) -> dict[str, Any]:
    """The test of a row, in the form of a configuration."""
    metadata = {
        name.removeprefix("__metadata:").removesuffix("[]"): value
        for name, value in cells.items()
        if name.startswith("__metadata:")
    }
    return {
        "vars": {name: value for name, value in cells.items() if not _SPECIAL.fullmatch(name)},
        "assert": [written(text) for name, text in cells.items() if is_expected(name) and text.strip()],
        "metadata": metadata,
        "threshold": cells.get("__threshold") or None,
        "options": {name: cells[f"__{name}"] for name in ("prefix", "suffix") if cells.get(f"__{name}")},
    }


def unused(cells: Mapping[str, str]) -> tuple[str, ...]:
    """Columns that mean something to promptfoo, and nothing here."""
    return tuple(
        name for name, text in cells.items() if text and _SPECIAL.fullmatch(name) and not _READ.fullmatch(name)
    )


def written(text: str) -> dict[str, Any]:
    """An assertion written into a cell: `contains: Paris`; without a known type the cell is the wanted output."""
    if _PROGRAMS.fullmatch(text):
        return {"type": "llm-rubric" if text.startswith("grade:") else "javascript"}
    found = _ASSERTION.fullmatch(text.strip())
    if found is None:
        return {"type": "equals", "value": text}
    kind, value = found["kind"], (found["value"] or "").strip()
    several = kind.removeprefix("not-").removeprefix("i") in ("contains-any", "contains-all")
    return {"type": kind, "value": [part.strip() for part in value.split(",")] if several else value}
