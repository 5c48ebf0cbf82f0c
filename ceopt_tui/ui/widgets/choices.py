"""The options of a question. Nothing is chosen until the person moves to it, so a stray enter answers nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option


class Choices(OptionList):
    """One option a line; the first enter goes to the first option, the next takes it."""

    DEFAULT_CSS = """
    Choices, Choices:focus {
        border: none;
        padding: 0;
        background: $background;
        background-tint: $background 0%;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
        Binding("pagedown,space", "screen.read_on", "Read on", show=False),
        Binding("pageup", "screen.read_back", "Read back", show=False),
    ]

    def __init__(self, options: Sequence[str], *, id: str) -> None:
        super().__init__(*(Option(Content(f"  {option}")) for option in options), id=id, markup=False)
        self.answers = tuple(options)

    def on_mount(self) -> None:
        self.highlighted = None

    def action_select(self) -> None:
        if self.highlighted is None:
            self.action_first()
        else:
            super().action_select()
