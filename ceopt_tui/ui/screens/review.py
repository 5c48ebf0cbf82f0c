"""The review of one experiment, kept or not: its diff, the cases it moved with both outputs, the evidence."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from ceopt_tui.core.visible import one_line
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.messages import CopyWanted
from ceopt_tui.ui.review_evidence import why
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.screens.review_body import DIFF, ReviewBody
from ceopt_tui.ui.styled import fact_lines, lines_of
from ceopt_tui.ui.viewmodel import detail
from ceopt_tui.ui.widgets.reading import Prose


class ReviewScreen(Screen[None]):
    """One experiment as it stood when the screen was opened."""

    place: ClassVar[Place] = "review"
    CSS_PATH = "review.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("review")

    def __init__(self, model: RunModel, number: int) -> None:
        super().__init__()
        self._known = detail(model.state, number)
        self._experiment = model.state.experiments[number]
        self._why = why(model.state, self._experiment)
        self._body = ReviewBody(model, number, fact_lines(self._known.facts), view=DIFF)

    def compose(self) -> ComposeResult:
        what = one_line(self._experiment.hypothesis.description)
        yield Static(Content.assemble((self._known.title, "bold"), f"  {what}"), id="title", markup=False)
        yield Prose(lines_of(self._why), id="why")
        yield self._body
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self._body.part.focus()

    def action_view(self, view: int) -> None:
        self._body.go_to(view)
        self._body.part.focus()
        self.refresh_bindings()

    def action_filter(self) -> None:
        self._body.filter_cases()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A filter needs cases to list, a copy something to copy."""
        if action == "copy":
            return bool(self._known.diff)
        return action != "filter" or self._body.can_filter

    def action_copy(self) -> None:
        self.post_message(CopyWanted(self._known.diff.rstrip("\n"), "the diff"))

    def action_back(self) -> None:
        self.dismiss()
