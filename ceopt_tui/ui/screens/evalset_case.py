"""One case of an eval set to write in: its four fields side by side, or below one another where there is no room."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Any, ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, Static, TextArea

from ceopt_tui.core.visible import one_line, said, visible
from ceopt_tui.errors import CeoptError, InputError, Problem
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.evalset_rows import FIELDS, LABELS, text_of
from ceopt_tui.ui.screens.pick import PickScreen
from schemas.evalset import Case

WIDE_FROM = 100  # columns from which the fields stand side by side
BREAKPOINTS = [(0, "-narrow"), (WIDE_FROM, "-wide")]
HINT = "tab goes to the next field; ctrl+s writes the file; esc asks whether to keep what you wrote"
LOCKED = "special characters, edit in the file"
_KEPT = frozenset("\n\t")

KEEP_OR_NOT = ("keep it: take it over into the list", "throw away what I wrote")
HELD_S = 0.4  # an enter this soon behind the last one is the key that opened the screen, still held down

AfterCase = Literal["list", "save", "run"]
Take = Callable[[dict[str, Any]], None]  # raises CeoptError when the values make no case


class EvalSetCaseScreen(Screen[AfterCase]):
    """Hands what was written to `take`; gives what the person wants done after that."""

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
        self._held: Timer | None = None
        self._given_up = False

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
        area = FieldArea(text, id=name, soft_wrap=True, show_line_numbers=False)
        area.cursor_blink = False
        if not is_plain(text) or area.text != text:
            area = FieldArea(visible(text), id=name, soft_wrap=True, show_line_numbers=False, read_only=True)
        kind = "" if self._case is None or isinstance(getattr(self._case, name), str | None) else " (JSON)"
        locked = f": {LOCKED}" if area.read_only else ""
        area.border_title = Content(LABELS[name] + kind + locked)
        return area

    def on_mount(self) -> None:
        self.query_one(f"#{FIELDS[0]}", TextArea).focus()
        self._hold_off()

    def _hold_off(self) -> None:
        if self._held is not None:
            self._held.stop()
        self._held = self.set_timer(HELD_S, self._let_go)

    def _let_go(self) -> None:
        if self._held is not None:
            self._held.stop()
        self._held = None

    def holds_off(self, key: str) -> bool:
        """Is this key no writing, but the one that opened the screen and is still held down?"""
        if self._held is None:
            return False
        if key == "enter":
            self._hold_off()
        else:
            self._let_go()
        return key == "enter"

    @property
    def unsaved(self) -> bool:
        """Does a field say something else than before?"""
        return not self._given_up and bool(self._changed)

    @property
    def _changed(self) -> list[str]:
        areas = ((name, self.query_one(f"#{name}", TextArea)) for name in FIELDS)
        return [name for name, area in areas if not area.read_only and area.text != self._before[name]]

    @property
    def written(self) -> dict[str, Any]:
        """The fields that say something else now. Raises InputError where JSON is wanted and none is written."""
        return {name: self._value(name, self.query_one(f"#{name}", TextArea).text) for name in self._changed}

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

    def action_back(self) -> None:
        self.ask_to_leave(lambda: None)

    def ask_to_leave(self, go: Callable[[], object]) -> None:
        """Closes the screen, then goes; asks before that what is to become of what was written."""
        if not self.unsaved:
            self._close("list", go)
            return

        def answered(place: int | None) -> None:
            if place == 0:
                self._take_over("list", go)
            elif place == 1:
                self._give_up(go)

        fields = ", ".join(LABELS[name] for name in self._changed)
        self.app.push_screen(PickScreen(f"You wrote in: {fields}.", KEEP_OR_NOT), answered)

    def action_done(self) -> None:
        self._take_over("list")

    def action_done_and_save(self) -> None:
        self._take_over("save")

    def action_done_and_run(self) -> None:
        self._take_over("run")

    async def action_help(self) -> None:
        await self.run_action("app.help")

    def _take_over(self, after: AfterCase, go: Callable[[], object] = lambda: None) -> None:
        try:
            written = self.written
            if written:
                self._take(written)
        except CeoptError as error:
            self._ask(said(str(error)))
            return
        self._given_up = True
        self._close(after, go)

    def _give_up(self, go: Callable[[], object] = lambda: None) -> None:
        self._given_up = True
        self._close("list", go)

    def _close(self, after: AfterCase, go: Callable[[], object]) -> None:
        self.dismiss(after)
        self.app.call_later(go)

    def _ask(self, fault: str) -> None:
        def answered(place: int | None) -> None:
            if place == 1:
                self._give_up()

        self.app.push_screen(PickScreen(fault, ("go on writing", "throw away what I wrote")), answered)


class FieldArea(TextArea):
    """A field of the case."""

    async def _on_key(self, event: events.Key) -> None:
        screen = self.screen
        if isinstance(screen, EvalSetCaseScreen) and screen.holds_off(event.key):
            event.stop()
            event.prevent_default()
            return
        await super()._on_key(event)


def is_plain(text: str) -> bool:
    """Can a person edit it as it is? Characters that would act on the terminal or end a line unseen cannot be."""
    text = text.replace("\r\n", "\n")
    return all(char in _KEPT or unicodedata.category(char) not in {"Cc", "Cs", "Zl", "Zp"} for char in text)
