"""A short list over the current screen, of which the person takes one; above it, a text to read where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from ceopt_tui.ui.styled import literal_lines
from ceopt_tui.ui.widgets.choices import CHOOSE_FIRST, HOW, Choices
from ceopt_tui.ui.widgets.reading import Reading


class PickScreen(ModalScreen[int | None]):
    """Gives the place of the option taken, or None. `text` is shown literally and scrolls."""

    CSS_PATH = "pick.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Go back")]

    def __init__(self, question: str, options: Sequence[str], text: str = "") -> None:
        super().__init__()
        self._question = question
        self._text = text
        self._options = options

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(Content(self._question), id="question", markup=False)
            if self._text:
                yield Reading(literal_lines(self._text), id="text")
            yield Choices(self._options, id="choices")
            yield Static(f"{HOW}, esc goes back{', space reads on' if self._text else ''}", id="hint", markup=False)

    def on_mount(self) -> None:
        self.query_one(Choices).focus()

    def on_choices_unchosen(self, event: Choices.Unchosen) -> None:
        event.stop()
        self.query_one("#hint", Static).update(CHOOSE_FIRST)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_index)

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_read_on(self) -> None:
        for text in self.query(Reading):
            text.scroll_page_down(animate=False)

    def action_read_back(self) -> None:
        for text in self.query(Reading):
            text.scroll_page_up(animate=False)
