"""The question whether a change is kept or a parked one accepted, with its whole review above the answer."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from ceopt_tui.core.ports import Question
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.screens.question import REASONED, QuestionScreen
from ceopt_tui.ui.screens.review_body import SUMMARY, ReviewBody
from ceopt_tui.ui.widgets.choices import HOW, Choices
from ceopt_tui.ui.widgets.reading import Reading

TO_ANSWER = "1 goes back to the answer"


def reviewed_number(question: Question) -> int | None:
    """The experiment whose change the question is about; None where it is about something else."""
    about, _, number = question.id.rpartition("-")
    return int(number) if f"{about}-" in REASONED and number.isdecimal() else None


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
        self.how = HOW if view == SUMMARY else TO_ANSWER
        self.refresh_bindings()
        self.call_after_refresh(self.hint)

    def action_filter(self) -> None:
        self._body.filter_cases()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A filter needs cases to list."""
        return action != "filter" or self._body.can_filter
