"""The report as it is read on a terminal: Markdown with its wide tables turned into short blocks."""

from __future__ import annotations

import re

from ceopt_tui.core.visible import visible
from ceopt_tui.ui.marks import word_mark

_CELLS = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r"^~{3,}")


def report_text(markdown: str) -> str:
    """The report's text for a narrow screen. Diffs stay as they are, control characters become marks."""
    lines, in_fence = [], False
    for line in visible(markdown).split("\n"):
        if _FENCE.match(line):
            in_fence = not in_fence
        elif not in_fence and line.startswith("|"):
            lines += _row(line)
        else:
            lines.append(line)
    return "\n".join(lines)


def _row(line: str) -> list[str]:
    cells = [cell.strip().replace("\\|", "|") for cell in _CELLS.split(line.strip().strip("|"))]
    if len(cells) != 4 or cells[0] == "experiment" or set("".join(cells)) <= {"-"}:
        return []
    name, outcome, tried, reason = cells
    return [f"{name}  {word_mark(outcome)}: {tried}", *([f"         {reason}"] if reason else [])]
