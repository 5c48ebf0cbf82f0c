"""The list of an eval set's cases with one of them in full, and how it stands; changes nothing."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import DataTable, Footer, Input, Static

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import one_line
from ceopt_tui.evalset_runs import open_runs
from ceopt_tui.ui.evalset_board import EvalSetBoard
from ceopt_tui.ui.evalset_rows import CaseRow, standing, warnings
from ceopt_tui.ui.screens.evalset_reading import READING, EvalSetReadingScreen, Looks
from ceopt_tui.ui.styled import MUTED, Line, cell, mark_cell
from ceopt_tui.ui.widgets.columns import Columns
from ceopt_tui.ui.widgets.reading import Reading
from ceopt_tui.ui.widgets.table import RowTable
from schemas.evalset import Case

COLUMNS = (("case", 18), ("kind", 7), ("side", 11), ("look at", 10), ("input", 60), ("tags", 40))
LABEL_CELLS = 12  # as the labels of the fields below
SLICE = 200  # rows put into the list at once: more would be felt as a stall
LOOK_S = 5.0  # how often it looks whether a run has opened or ended


class EvalSetListScreen(EvalSetReadingScreen):
    """One eval set file, read."""

    def __init__(self, path: Path, *, seed: int = 7, share: float | None = None, looks: Looks = open_runs) -> None:
        super().__init__(path, seed=seed, share=share, looks=looks)
        self._in_table: tuple[str, ...] = ()
        self._rows_in_table: dict[str, CaseRow] = {}
        self.cursor: str | None = None  # the case to go to once it is listed
        self._in_footer: tuple[object, ...] = ()
        self._said: dict[str, str] = {}  # what stands in the lines

    def compose(self) -> ComposeResult:
        with Horizontal(id="title"):
            yield Static(Content.styled(f"Eval set {one_line(self.path.name)}", "bold"), id="name", markup=False)
            yield Static("… reading", id="unsaved", markup=False)
        yield Static(id="filter", markup=False)
        yield RowTable(COLUMNS, id="cases")
        yield Reading(id="detail", below=Columns(id="texts"))
        yield Input(id="word", classes="hidden", select_on_focus=False)
        yield Static(id="standing", markup=False)
        yield Static(id="hint", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self.query_one(RowTable).focus()
        self.work(self._open, READING)
        self.set_interval(LOOK_S, self._look)

    # What is on the screen

    def show(self) -> None:
        """Brings every part up to the board."""
        board = self.board
        if board is None or not self.is_attached:
            return
        board.refresh()
        with self.app.batch_update():
            self._show_lines(board)
            self._list(board)
            self._show_detail()
        self.offer()

    def _show_lines(self, board: EvalSetBoard) -> None:
        words = board.filter.words
        of_all = f"{counted(len(board.listed), 'case')} of {len(board.cases):,}: {words}  (esc lists all)"
        self._say("filter", of_all if words else "all cases")
        at_work = f"… {self.busy}  " if self.busy else ""
        self._say("unsaved", at_work + ("* not saved" if board.unsaved else "saved"))
        report = board.report
        self._say("standing", standing(report) if report else "")
        names = ", ".join(map(one_line, board.held.runs))
        lines = [f"! {names} is open: held-out cases are hidden and cannot be changed"] if names else []
        first, *more = (warnings(report) if report else []) or [""]
        lines += [f"! {first}" + (f" (c shows {len(more)} more)" if more else "")] if first else []
        self.query_one("#hint", Static).display = bool(lines)
        self._say("hint", "\n".join(lines))

    def _say(self, place: str, text: str) -> None:
        """Each new text lays the whole screen out again."""
        if self._said.get(place) != text:
            self._said[place] = text
            self.query_one(f"#{place}", Static).update(Content(text))

    def _list(self, board: EvalSetBoard) -> None:
        """Puts the next slice into the table; the cursor stays on its case, wherever that stands now."""
        table = self.query_one(RowTable)
        if board.listed[: len(self._in_table)] != self._in_table:
            self.cursor = self.cursor or table.selected_key
            table.clear()
            self._in_table, self._rows_in_table = (), {}
        before, upto = len(self._in_table), board.listed[: len(self._in_table) + SLICE]
        row = table.cursor_row if before else 0
        rows = [board.rows[case_id] for case_id in upto]
        table.put([(row.id, _cells(row)) for row in rows if row != self._rows_in_table.get(row.id)])
        self._in_table, self._rows_in_table = upto, {row.id: row for row in rows}
        if self.cursor in upto:
            row, self.cursor = upto.index(self.cursor), None
        table.move_cursor(row=row)
        if len(upto) < len(board.listed):
            self.call_after_refresh(self._list_more)
        else:
            self.cursor = None

    def _list_more(self) -> None:
        if self.board is not None and self.is_attached:
            self._list(self.board)

    @property
    def selected(self) -> Case | None:
        """The case under the cursor, or the one it is about to go to."""
        if self.board is None or not self.is_mounted:
            return None
        return self.board.draft.case(self.cursor or self.query_one(RowTable).selected_key)

    def _show_detail(self) -> None:
        board, case, panel = self.board, self.selected, self.query_one("#detail", Reading)
        if board is None or case is None:
            panel.border_title = "No case"
            words = board.filter.words if board is not None else ""
            panel.show(
                [Line(Content(f"No case fits: {words}. esc lists all cases again.")) if words else Line(Content(""))]
            )
            self.query_one(Columns).show_texts([])
            return
        panel.border_title = Content(one_line(case.id))
        panel.show(
            [
                Line(Content.assemble((f"{label:<{LABEL_CELLS}}", MUTED), text), LABEL_CELLS)
                for label, text in board.facts(case)
            ]
        )
        self.query_one(Columns).show_texts(board.texts(case))

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        self._show_detail()
        self.query_one("#detail", Reading).scroll_home(animate=False)
        self.offer()

    def offer(self) -> None:
        """Brings the footer up to what can be done now; it is made anew for that, so only where something changed."""
        now = self.offered
        if now != self._in_footer:
            self._in_footer = now
            self.refresh_bindings()

    @property
    def offered(self) -> tuple[object, ...]:
        """All that what can be done depends on."""
        return (self.board is not None, self.selected is not None)

    def changed(self) -> None:
        """The cases are no longer what they were."""
        self.busy = self.busy or "checking"
        self.show()
        self._examine()


def _cells(row: CaseRow) -> tuple[Text, ...]:
    look = mark_cell(row.look) if row.look.sign else cell("")
    return (cell(one_line(row.id)), cell(row.kind), cell(row.side), look, cell(row.excerpt), cell(row.tags))
