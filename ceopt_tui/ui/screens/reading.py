"""A screen to read one long text: a diff, the report, the help."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from ceopt_tui.core.figures import counted
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.files_at_hand import FileAt
from ceopt_tui.ui.messages import CopyWanted, FilesWanted
from ceopt_tui.ui.styled import lines_of
from ceopt_tui.ui.widgets.reading import Reading

MOST_LINES = 4_000  # a longer text is cut, with a word where the rest is


class ReadingScreen(Screen[None]):
    """Shows `text` literally; `whole` says where a text too long for the screen can be read in full.

    `page` is the same as a file for browsers; who sits at one far from the run's files can have it. `file` holds the
    text, for the person's editor.
    """

    place: ClassVar[Place] = "reading"
    CSS_PATH = "reading.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("reading")

    def __init__(
        self, title: str, text: str, whole: str = "the run's files", page: Path | None = None, file: Path | None = None
    ) -> None:
        super().__init__()
        self._whole, self._file = text, file
        self._page = page
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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "save_page":
            return self._page is not None and self.app.is_web
        if action == "open_file":
            return self._file is not None and self._file.is_file()
        return super().check_action(action, parameters)

    def action_open_file(self) -> None:
        assert self._file is not None
        self.post_message(FilesWanted([FileAt(self._file)]))

    def action_copy(self) -> None:
        self.post_message(CopyWanted(self._whole.rstrip("\n"), "the text"))

    def action_save_page(self) -> None:
        assert self._page is not None
        name = f"{self._page.parent.name}-{self._page.name}"
        try:
            self.app.deliver_binary(self._page, save_filename=name, mime_type="text/html")
        except OSError as error:
            self.notify(f"The page cannot be read: {error.strerror}", severity="error", markup=False)

    def action_back(self) -> None:
        self.dismiss()
