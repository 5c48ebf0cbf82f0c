"""One case of an eval set to write in: its four fields side by side, or below one another where there is no room."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static, TextArea

from ceopt_tui.core.visible import one_line, said, visible
from ceopt_tui.errors import CeoptError, InputError, Problem
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.evalset_rows import FIELDS, LABELS, text_of
from ceopt_tui.ui.screens.pick import PickScreen
from schemas.evalset import Case

WIDE_FROM = 100  # columns from which the fields stand side by side
BREAKPOINTS = [(0, "-narrow"), (WIDE_FROM, "-wide")]
HINT = "tab goes to the next field; esc takes what you wrote over into the list, where u takes it back"
LOCKED = "special characters, edit in the file"
_KEPT = frozenset("\n\t")

Take = Callable[[dict[str, Any]], None]  # raises CeoptError when the values make no case


class EvalSetCaseScreen(Screen[bool]):
    """Hands what was written to `take`; gives True when the person wants the file saved with it."""

    place: ClassVar[Place] = "case"
    CSS_PATH = "evalset_case.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("case")
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS

    def __init__(self, case: Case | None, about: str, take: Take) -> None:
        super().__init__()
        self._case = case
        self._about = about
        self._take = take
        self._before = {name: text_of(case, name) if case else "" for name in FIELDS}

    def compose(self) -> ComposeResult:
        name = "A new case" if self._case is None else one_line(self._case.id)
        yield Static(Content.assemble((name, "bold"), f"  {self._about}"), id="title", markup=False)
        with Container(id="fields"):
            for field in FIELDS:
                yield self._area(field)
        yield Static(HINT, id="hint", markup=False)
        yield Footer(show_command_palette=False)

    def _area(self, name: str) -> TextArea:
        text = self._before[name]
        area = TextArea(text, id=name, soft_wrap=True, show_line_numbers=False)
        area.cursor_blink = False
        if not is_plain(text) or area.text != text:
            area = TextArea(visible(text), id=name, soft_wrap=True, show_line_numbers=False, read_only=True)
        kind = "" if self._case is None or isinstance(getattr(self._case, name), str | None) else " (JSON)"
        locked = f": {LOCKED}" if area.read_only else ""
        area.border_title = Content(LABELS[name] + kind + locked)
        return area

    def on_mount(self) -> None:
        self.query_one(f"#{FIELDS[0]}", TextArea).focus()

    @property
    def unsaved(self) -> bool:
        """Does a field say something else than before?"""
        areas = self.query(TextArea)
        return any(not area.read_only and area.text != self._before[area.id or ""] for area in areas)

    @property
    def written(self) -> dict[str, Any]:
        """The fields that say something else now. Raises InputError where JSON is wanted and none is written."""
        changed = {}
        for name in FIELDS:
            area = self.query_one(f"#{name}", TextArea)
            if not area.read_only and area.text != self._before[name]:
                changed[name] = self._value(name, area.text)
        return changed

    def _value(self, name: str, text: str) -> Any:
        if not text.strip() and name != "input":
            return None
        if self._case is None or isinstance(getattr(self._case, name), str | None):
            return text
        try:
            value = json.loads(text)
        except ValueError as error:
            raise InputError(
                [Problem("", 0, name, f"is JSON in this case, and what you wrote is none: {error}")]
            ) from None
        if name == "input" and not isinstance(value, dict):
            raise InputError([Problem("", 0, name, "is a mapping in this case: write {…}")])
        return value if isinstance(value, dict | list) else text

    def action_done(self) -> None:
        self._leave(save=False)

    def action_done_and_save(self) -> None:
        self._leave(save=True)

    def _leave(self, *, save: bool) -> None:
        try:
            written = self.written
            if written:
                self._take(written)
        except CeoptError as error:
            self._ask(said(str(error)))
            return
        self.dismiss(save)

    def _ask(self, fault: str) -> None:
        def answered(place: int | None) -> None:
            if place == 1:
                self.dismiss(False)

        self.app.push_screen(PickScreen(fault, ("go on writing", "throw away what I wrote")), answered)


def is_plain(text: str) -> bool:
    """Can a person edit it as it is? Characters that would act on the terminal or end a line unseen cannot be."""
    text = text.replace("\r\n", "\n")
    return all(char in _KEPT or unicodedata.category(char) not in {"Cc", "Cs", "Zl", "Zp"} for char in text)
