"""Two runs side by side, below a word on whether their scores can be compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Footer, Static

from ceopt_tui.core.run_comparison import RunComparison, compare_runs, verdict_lines
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.screens.reading import ReadingScreen
from ceopt_tui.ui.styled import MUTED, Line, lines_of
from ceopt_tui.ui.widgets.reading import Prose, Reading

LABEL_CELLS, GAP_CELLS = 11, 2
NOTHING = Content("")


class SideBySide(Prose):
    """A label and two values a row, wrapped in columns of the same width."""

    def __init__(self, rows: Sequence[tuple[str, str, str]]) -> None:
        super().__init__([Line(NOTHING)])
        self._rows = rows

    def _at(self, width: int) -> Content:
        return Content("\n").join(line for row in self._rows for line in _row(row, width))


def _row(row: tuple[str, str, str], width: int) -> Iterator[Content]:
    column = max(1, (width - LABEL_CELLS - GAP_CELLS) // 2)
    label, *values = row
    parts = [Content(value).wrap(column) if value else [NOTHING] for value in values]
    for place, (left, right) in enumerate(zip_longest(*parts, fillvalue=NOTHING)):
        head = Content.styled(f"{'' if place else label:<{LABEL_CELLS}}", MUTED)
        yield head + left + Content(" " * (column + GAP_CELLS - left.cell_length)) + right


class CompareScreen(ReadingScreen):
    """A text to read whose columns follow the width; `y` copies it whole."""

    def __init__(self, names: str, pair: tuple[RunEntry, RunEntry]) -> None:
        found = compare_runs(pair[0].state, pair[1].state)
        self._found, self._pair = found, pair
        self._verdict = "\n".join(said(line) for line in verdict_lines(found))
        super().__init__(f"{names}, side by side", f"{self._verdict}\n\n{_as_text(found, pair)}")

    def compose(self) -> ComposeResult:
        yield Static(Content.styled(self._title, "bold"), id="title", markup=False)
        first, second = (one_line(entry.name) for entry in self._pair)
        rows = [
            ("Run", first, second),
            *((label, one_line(left), one_line(right)) for label, left, right in self._found.rows),
        ]
        yield Reading(lines_of(f"{self._verdict}\n"), id="text", below=SideBySide(rows))
        yield Footer(show_command_palette=False)


def _column(found: RunComparison, side: int) -> str:
    """One run, a line for each fact."""
    return "\n".join(f"{label:<{LABEL_CELLS}}{values[side]}" for label, *values in found.rows)


def _as_text(found: RunComparison, pair: tuple[RunEntry, RunEntry]) -> str:
    return "\n\n".join(f"{one_line(entry.name)}\n{_column(found, side)}" for side, entry in enumerate(pair))
