"""The question screen: the material laid out to be read, below it one short question and its options."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static

from ceopt_tui.core.ports import Question
from ceopt_tui.core.visible import said, visible
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.styled import Line, lines_of
from ceopt_tui.ui.widgets.choices import CHOOSE_FIRST, HOW, Choices
from ceopt_tui.ui.widgets.pairs import Pairs
from ceopt_tui.ui.widgets.reading import Reading

REFUSE = "refuse"
REASONED = ("keep-", "proposal-")  # questions about a change: a refusal says why, and the proposer is told
REASON = "Why not? (optional; enter sends it, esc goes back to the choices)"


class QuestionScreen(Screen[str | None]):
    """Gives the answer, or None when the person leaves it for later."""

    place: ClassVar[Place] = "question"
    CSS_PATH = "question.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("question")

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question
        self._takes_reason = question.id.startswith(REASONED)
        self.how = HOW

    def compose(self) -> ComposeResult:
        yield Static(Content.styled(said(self.question.title), "bold"), id="title", markup=False)
        yield from self.material()
        with Vertical(id="answering"):
            yield Static(Content.styled(said(self.question.question), "bold"), id="question", markup=False)
            yield Choices(self.question.options, id="choices")
            yield Input(placeholder=REASON, id="reason", classes="hidden")
        yield Static(id="hint", markup=False)
        yield Footer(show_command_palette=False)

    def material(self) -> ComposeResult:
        """What is to be read before the answer."""
        yield Reading(self.lines, id="material", below=self.below)

    @property
    def lines(self) -> list[Line]:
        return lines_of(visible(self.question.message))

    @property
    def below(self) -> Pairs | None:
        return Pairs(self.question.pairs, id="pairs") if self.question.pairs else None

    @property
    def reading(self) -> Reading:
        """The text in sight."""
        return self.query_one(Reading)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self.query_one(Choices).focus()
        for reading in self.query(Reading):
            self.watch(reading, "scroll_y", self.hint)

    def on_resize(self) -> None:
        self.call_after_refresh(self.hint)

    def hint(self) -> None:
        """How to answer; says so while part of the material is still below the window."""
        reading = self.reading
        below = int(reading.max_scroll_y - reading.scroll_y)
        more = f"PgDn reads on ({below} more)" if below > 0 else "PgUp PgDn read"
        self.query_one("#hint", Static).update(f"{self.how}   {more}")

    def on_choices_unchosen(self, event: Choices.Unchosen) -> None:
        event.stop()
        self.how = CHOOSE_FIRST
        self.hint()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.how = HOW
        self.hint()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        answer = self.query_one(Choices).answers[event.option_index]
        if self._takes_reason and answer == REFUSE:
            self._ask_reason(True)
        else:
            self.dismiss(answer)

    def _ask_reason(self, asked: bool) -> None:
        reason = self.query_one(Input)
        reason.set_class(not asked, "hidden")
        (reason if asked else self.query_one(Choices)).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        reason = event.value.strip()
        self.dismiss(f"{REFUSE}: {reason}" if reason else REFUSE)

    def action_later(self) -> None:
        if self.query_one(Input).has_focus:
            self._ask_reason(False)
        else:
            self.dismiss(None)

    def action_read_on(self) -> None:
        self.reading.scroll_page_down(animate=False)

    def action_read_back(self) -> None:
        self.reading.scroll_page_up(animate=False)
