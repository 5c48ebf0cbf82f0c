"""Splits a theme: the person takes the cases that leave and names the theme they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, SelectionList, Static
from textual.widgets.selection_list import Selection

from ceopt_tui.core.visible import one_line

HOW = "space takes a case, tab goes to the name, enter there splits, esc goes back"
SOME = "take at least one case and leave at least one"
NAMED = "the new theme needs a name"


@dataclass(frozen=True)
class Split:
    """The cases that leave, and the name of the theme they make."""

    cases: tuple[str, ...]
    name: str


class SplitScreen(ModalScreen[Split | None]):
    """Gives what to split off, or None."""

    CSS_PATH = "split.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Go back")]

    def __init__(self, theme: str, cases: Sequence[str]) -> None:
        super().__init__()
        self._theme = theme
        self._cases = cases

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(Content(f"Which cases leave “{self._theme}”?"), id="question", markup=False)
            selections = [Selection(Content(one_line(case)), place) for place, case in enumerate(self._cases)]
            yield SelectionList[int](*selections, id="cases")
            yield Input(placeholder="Name of the new theme", id="name")
            yield Static(HOW, id="hint", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self.query_one(SelectionList).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        chosen = sorted(self.query_one(SelectionList).selected)
        name = event.value.strip()
        if not 0 < len(chosen) < len(self._cases):
            self.query_one("#hint", Static).update(SOME)
        elif not name:
            self.query_one("#hint", Static).update(NAMED)
        else:
            self.dismiss(Split(tuple(self._cases[place] for place in chosen), name))

    def action_leave(self) -> None:
        self.dismiss(None)
