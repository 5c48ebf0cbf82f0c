"""The report as it is read on a terminal: Markdown with its wide tables turned into short blocks."""

from __future__ import annotations

import re

from ceopt_tui.core.visible import visible
from ceopt_tui.ui.marks import word_mark

_CELLS = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r"^(~{3,})")
_KEPT_FROM_ACTING = re.compile(r"\\(?=<[A-Za-z/!?])|(?<=\])\\(?=\()")
_KEPT_FROM_LEADING = re.compile(r"^((?:- )?)\\(?=[#>=+*~`\d|-])")
_NO_TABLE: tuple[str, ...] = ()
OUTCOMES = "outcome"  # the second column of a table of experiments


def report_text(markdown: str) -> str:
    """The report's text for a narrow screen. Diffs stay as they are, control characters become marks."""
    lines: list[str] = []
    fence, head = "", _NO_TABLE  # of the diff, of the table we are in
    for line in visible(markdown).split("\n"):
        if fence or (found := _FENCE.match(line)):
            if not fence:
                assert found is not None
                fence = found[1]
            elif line == fence:
                fence = ""
            else:
                lines.append(line)
        elif not line.startswith("|"):
            head = _NO_TABLE
            lines.append(_plain(_KEPT_FROM_LEADING.sub(r"\1", line)))
        elif not head:
            head = _cells(line)
        else:
            lines += _row(head, _cells(line))
    return "\n".join(lines)


def _cells(line: str) -> tuple[str, ...]:
    return tuple(_plain(cell.strip()).replace("\\|", "|") for cell in _CELLS.split(line.strip()[1:-1]))


def _plain(text: str) -> str:
    """Without the backslashes that keep a Markdown reader from acting on foreign text."""
    return _KEPT_FROM_ACTING.sub("", text)


def _row(head: tuple[str, ...], cells: tuple[str, ...]) -> list[str]:
    """The first cell, then what there is to say of it; an experiment has its outcome as a mark."""
    if set("".join(cells)) <= {"-"} and len(cells) == len(head):
        return []
    first, second, *rest = (*cells, "")
    if head[1:2] == (OUTCOMES,):
        tried, *more = filter(None, rest) if any(rest) else ("",)
        return [f"{first}  {word_mark(second)}: {tried}".rstrip(), *(f"         {cell}" for cell in more)]
    named = [f"{name} {cell}" for name, cell in zip(head[1:], cells[1:], strict=False) if cell]
    return [f"{first}: {', '.join(named)}" if named else first]
