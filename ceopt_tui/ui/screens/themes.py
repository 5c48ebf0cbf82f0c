"""The themes screen: what the judge finds wrong, grouped; a person renames, merges, splits and dismisses.

Every edit is one record in the run's journal, so it can be made while the run is at work here.
"""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Input, Static

from ceopt_tui.core.figures import counted
from ceopt_tui.core.themes import known_themes, new_theme_id
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import CeoptError
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.screens.pick import PickScreen
from ceopt_tui.ui.screens.reading import ReadingScreen
from ceopt_tui.ui.screens.split import Split, SplitScreen
from ceopt_tui.ui.styled import cell, fact_lines
from ceopt_tui.ui.theme_rows import ThemeBoard, ThemeRow, cases_text, detail_text, theme_board
from ceopt_tui.ui.widgets.reading import Reading
from ceopt_tui.ui.widgets.table import RowTable
from schemas.judging_records import ThemeEdited

COLUMNS = (("theme", 32), ("cases", 5), ("share", 5), ("trend", 11), ("what would have to change", 120))
LOOK_S = 0.5  # how often it looks whether the run has grouped anew
CLOSED = "Themes can be changed while the run is at work here: go back and press c, then change them."
EDITS = ("rename", "merge", "split", "dismiss_theme")


class ThemesScreen(Screen[None]):
    """The failure themes of one run, live."""

    place: ClassVar[Place] = "themes"
    CSS_PATH = "themes.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("themes")

    def __init__(self, model: RunModel) -> None:
        super().__init__()
        self._model = model
        self._board = ThemeBoard()

    def compose(self) -> ComposeResult:
        name = one_line(self._model.entry.name)
        yield Static(Content.styled(f"Failure themes of {name}", "bold"), id="title", markup=False)
        yield RowTable(COLUMNS, id="themes")
        yield Reading(id="detail")
        yield Input(id="name", classes="hidden")
        yield Static(id="hint", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self.query_one(RowTable).focus()
        self._look()
        self.query_one(RowTable).move_cursor(row=0)
        self.set_interval(LOOK_S, self._look)

    def _look(self) -> None:
        """Takes up what the journal says now."""
        board = theme_board(self._model.state)
        can_edit = self._model.commit is not None
        self.query_one("#hint", Static).update(_hint(board) if can_edit else CLOSED)
        if board == self._board:
            return
        table, chosen = self.query_one(RowTable), self.selected
        self._board = board
        table.clear()
        table.put([(row.id, _cells(row)) for row in board.rows])
        places = [place for place, row in enumerate(board.rows) if chosen is not None and row.id == chosen.id]
        table.move_cursor(row=places[0] if places else 0)
        self._show_detail()
        self.refresh_bindings()

    @property
    def selected(self) -> ThemeRow | None:
        """The theme under the cursor."""
        return self._board.row(self.query_one(RowTable).selected_key)

    def _show_detail(self) -> None:
        panel, row = self.query_one("#detail", Reading), self.selected
        if row is not None:
            panel.border_title = Content(row.name)
            panel.show(fact_lines(detail_text(row)))

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        self._show_detail()
        self.query_one("#detail", Reading).scroll_home(animate=False)
        self.refresh_bindings()

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.action_cases()

    def action_cases(self) -> None:
        row = self.selected
        if row is not None:
            self.app.push_screen(ReadingScreen(row.name, cases_text(self._model.state, row), "the run's journal"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Edits need a theme; while the journal is closed they are shown and explain themselves."""
        row = self.selected if action in EDITS and self.is_mounted else None
        if action not in EDITS:
            return True
        if row is None or row.standing == "unexplained":
            return False
        enough = {"merge": len(self._board.themes) > 1, "split": len(row.cases) > 1}
        return enough.get(action, True)

    # Edits

    async def _edit(self, record: ThemeEdited) -> None:
        commit = self._model.commit
        if commit is None:
            self._explain()
            return
        try:
            await commit(record)
        except CeoptError as error:
            self.notify(said(str(error)), severity="error", timeout=20, markup=False)
        self._look()

    def _explain(self) -> None:
        self.notify(CLOSED, timeout=10, markup=False)

    def _editable(self) -> ThemeRow | None:
        """The chosen theme, where an edit could be put on record now."""
        if self._model.commit is None:
            self._explain()
            return None
        return self.selected

    def action_rename(self) -> None:
        row = self._editable()
        if row is not None:
            field = self.query_one(Input)
            field.value = row.name
            self._ask_name(True)

    def _ask_name(self, asked: bool) -> None:
        field = self.query_one(Input)
        field.set_class(not asked, "hidden")
        (field if asked else self.query_one(RowTable)).focus()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        row, name = self.selected, event.value.strip()
        self._ask_name(False)
        if row is not None and name and name != row.name:
            await self._edit(ThemeEdited(op="rename", theme=row.id, name=name))

    def action_merge(self) -> None:
        row = self._editable()
        if row is None:
            return
        others = [other for other in self._board.themes if other.id != row.id]

        async def picked(place: int | None) -> None:
            if place is not None:
                await self._edit(ThemeEdited(op="merge", theme=row.id, into=others[place].id))

        names = [f"{other.name} ({counted(len(other.cases), 'case')})" for other in others]
        self.app.push_screen(PickScreen(f"Merge “{row.name}” into which theme?", names), picked)

    def action_split(self) -> None:
        row = self._editable()
        if row is None:
            return

        async def split(given: Split | None) -> None:
            if given is not None:
                judging = self._model.state.judging
                fresh = new_theme_id(known_themes(judging.groupings, judging.edits))
                record = ThemeEdited(op="split", theme=row.id, into=fresh, name=given.name, cases=given.cases)
                await self._edit(record)

        self.app.push_screen(SplitScreen(row.name, row.cases), split)

    async def action_dismiss_theme(self) -> None:
        row = self._editable()
        if row is not None:
            await self._edit(ThemeEdited(op="restore" if row.standing == "dismissed" else "dismiss", theme=row.id))

    def action_back(self) -> None:
        if self.query_one(Input).has_focus:
            self._ask_name(False)
        else:
            self.dismiss()


def _hint(board: ThemeBoard) -> str:
    cases = sum(len(row.cases) for row in board.rows)
    return f"{counted(len(board.themes), 'theme')}, {counted(cases, 'failing case')} to tune on; enter shows the cases"


def _cells(row: ThemeRow) -> tuple[Text, ...]:
    name = f"- {row.name} (dismissed)" if row.standing == "dismissed" else row.name
    return tuple(map(cell, (name, str(len(row.cases)), row.share, row.trend, row.change)))
