"""A list of rows that a person walks through with arrows or j and k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable


class RowTable(DataTable[Text]):
    """A table with a row cursor; long rows scroll sideways with the left and right arrow."""

    DEFAULT_CSS = """
    RowTable {
        background: $background;
        scrollbar-size-horizontal: 0;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Open", key_display="enter"),
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
    ]

    def __init__(self, columns: tuple[tuple[str, int], ...], *, id: str) -> None:
        super().__init__(id=id, cursor_type="row", zebra_stripes=False)
        self._wanted_columns = columns
        self._waits_at: int | None = None  # the cursor's row while it waits for the rows still to come, to follow them

    def on_mount(self) -> None:
        for label, width in self._wanted_columns:
            self.add_column(Text(label), width=width, key=label)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """An empty list has nothing to open."""
        return action != "select_cursor" or self.row_count > 0

    def put(self, rows: Sequence[tuple[str, tuple[Text, ...]]], *, more: bool = False) -> None:
        """Adds rows by key, or changes those that are there. A cursor on the last row stays on the last row.

        `more` rows are about to come: the cursor goes to the end with the last of them, unless a person moved it.
        """
        was_empty = self.row_count == 0
        follow = was_empty or self.cursor_row in (self.row_count - 1, self._waits_at)
        for key, cells in rows:
            if key in self.rows:
                self._change(key, cells)
            else:
                self.add_row(*cells, key=key)
        if was_empty and self.row_count:
            self.refresh_bindings()
        self._waits_at = self.cursor_row if follow and more else None
        if follow and not more:
            self.move_cursor(row=self.row_count - 1)

    def _change(self, key: str, cells: tuple[Text, ...]) -> None:
        for (label, _), value in zip(self._wanted_columns, cells, strict=True):
            if self.get_cell(key, label) != value:
                self.update_cell(key, label, value)

    @property
    def selected_key(self) -> str | None:
        """The key of the row under the cursor."""
        if not self.row_count:
            return None
        return self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value
