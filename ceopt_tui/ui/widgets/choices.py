"""The options of a question. Nothing is chosen until the person moves to it, so a stray enter answers nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

HOW = "↑ ↓ choose, then enter"
CHOOSE_FIRST = "choose with ↑ ↓ first"
LIT, UNLIT = "▶ ", "  "


class Choices(OptionList):
    """One option a line. The first arrow lights the first option; the list ends at its ends."""

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

    @dataclass
    class Unchosen(Message):
        """Enter was pressed before an option was lit."""

    def __init__(self, options: Sequence[str], *, id: str) -> None:
        self.answers = tuple(options)
        super().__init__(*(Option(Content(UNLIT + option)) for option in options), id=id, markup=False)

    def on_mount(self) -> None:
        self.highlighted = None

    def watch_highlighted(self, highlighted: int | None) -> None:
        super().watch_highlighted(highlighted)
        for place, option in enumerate(self.answers[: self.option_count]):
            sign = LIT if place == highlighted else UNLIT
            self.replace_option_prompt_at_index(place, Content(sign + option))

    def action_cursor_down(self) -> None:
        self.highlighted = 0 if self.highlighted is None else min(self.highlighted + 1, len(self.answers) - 1)

    def action_cursor_up(self) -> None:
        self.highlighted = 0 if self.highlighted is None else max(self.highlighted - 1, 0)

    def action_select(self) -> None:
        if self.highlighted is None:
            self.post_message(self.Unchosen())
        else:
            super().action_select()
