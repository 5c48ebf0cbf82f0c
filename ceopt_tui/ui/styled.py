"""Plain text as styled lines with hanging indents. The text is literal; styles repeat what signs say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.text import Text
from textual.content import Content

from ceopt_tui.core.visible import visible
from ceopt_tui.ui.marks import Mark, Tone

LABEL_CELLS = 8
MUTED = "$foreground-muted"
_TONES: dict[Tone, str] = {
    "good": "$text-success",
    "bad": "$text-error",
    "unsure": "$text-warning",
    "alarm": "$text-error bold",
    "busy": "$text-accent",
    "quiet": "",
}
# Cells of a table take terminal attributes only, no theme variables.
_CELL_STYLES: dict[Tone, str] = {"alarm": "bold", "good": "bold", "busy": "italic"}
_DIFF_STARTS = frozenset(" +-@\\")
_DIFF_STYLES = (("+++", "bold"), ("---", "bold"), ("@@", "$text-accent"), ("+", "$text-success"), ("-", "$text-error"))
# What a wrapped line hangs from: a label with its gap, else a bullet or its own indent.
_LABEL = re.compile(r"\S.{0,11}?\s{2,}(?=\S)")
_INDENT = re.compile(r"\s*[-*✓✗!?+] (?=\S)|\s{4,}(?=\S)")
_DEEPEST_HANG = 14


@dataclass(frozen=True)
class Line:
    """One line; when it is too long its rest goes on below, `hang` cells in. `verbatim` lines keep every blank."""

    content: Content
    hang: int = 0
    verbatim: bool = False


def marked(mark: Mark) -> Content:
    """A sign with its word."""
    return Content.styled(str(mark), _TONES[mark.tone])


def signed(mark: Mark) -> tuple[str, str]:
    """The sign alone and its style."""
    return mark.sign, _TONES[mark.tone]


class Cell(Text):
    """Text that is not measured: columns have widths of their own, and measuring is half of what a long list costs."""

    __rich_measure__ = None  # type: ignore[assignment]


def cell(text: str) -> Text:
    """A table cell with exactly this text, cut at the column's end."""
    return Cell(text, no_wrap=True, overflow="ellipsis", end="")


def mark_cell(mark: Mark) -> Text:
    """A table cell with a sign and its word."""
    return Cell(str(mark).strip(), _CELL_STYLES.get(mark.tone, ""), no_wrap=True, overflow="ellipsis", end="")


def fact_lines(pairs: Iterable[tuple[str, str]]) -> list[Line]:
    """Labels and sentences, one pair a line."""
    return [Line(Content.assemble((f"{label:<{LABEL_CELLS}}", MUTED), text), LABEL_CELLS) for label, text in pairs]


def lines_of(text: str) -> list[Line]:
    """Text for reading; lines of a diff in it and headings of Markdown stand out."""
    lines, in_diff, label = [], False, 0
    for line in text.split("\n"):
        in_diff = line.startswith("--- ") or (in_diff and line[:1] in _DIFF_STARTS)
        if in_diff:
            lines.append(_diff_line(line))
            continue
        label = _label_cells(line, label)
        lines.append(_line(line, label))
    return lines


def literal_lines(text: str) -> list[Line]:
    """Text of a model or a case just as it is, control characters as marks; nothing in it stands out."""
    return [Line(Content.styled(line)) for line in visible(text).split("\n")]


def _label_cells(line: str, above: int) -> int:
    """Width of the line's label with its gap; below a labelled line one blank in the same place is gap enough."""
    found = _LABEL.match(line)
    if found and len(found[0]) <= _DEEPEST_HANG:
        return len(found[0])
    return above if above and line[above - 1 : above] == " " and line[above : above + 1].strip() else 0


def _diff_line(line: str) -> Line:
    style = next((style for start, style in _DIFF_STYLES if line.startswith(start)), "")
    return Line(Content.styled(line, style), hang=1, verbatim=True)


def _line(line: str, label: int) -> Line:
    if label:
        return Line(Content.styled(line).stylize(MUTED, 0, label), label)
    found = _INDENT.match(line)
    hang = len(found[0]) if found and len(found[0]) <= _DEEPEST_HANG else 0
    return Line(Content.styled(line, "bold" if line.startswith("#") else ""), hang)


def laid_out(lines: Sequence[Line], width: int) -> Content:
    """All lines within `width` cells."""
    return Content("\n").join(part for line in lines for part in _wrapped(line, width))


def _wrapped(line: Line, width: int) -> Iterable[Content]:
    hang = line.hang if line.hang * 2 < width else 0
    if line.content.cell_length <= width or width - hang < 2:
        return [line.content]
    first, rest = line.content[:hang], line.content[hang:]
    parts = rest.fold(width - hang) if line.verbatim else rest.wrap(width - hang)
    return [first + parts[0], *(Content(" " * hang) + part for part in parts[1:])]
