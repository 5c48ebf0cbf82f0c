"""A screen to read one long text: a diff, the report, the help."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from ceopt_tui.core.figures import counted
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.styled import lines_of
from ceopt_tui.ui.widgets.reading import Reading

MOST_LINES = 4_000  # a longer text is cut, with a word where the rest is


class ReadingScreen(Screen[None]):
    """Shows `text` literally; `whole` says where a text too long for the screen can be read in full."""

    place: ClassVar[Place] = "reading"
    CSS_PATH = "reading.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("reading")

    def __init__(self, title: str, text: str, whole: str = "the run's files") -> None:
        super().__init__()
        self._title = title
        lines = text.rstrip("\n").split("\n")
        if len(lines) > MOST_LINES:
            lines = [*lines[:MOST_LINES], "", f"… {counted(len(lines) - MOST_LINES, 'more line')}: see {whole}"]
        self._text = "\n".join(lines)

    def compose(self) -> ComposeResult:
        yield Static(Content.styled(self._title, "bold"), id="title", markup=False)
        yield Reading(lines_of(self._text), id="text")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(Reading).focus()

    def action_back(self) -> None:
        self.dismiss()
