"""A heat map of rules and cases that draws only what is in sight: thousands of cells cost no more than a screenful."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ceopt_tui.core.visible import fitted
from ceopt_tui.ui.coverage_map import Heat, MapRow

CELL = 2  # terminal cells of one cell of the map
HEAD = 1  # lines above the rows
STATUS_CELLS = 16
SMALLEST_NAMES, LARGEST_NAMES = 36, 80  # terminal cells left of the map
TICK = 5  # every so many cases have their number above them
TINTED: tuple[Heat, ...] = ("loses", "worse", "better", "wins", "touchy", "lost")


class CoverageGrid(ScrollView, can_focus=True):
    """Rules down, cases across; names and numbers stay in sight. Signs say all that colours say."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"coverage--{name}" for name in (*TINTED, "head", "row", "cursor")}
    DEFAULT_CSS = """
    CoverageGrid {
        background: $background;
        .coverage--head { color: $foreground-muted; }
        .coverage--row { background: $boost; text-style: bold; }
        .coverage--cursor { background: $block-cursor-background; color: $block-cursor-foreground; text-style: bold; }
        .coverage--loses { background: $success-muted; color: $text-success; text-style: bold; }
        .coverage--worse { color: $text-success; }
        .coverage--wins { background: $error-muted; color: $text-error; text-style: bold; }
        .coverage--better { color: $text-error; }
        .coverage--touchy { color: $text-warning; }
        .coverage--lost { color: $text-warning; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1, 0)", "Up", show=False),
        Binding("down,j", "step(1, 0)", "Down", show=False),
        Binding("left,h", "step(0, -1)", "Left", show=False),
        Binding("right,l", "step(0, 1)", "Right", show=False),
        Binding("home", "edge(-1)", "First case", show=False),
        Binding("end", "edge(1)", "Last case", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
    ]

    @dataclass
    class Moved(Message):
        """Another cell is under the cursor."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._rows: Sequence[MapRow] = ()
        self._cases = 0
        self._row = self._column = 0

    def show(self, rows: Sequence[MapRow], cases: int) -> None:
        """Replaces the map; the cursor stays on its rule where that is still shown."""
        chosen = self.row.rule if self.row else None
        self._rows, self._cases = rows, cases
        places = [place for place, row in enumerate(rows) if row.rule is chosen]
        self._go(places[0] if places else 0, self._column)
        self._fit()

    @property
    def row(self) -> MapRow | None:
        """The rule under the cursor."""
        return self._rows[self._row] if self._rows else None

    @property
    def column(self) -> int:
        """Place of the case under the cursor."""
        return self._column

    # Drawing

    @property
    def _names(self) -> int:
        """Terminal cells left of the map: what the cells do not need, within bounds."""
        width = self.scrollable_content_region.width
        most = min(LARGEST_NAMES, max(SMALLEST_NAMES, width - self._cases * CELL - 1))
        return min(most, max(0, width - 8 * CELL))

    def _fit(self) -> None:
        self.virtual_size = Size(self._names + self._cases * CELL + CELL - 1, len(self._rows) + HEAD)
        self.refresh()

    def on_resize(self) -> None:
        self._fit()
        self.call_after_refresh(self._reveal)

    def render_line(self, y: int) -> Strip:
        """One line of the window: the numbers of the cases, or a rule with its cells in sight."""
        width, offset = self.scrollable_content_region.width, self.scroll_offset
        place = y - HEAD + offset.y
        if y < HEAD:
            parts = self._head(width)
        elif place < len(self._rows):
            parts = self._line(place, width)
        else:
            parts = []
        return Strip(parts).adjust_cell_length(width, self.rich_style)

    def _columns(self, width: int) -> range:
        """The cases in sight."""
        first = min(self.scroll_offset.x // CELL, max(0, self._cases - 1))
        return range(first, min(self._cases, first + (width - self._names) // CELL))

    def _head(self, width: int) -> list[Segment]:
        style, seen = self._style("head"), self._columns(width)
        numbers = [" "] * (len(seen) * CELL)
        for place, column in enumerate(seen):
            label = str(column + 1) if column == 0 or (column + 1) % TICK == 0 else ""
            room = numbers[place * CELL : place * CELL + len(label)]
            numbers[place * CELL : place * CELL + len(room)] = label[: len(room)]
        if self._column in seen:
            numbers[(self._column - seen.start) * CELL] = "▼"
        return [
            Segment(fitted(f"  {'state':<{STATUS_CELLS - 2}}rule", self._names), style),
            Segment("".join(numbers), style),
        ]

    def _line(self, place: int, width: int) -> list[Segment]:
        row, here = self._rows[place], place == self._row
        base = self._style("row") if here else self.rich_style
        status = f"{'▶' if here else ' '} {row.status.sign} {row.status.word}"
        names = fitted(f"{fitted(status, STATUS_CELLS)} {row.place}: {row.text}", self._names - 1) + " "
        cells = [Segment(names, base)]
        for column in self._columns(width):
            heat = row.heat[column]
            style = base + self._style(heat) if heat in TINTED else base
            if here and column == self._column:
                style = self._style("cursor")
            cells.append(Segment(row.marks[column], style))
            cells.append(Segment(" ", base))
        return cells

    def _style(self, name: str) -> Style:
        return self.get_component_rich_style(f"coverage--{name}")

    # Moving

    def _go(self, row: int, column: int) -> None:
        self._row = max(0, min(row, len(self._rows) - 1))
        self._column = max(0, min(column, self._cases - 1))
        self._reveal()
        self.refresh()
        self.post_message(self.Moved())

    def _reveal(self) -> None:
        """Scrolls by whole cells until the cursor is in sight."""
        region, offset = self.scrollable_content_region, self.scroll_offset
        rows, columns = max(1, region.height - HEAD), max(1, (region.width - self._names) // CELL)
        top = min(max(offset.y, self._row - rows + 1), self._row)
        left = min(max(offset.x // CELL, self._column - columns + 1), self._column)
        self.scroll_to(left * CELL, top, animate=False, immediate=True)

    def action_step(self, rows: int, columns: int) -> None:
        self._go(self._row + rows, self._column + columns)

    def action_edge(self, side: int) -> None:
        self._go(self._row, 0 if side < 0 else self._cases - 1)

    def action_page(self, pages: int) -> None:
        self._go(self._row + pages * max(1, self.scrollable_content_region.height - HEAD), self._column)

    def go_to_next_moved(self) -> None:
        """The next case that moves with this rule, round the end; stays where none does."""
        row = self.row
        moved = [place for place, heat in enumerate(row.heat) if heat in ("loses", "wins")] if row else []
        after = [place for place in moved if place > self._column]
        if moved:
            self._go(self._row, (after or moved)[0])

    def on_click(self, event: Click) -> None:
        column = (event.x - self._names) // CELL + self.scroll_offset.x // CELL
        if event.y >= HEAD:
            self._go(event.y - HEAD + self.scroll_offset.y, column if event.x >= self._names else self._column)
