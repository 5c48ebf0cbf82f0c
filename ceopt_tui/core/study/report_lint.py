"""Finds figures in a report that do not say what they are worth. Names in code spans are no figures."""

from __future__ import annotations

import re

_CODE = re.compile(r"`[^`\n]*`")
_FIGURE = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+|(?=\s?%))")
_TAG = re.compile(r"\[(?:measured|soft|underpowered)\]")


def bare_figures(report: str) -> tuple[str, ...]:
    """Every decimal or percentage with no tag behind it in its line, or its cell of a table."""
    return tuple(
        found[0]
        for line in report.splitlines()
        for piece in _CODE.sub("", line).split("|")
        for found in _FIGURE.finditer(piece)
        if not _TAG.search(piece, found.end())
    )
