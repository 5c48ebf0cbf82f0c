"""A few short values to fill in, each with a word on what it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from ceopt_tui.core.visible import said
from ceopt_tui.errors import InputError

HINT = "enter goes on and takes all at the last; esc goes back and changes nothing"


@dataclass(frozen=True)
class Field:
    """One value; an empty one may mean something, which `hint` says."""

    key: str
    label: str
    value: str
    hint: str = ""


Values = Mapping[str, str]


class FormScreen(ModalScreen[Values | None]):
    """Gives what was written, by key, or None. `check` raises InputError for what cannot be taken."""

    CSS_PATH = "form.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Go back"),
        Binding("ctrl+s", "take", "Take"),
        Binding("down", "app.focus_next", "Down", show=False),
        Binding("up", "app.focus_previous", "Up", show=False),
    ]

    def __init__(self, question: str, fields: Sequence[Field], check: Callable[[Values], object]) -> None:
        super().__init__()
        self._question = question
        self._fields = fields
        self._check = check

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(Content(self._question), id="question", markup=False)
            for field in self._fields:
                with Horizontal(classes="field"):
                    yield Static(Content(field.label), classes="label", markup=False)
                    yield Input(field.value, placeholder=field.hint, id=field.key)
            yield Static(HINT, id="hint", markup=False)

    def on_mount(self) -> None:
        for field in self.query(Input):
            field.cursor_blink = False
        self.query(Input).first().focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input.id == self._fields[-1].key:
            self.action_take()
        else:
            self.focus_next(Input)

    def action_take(self) -> None:
        values = {field.id or "": field.value.strip() for field in self.query(Input)}
        try:
            self._check(values)
        except InputError as error:
            problem = error.problems[0]
            self.query_one(f"#{problem.key}", Input).focus()
            self.query_one("#hint", Static).update(Content(said(problem.message)))
            return
        self.dismiss(values)

    def action_leave(self) -> None:
        self.dismiss(None)
