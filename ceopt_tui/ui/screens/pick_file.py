"""A file to choose: by walking through those on offer, by words of its name, or by typing its path."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import one_line

HINT = "type words of its name or a path; ↑ ↓ choose, enter takes it, esc goes back"
SHOWN = 100  # of the files that match


class FilePickScreen(ModalScreen[Path | None]):
    """Gives a file that is there, or None. `offered` are places below `root`."""

    CSS_PATH = "pick_file.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Go back"),
        Binding("down", "move(1)", "Down", show=False, priority=True),
        Binding("up", "move(-1)", "Up", show=False, priority=True),
    ]

    def __init__(self, question: str, root: Path, offered: Sequence[str]) -> None:
        super().__init__()
        self._question = question
        self._root = root
        self._offered = offered
        self._matching: list[str] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(Content(self._question), id="question", markup=False)
            yield Input(id="words")
            yield OptionList(id="files", markup=False)
            yield Static(HINT, id="hint", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self.query_one(OptionList).can_focus = False
        self.query_one(Input).focus()
        self._match("")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._match(event.value)

    def _match(self, typed: str) -> None:
        words = typed.lower().split()
        self._matching = [place for place in self._offered if all(word in place.lower() for word in words)]
        listed = self.query_one(OptionList)
        listed.clear_options()
        listed.add_options(Option(Content(one_line(place))) for place in self._matching[:SHOWN])
        listed.highlighted = 0 if self._matching else None
        self._say(self._found(typed))

    def _found(self, typed: str) -> str:
        more = len(self._matching) - SHOWN
        if more > 0:
            return f"{counted(more, 'more file')}: type a word of the name. {HINT}"
        if self._matching:
            return HINT
        if not typed:
            return "This repository has no file of this kind. Type a path; esc goes back"
        return "No file on offer has these words; enter takes them as a path. esc goes back"

    def _say(self, text: str) -> None:
        self.query_one("#hint", Static).update(Content(text))

    def action_move(self, step: int) -> None:
        listed = self.query_one(OptionList)
        if self._matching:
            last = min(len(self._matching), SHOWN) - 1
            listed.highlighted = max(0, min((listed.highlighted or 0) + step, last))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._root / self._matching[event.option_index])

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        highlighted = self.query_one(OptionList).highlighted
        if self._matching and highlighted is not None:
            self.dismiss(self._root / self._matching[highlighted])
            return
        path = self._root / Path(event.value.strip()).expanduser()
        if not event.value.strip() or not path.is_file():
            self._say(f"{one_line(str(path))} is no file. Type another; esc goes back")
            return
        self.dismiss(path)

    def action_leave(self) -> None:
        self.dismiss(None)
