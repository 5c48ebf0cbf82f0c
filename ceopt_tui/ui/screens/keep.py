"""The question whether a change is kept, with its whole review above the answer."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from ceopt_tui.core.ports import Question
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.screens.question import QuestionScreen
from ceopt_tui.ui.screens.review_body import SUMMARY, ReviewBody
from ceopt_tui.ui.widgets.choices import Choices
from ceopt_tui.ui.widgets.reading import Reading

KEEP_PREFIX = "keep-"


def reviewed_number(question: Question) -> int | None:
    """The experiment that the question is about, where it asks for a keep."""
    number = question.id.removeprefix(KEEP_PREFIX)
    return int(number) if question.id.startswith(KEEP_PREFIX) and number.isdecimal() else None


class KeepScreen(QuestionScreen):
    """Gives the answer, or None when the person leaves it for later. It opens on the question's own material."""

    place: ClassVar[Place] = "keep"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("keep")

    def __init__(self, question: Question, model: RunModel, number: int) -> None:
        super().__init__(question)
        self._body = ReviewBody(model, number, self.lines, below=self.below)

    def material(self) -> ComposeResult:
        yield self._body

    @property
    def reading(self) -> Reading:
        return self._body.reading

    def action_view(self, view: int) -> None:
        """In the summary the arrows choose the answer; in the other parts they walk through the part."""
        self._body.go_to(view)
        (self.query_one(Choices) if view == SUMMARY else self._body.part).focus()
        self.refresh_bindings()
        self.call_after_refresh(self.hint)

    def action_filter(self) -> None:
        self._body.filter_cases()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A filter needs cases to list."""
        return action != "filter" or self._body.can_filter
