"""The rubric a judge goes by, to be written in the app."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static, TextArea

from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.screens.pick import PickScreen
from judges.rubric import Rubric, levels, parse_scale

HINT = "Say in words of your own what each level means: the judge reads them, and you score by them too."
SCALE = "1-5"
DIMENSION = "quality"


class RubricScreen(Screen[str | None]):
    """Gives the text, or None where it is to stay as it was."""

    place: ClassVar[Place] = "rubric"
    CSS_PATH = "rubric.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("rubric")

    def __init__(self, text: str) -> None:
        super().__init__()
        self._before = text

    def compose(self) -> ComposeResult:
        yield Static(Content.styled("The rubric", "bold"), id="title", markup=False)
        yield TextArea(self._before, id="text", soft_wrap=True, show_line_numbers=False)
        yield Static(HINT, id="hint", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.cursor_blink = False
        area.focus()

    @property
    def unsaved(self) -> bool:
        return self.query_one(TextArea).text != self._before

    def action_done(self) -> None:
        text = self.query_one(TextArea).text.strip()
        if missing := missing_levels(text):
            self.query_one("#hint", Static).update(Content(missing))
            return
        self.dismiss(text + "\n")

    def action_back(self) -> None:
        if not self.unsaved:
            self.dismiss(None)
            return

        def answered(place: int | None) -> None:
            if place == 1:
                self.dismiss(None)

        self.app.push_screen(PickScreen("Leave the rubric?", ("go on writing", "throw away what I wrote")), answered)


def missing_levels(text: str) -> str:
    """What a judge on this scale would lack; empty when each level has its line."""
    scale = parse_scale(SCALE)
    found = levels(Rubric(text, scale, DIMENSION))
    missing = [f"{level.score:g}" for level in found if not level.meaning]
    return f"No line says what {', '.join(missing)} means; begin one with “{missing[0]}: ”." if missing else ""
