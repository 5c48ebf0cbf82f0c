"""A line to search a list with: the cursor goes to what has all the words. Narrows nothing and changes no row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from ceopt_tui.ui.widgets.table import RowTable

HOW = "enter or ↓ the next, ↑ the one before, esc ends"
WORDS = f"words; {HOW}"
NOTHING = "nothing found"

Texts = Callable[[], Iterable[tuple[str, str]]]  # key of a row, and what is searched of it


class SearchLine(Horizontal):
    """Hidden until it is opened; gives the focus back to its list when it is closed."""

    DEFAULT_CSS = """
    SearchLine {
        height: 1;
        background: $panel;
        Input, Input:focus { border: none; height: 1; padding: 0 1; width: 1fr; background: $panel; }
        Static { width: auto; padding: 0 1; color: $foreground-muted; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "go(1)", "Next", show=False),
        Binding("up", "go(-1)", "Before", show=False),
        Binding("escape", "close", "End", show=False),
    ]

    def __init__(self, table: RowTable, texts: Texts, *, id: str = "search") -> None:
        super().__init__(id=id)
        self._table = table
        self._texts = texts
        self.display = False

    def compose(self) -> ComposeResult:
        yield Input(placeholder=WORDS)
        yield Static(markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False

    def open(self) -> None:
        """Shows the line, with the words of the last search to be typed over."""
        self.display = True
        line = self.query_one(Input)
        line.select_all()
        line.focus()

    def action_close(self) -> None:
        self.query_one(Input).value = ""
        self.display = False
        self._table.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.display:
            self._go(0)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._go(1)

    def action_go(self, step: int) -> None:
        self._go(step)

    def _go(self, step: int) -> None:
        """To the match `step` further on from the cursor, round the end of the list; 0 stays on a match."""
        words = self.query_one(Input).value.casefold().split()
        rows = self._matches(words) if words else []
        said = ""
        if rows:
            place = _place(rows, self._table.cursor_row, step)
            self._table.move_cursor(row=rows[place])
            said = f"{place + 1:,} of {len(rows):,}; {HOW}"
        self.query_one(Static).update(said or (NOTHING if words else ""))

    def _matches(self, words: list[str]) -> list[int]:
        """Places in the list, in its order, of the rows that have every word."""
        table = self._table
        found = (key for key, text in self._texts() if key in table.rows and _has(text.casefold(), words))
        return sorted(table.get_row_index(key) for key in found)


def _has(text: str, words: list[str]) -> bool:
    return all(word in text for word in words)


def _place(rows: list[int], cursor: int, step: int) -> int:
    if step < 0:
        return next((place for place in reversed(range(len(rows))) if rows[place] < cursor), len(rows) - 1)
    return next((place for place, row in enumerate(rows) if row >= cursor + step), 0)
