"""A short yes or no over the current screen."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from ceopt_tui.ui.widgets.choices import CHOOSE_FIRST, HOW, Choices


class ConfirmScreen(ModalScreen[bool]):
    """Gives True only when the person took the first option."""

    CSS_PATH = "confirm.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "decline", "Go back")]

    def __init__(self, question: str, yes: str, no: str) -> None:
        super().__init__()
        self._question = question
        self._options = (yes, no)

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(Content(self._question), id="question", markup=False)
            yield Choices(self._options, id="choices")
            yield Static(HOW, id="hint", markup=False)

    def on_mount(self) -> None:
        self.query_one(Choices).focus()

    def on_choices_unchosen(self, event: Choices.Unchosen) -> None:
        event.stop()
        self.query_one("#hint", Static).update(CHOOSE_FIRST)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.query_one("#hint", Static).update(HOW)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_index == 0)

    def action_decline(self) -> None:
        self.dismiss(False)

    def action_read_on(self) -> None:
        """Nothing to read here."""

    def action_read_back(self) -> None:
        """Nothing to read here."""


class LeaveScreen(ConfirmScreen):
    """Asks whether to leave with something lost; a person who asks to leave once more does."""
