"""The eval set builder: all cases with filters, one case in full, every edit one step that can be taken back.

Held-out cases of an open run are neither shown nor changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from textual.binding import BindingType
from textual.widgets import DataTable, Input

from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import SetupError
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.evalset_rows import CaseFilter, narrowed
from ceopt_tui.ui.messages import CoverageWanted
from ceopt_tui.ui.screens.confirm import ConfirmScreen
from ceopt_tui.ui.screens.evalset_case import EvalSetCaseScreen
from ceopt_tui.ui.screens.evalset_trial import EvalSetTrialScreen
from ceopt_tui.ui.screens.pick import PickScreen
from ceopt_tui.ui.screens.reading import ReadingScreen
from ceopt_tui.ui.widgets.table import RowTable
from schemas.evalset import Case
from texttargets.evalset_view import report_text

SIDES = {None: "selection", "selection": "holdout", "holdout": None}
OF_CASE = ("open_case", "kind", "side", "tags", "delete", "try")
NO_MAP = "Only a spec says which text: open the set with v from the list of runs, or with `ceopt evalset edit SPEC`."
TAGS = "tags, with commas between; enter keeps them, esc drops them"
WORDS = "words that are in the case; enter keeps the list, esc clears it"


class EvalSetScreen(EvalSetTrialScreen):
    """One eval set file while a person works on it."""

    place: ClassVar[Place] = "evalset"
    CSS_PATH = "evalset.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("evalset")
    spec: RunOptions | None = None  # that the set was opened from
    _asking = ""  # what the line of input is for

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What makes no sense now is not offered."""
        board = self.board
        if action in OF_CASE:
            return self.selected is not None
        if action in ("undo", "save"):
            return board is not None and (board.draft.can_undo if action == "undo" else board.unsaved)
        return board is not None or action in ("back", "leave_app")

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.action_open_case()

    # Edits

    def action_open_case(self) -> None:
        case, board = self.editable(), self.board
        if case is None or board is None:
            return

        def take(values: dict[str, Any]) -> None:
            if board.held.hides(case.id):  # a run has opened meanwhile
                raise SetupError(board.held.sentence(case.id))
            board.draft.change(case.id, **values)

        self._write_in(case, ", ".join(text for _, text in board.facts(case)[:2]), take)

    def action_new(self) -> None:
        board = self.board
        assert board is not None

        def add(values: dict[str, Any]) -> None:
            board.filter = CaseFilter()
            self.cursor = board.draft.add(**values)

        self._write_in(None, "what went in, what was wanted, what came out, and why that is a failure", add)

    def _write_in(self, case: Case | None, about: str, take: Callable[[dict[str, Any]], Any]) -> None:
        def written(save: bool | None) -> None:
            self.changed()
            if save:
                self.action_save()

        self.app.push_screen(EvalSetCaseScreen(case, about, take), written)

    def action_kind(self) -> None:
        case = self.editable()
        if case is not None:
            self.edit(case.id, kind="failure" if case.kind == "guard" else "guard")

    def action_side(self) -> None:
        case = self.editable()
        if case is not None:
            self.edit(case.id, split=SIDES[case.split])

    def action_delete(self) -> None:
        case, board = self.editable(), self.board
        if case is None or board is None:
            return
        if len(board.cases) == 1:
            self.notify("An eval set holds one case at least.", markup=False)
            return
        row = self.query_one(RowTable).cursor_row

        def confirmed(yes: bool | None) -> None:
            if yes:
                board.draft.remove(case.id)
                left = [case_id for case_id in board.listed if case_id != case.id]
                self.cursor = left[min(row, len(left) - 1)] if left else None
                self.changed()

        question = f"Take the case {one_line(case.id)} out of the set? u brings it back."
        self.app.push_screen(ConfirmScreen(question, "take it out", "leave it in"), confirmed)

    def action_undo(self) -> None:
        if self.board is not None:
            what = self.board.draft.undo()
            self.changed()
            self.notify(f"Taken back: {one_line(what)}", timeout=4, markup=False)

    # The line of input: tags, and words to search for

    def action_tags(self) -> None:
        case = self.editable()
        if case is not None:
            self._ask("tags", ", ".join(case.tags), TAGS)

    def action_search(self) -> None:
        if self.board is not None:
            self._ask("search", self.board.filter.text, WORDS)

    def _ask(self, what: str, value: str = "", placeholder: str = "") -> None:
        word = self.query_one(Input)
        self._asking, word.placeholder, word.value = what, placeholder, value
        word.set_class(not what, "hidden")
        (word if what else self.query_one(RowTable)).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._asking == "search":
            self._search(event.value)

    def _search(self, text: str) -> None:
        if self.board is not None and text != self.board.filter.text:
            self.board.filter = replace(self.board.filter, text=text)
            self.show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        what, case = self._asking, self.selected
        self._ask("")
        if what == "tags" and case is not None:
            tags = [tag.strip() for tag in event.value.split(",")]
            self.edit(case.id, tags=tuple(dict.fromkeys(tag for tag in tags if tag)))

    def action_filter(self) -> None:
        board = self.board
        assert board is not None
        found = board.facets

        def picked(place: int | None) -> None:
            if place is not None:
                board.filter = narrowed(board.filter, found[place - 1][1]) if place else CaseFilter()
                self.show()

        self.app.push_screen(PickScreen("List which cases?", ["all cases", *(name for name, _ in found)]), picked)

    def action_check(self) -> None:
        report = self.board.shown_report if self.board else None
        if report is not None:
            self.app.push_screen(ReadingScreen("What is to be said of this set", said(report_text(report))))

    def action_coverage(self) -> None:
        if self.spec is None:
            self.notify(NO_MAP, timeout=10, markup=False)
        else:
            self.post_message(CoverageWanted(self.path.stem, self.spec, self.path.parent))

    def action_back(self) -> None:
        board = self.board
        if self._asking:
            if self._asking == "search":
                self._search("")
            self._ask("")
        elif board is not None and board.filter != CaseFilter():
            board.filter = CaseFilter()
            self.show()
        else:
            self.leave(self.dismiss)
