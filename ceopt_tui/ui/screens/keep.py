"""The question whether a change is kept or a parked one accepted, with its whole review above the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from ceopt_tui.core.plan.edited import INSTEAD, can_try_edit, edited_idea
from ceopt_tui.core.ports import Question
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import CeoptError
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.editor import edit_text
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.screens.pick import PickScreen
from ceopt_tui.ui.screens.question import REASONED, QuestionScreen
from ceopt_tui.ui.screens.review_body import SUMMARY, ReviewBody
from ceopt_tui.ui.widgets.choices import HOW, Choices
from ceopt_tui.ui.widgets.reading import Reading

KEEP = "keep-"  # a parked change is decided on when the run has ended, and could not be measured anew
EDITING = "keep-editing"  # the group of its worker
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
        self._model, self._number = model, number
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
        """A filter needs cases to list; an edit needs a run that can measure it."""
        if action == "edit":
            texts = not self._model.state.by_command  # code is changed in its repository
            return texts and self.question.id.startswith(KEEP) and can_try_edit(self._model.state, self._model.terms)
        return action != "filter" or self._body.can_filter

    # Editing before accepting

    def action_edit(self) -> None:
        paths = sorted(self._changed)

        def picked(place: int | None) -> None:
            if place is not None:
                work: Callable[[], Awaitable[None]] = partial(self._edit, paths[place])
                self.run_worker(work, group=EDITING, description=EDITING, exclusive=True, exit_on_error=False)

        if len(paths) == 1:
            picked(0)
        else:
            self.app.push_screen(PickScreen("Edit which file?", [one_line(path) for path in paths]), picked)

    @property
    def _changed(self) -> dict[str, str]:
        """The files of the candidate that differ from the text it started from."""
        state, experiment = self._model.state, self._model.state.experiments[self._number]
        base, after = state.texts[experiment.started.base_digest], state.texts[experiment.text_digest or ""]
        return {path: text for path, text in after.items() if base.get(path) != text}

    async def _edit(self, path: str) -> None:
        """Puts what the person wrote on record as an idea, then makes way for it."""
        texts, commit = self._changed, self._model.commit
        try:
            edited = await edit_text(self.app, texts[path], path)
            if edited == texts[path]:
                self.notify("Nothing was changed.", markup=False)
            elif commit is None:
                self.notify("The run is not at work here; your edit was not taken over.", markup=False)
            else:
                await commit(edited_idea(self._model.state, self._number, {**texts, path: edited}))
                self.dismiss(INSTEAD)
        except CeoptError as error:
            self.notify(said(str(error)), severity="error", timeout=20, markup=False)
