"""One line in which a person says what to try next."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

ASKED = "What should be tried next?"
EXAMPLE = "name the three queues first and allow nothing else"
HINT = (
    "Whoever writes the changes gets your words; what comes of them is measured like any other idea. "
    "enter puts it first, esc goes back"
)


class IdeaScreen(ModalScreen[str | None]):
    """Gives the words, or None."""

    CSS_PATH = "idea.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Go back")]

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(Content(ASKED), id="question", markup=False)
            yield Input(placeholder=EXAMPLE, id="words")
            yield Static(HINT, id="hint", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(" ".join(event.value.split()) or None)

    def action_leave(self) -> None:
        self.dismiss(None)
