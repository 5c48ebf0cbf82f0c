"""The eval set builder: all cases with filters, one case in full, every edit one step that can be taken back.

Held-out cases of an open run are neither shown nor changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.widgets import DataTable, Input

from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import SetupError
from ceopt_tui.evalset_edit import Step
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.evalset_rows import CaseFilter, narrowed
from ceopt_tui.ui.messages import CoverageWanted
from ceopt_tui.ui.screens.confirm import ConfirmScreen
from ceopt_tui.ui.screens.evalset_case import AfterCase, EvalSetCaseScreen
from ceopt_tui.ui.screens.evalset_trial import EvalSetTrialScreen
from ceopt_tui.ui.screens.pick import PickScreen
from ceopt_tui.ui.screens.reading import ReadingScreen
from ceopt_tui.ui.widgets.table import RowTable
from schemas.evalset import Case
from texttargets.evalset_view import report_text

SIDES = {None: "selection", "selection": "holdout", "holdout": None}
OF_CASE = ("open_case", "kind", "side", "tags", "delete", "try")
NO_MAP = "Only a spec says which text: open the set with v from the list of runs, or with `ceopt evalset edit SPEC`."
TAGS = "Tags of {}, with commas between: enter takes them, esc leaves them as they were"
WORDS = "Words that are in the case: enter goes to the list, esc lists all cases again"
ALL_CASES, WITH_WORDS = "all cases", "cases with some words …"


class EvalSetScreen(EvalSetTrialScreen):
    """One eval set file while a person works on it."""

    place: ClassVar[Place] = "evalset"
    CSS_PATH = "evalset.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("evalset")
    spec: RunOptions | None = None  # that the set was opened from
    _asking = ""  # what the line of input is for
    _asked_of = ""  # the case it is about

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What makes no sense now is not offered."""
        board = self.board
        if self._asking:  # what is typed belongs to the line
            return action == "back"
        if board is None:
            return action in ("back", "leave_app", "help")
        if action in OF_CASE:
            return self.selected is not None
        possible = {"undo": board.draft.last, "redo": board.draft.next, "save": board.unsaved}
        return bool(possible.get(action, True))

    @property
    def offered(self) -> tuple[object, ...]:
        draft = self.board.draft if self.board else None
        steps = (draft is not None and draft.last is not None, draft is not None and draft.next is not None)
        return (*super().offered, *steps, self.unsaved, self._asking)

    def on_data_table_row_selected(self, event: DataTable.RowSelected) -> None:
        event.stop()
        self.cursor = event.row_key.value
        self.action_open_case()
        self.cursor = None

    # Edits

    def action_open_case(self) -> None:
        case, board = self.editable(), self.board
        if case is None or board is None:
            return

        def take(values: dict[str, Any]) -> None:
            if board.held.hides(case.id):  # a run has opened meanwhile
                raise SetupError(board.held.sentence(case.id))
            if board.draft.case(case.id) is None:  # the file was taken up, and it is gone
                raise SetupError(f"the case {one_line(case.id)} is not in the set any more")
            board.draft.change(case.id, **values)

        self._write_in(case, ", ".join(text for _, text in board.facts(case)[:2]), take)

    def action_new(self) -> None:
        board = self.board
        assert board is not None

        def add(values: dict[str, Any]) -> None:
            board.filter = CaseFilter()
            self.cursor = board.draft.add(**values)

        self._write_in(None, "what went in, what was wanted, what came out, why that is wrong", add)

    def _write_in(self, case: Case | None, about: str, take: Callable[[dict[str, Any]], Any]) -> None:
        def written(after: AfterCase | None) -> None:
            self.changed()
            if after == "save":
                self.action_save()
            elif after == "run":
                self.action_try()

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
            self._move(self.board.draft.last, self.board.draft.undo, "Taken back")

    def action_redo(self) -> None:
        if self.board is not None:
            self._move(self.board.draft.next, self.board.draft.redo, "Made again")

    def _move(self, step: Step | None, move: Callable[[], str], told: str) -> None:
        board = self.board
        if board is None or step is None:
            return
        if board.held.hides(step.case_id):
            self.notify(board.held.sentence(step.case_id), timeout=10, markup=False)
            return
        move()
        board.list_too(step.case_id)
        self.cursor = step.case_id if board.draft.case(step.case_id) is not None else None
        self.changed()
        self.notify(f"{told}: {one_line(str(step))}", timeout=4, markup=False)

    # The line of input: tags, and words to search for

    def action_tags(self) -> None:
        case = self.editable()
        if case is not None:
            self._asked_of = case.id
            self._ask("tags", ", ".join(case.tags), TAGS.format(one_line(case.id)))

    def action_search(self) -> None:
        if self.board is not None:
            self._ask("search", self.board.filter.text, WORDS)

    def _ask(self, what: str, value: str = "", title: str = "") -> None:
        word = self.query_one(Input)
        self._asking, word.border_title, word.value = what, Content(title), value
        word.cursor_position = len(value)
        word.set_class(not what, "hidden")
        (word if what else self.query_one(RowTable)).focus()
        self.offer()

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
        what, board = self._asking, self.board
        self._ask("")
        if what == "tags" and board is not None and board.draft.case(self._asked_of) is not None:
            tags = [tag.strip() for tag in event.value.split(",")]
            self.edit(self._asked_of, tags=tuple(dict.fromkeys(tag for tag in tags if tag)))

    def action_filter(self) -> None:
        board = self.board
        assert board is not None
        found = board.facets

        def picked(place: int | None) -> None:
            if place == 1:
                self.action_search()
            elif place is not None:
                board.filter = narrowed(board.filter, found[place - 2][1]) if place else CaseFilter()
                self.show()

        now = f" Now: {board.filter.words}." if board.filter.words else ""
        options = [ALL_CASES, WITH_WORDS, *(name for name, _ in found)]
        self.app.push_screen(PickScreen(f"List which cases?{now}", options), picked)

    def action_check(self) -> None:
        report = self.board.shown_report if self.board else None
        if report is not None:
            self.app.push_screen(ReadingScreen("What is to be said of this set", said(report_text(report))))

    async def action_help(self) -> None:
        await self.run_action("app.help")

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
            self.ask_to_leave(self.dismiss)
