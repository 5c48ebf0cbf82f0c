"""The unified diff of a target's texts, as people and patches read it. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from ceopt_tui.core.word_diff import lines_of


def text_diff(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Unified diff of all changed files; empty when none changed."""
    lines: list[str] = []
    for path in sorted(after):
        old, new = before.get(path, ""), after[path]
        if old != new:
            lines += difflib.unified_diff(lines_of(old), lines_of(new), f"a/{path}", f"b/{path}", n=2)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
