"""The scoring screen: one output at a time with the rubric's levels beside it; one key scores it and goes on.

It is handed a sheet and nothing else, so no score of a judge can be on it.
"""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.events import Key
from textual.screen import Screen
from textual.widgets import Footer, Input, Static

from ceopt_tui.core.judging_ports import PersonMark
from ceopt_tui.core.visible import said, visible
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.desk import Desk
from ceopt_tui.ui.scoring_text import folds_at_first, hint, level_lines, output_lines, own_lines
from ceopt_tui.ui.screens.confirm import ConfirmScreen
from ceopt_tui.ui.screens.reading import ReadingScreen
from ceopt_tui.ui.widgets.reading import Prose, Reading

WIDE_FROM = 100  # columns from which the levels stand beside the output
BREAKPOINTS = [(0, "-narrow"), (WIDE_FROM, "-wide")]
REASON = "Why? (optional; enter keeps it, esc drops it)"
THROW_AWAY = "Only trying it out? All scores of this sheet are thrown away and count for nothing."


class ScoringScreen(Screen[None]):
    """A person scores the sheet on the desk; leaving for later keeps it there."""

    place: ClassVar[Place] = "scoring"
    CSS_PATH = "scoring.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("scoring")
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self._levels = {level.key: level for level in desk.sheet.levels}
        self._reason = ""  # of the output on top, until it is scored
        self._folded = folds_at_first(desk.item)
        self._fold_chosen = False  # did the person say how they want it?

    def compose(self) -> ComposeResult:
        with Horizontal(id="title"):
            yield Static(Content.styled(said(self.desk.sheet.title), "bold"), id="name", markup=False)
            yield Static(id="progress", markup=False)
        with Container(id="desk"):
            yield Reading(id="output")
            with Vertical(id="answering"):
                yield Reading(id="levels")
                yield Prose(id="own")
                yield Input(placeholder=REASON, id="reason", classes="hidden")
        yield Static(id="hint", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        output = self.query_one("#output", Reading)
        output.focus()
        self.watch(output, "scroll_y", self._hint)
        self._show()

    def on_resize(self) -> None:
        self.call_after_refresh(self._hint)

    def _show_next(self) -> None:
        """Another output lies on top."""
        if not self._fold_chosen:
            self._folded = folds_at_first(self.desk.item)
        mark = self.desk.own_mark
        self._reason = mark.reason if mark else ""
        self.query_one("#output", Reading).scroll_home(animate=False)
        self._show()

    def _show(self) -> None:
        desk = self.desk
        self.query_one("#progress", Static).update(f"{desk.place + 1} of {len(desk.sheet.items)}")
        self.query_one("#output", Reading).show(output_lines(desk.item, self._folded))
        self.query_one("#levels", Reading).show(level_lines(desk.sheet.levels, desk.own_mark))
        self.query_one("#own", Prose).show(own_lines(desk.own_mark, self._reason))
        self.refresh_bindings()
        self.call_after_refresh(self._hint)

    def _hint(self) -> None:
        if self.is_attached:
            output = self.query_one("#output", Reading)
            below = int(output.max_scroll_y - output.scroll_y)
            self.query_one("#hint", Static).update(hint(self.desk.sheet.levels, below))

    # Scoring

    async def on_key(self, event: Key) -> None:
        """The keys of the levels come before all others; a reason that is being typed gets them first of all."""
        level = self._levels.get(event.character or "")
        if level is not None:
            event.stop()
            await self._give(PersonMark(level.score, self._reason))

    async def _give(self, mark: PersonMark) -> None:
        """The next output is shown once the mark is on record, never before."""
        if await self.desk.give(mark):
            self.action_onward()

    async def action_skip(self) -> None:
        await self._give(PersonMark(None, self._reason))

    def action_onward(self) -> None:
        self.desk.go_on()
        if not self.desk.over:
            self._show_next()

    def action_one_back(self) -> None:
        self.desk.go_back()
        self._show_next()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What makes no sense now is not offered."""
        if action == "onward":
            return self.desk.own_mark is not None
        if action == "one_back":
            return self.desk.place > 0
        return True

    # The reason

    def action_reason(self) -> None:
        reason = self.query_one(Input)
        reason.value = self._reason
        self._ask_reason(True)

    def _ask_reason(self, asked: bool) -> None:
        reason = self.query_one(Input)
        reason.set_class(not asked, "hidden")
        (reason if asked else self.query_one("#output", Reading)).focus()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """The reason goes with the score to come; a score that was given already is recorded again with it."""
        event.stop()
        self._reason = event.value.strip()
        self._ask_reason(False)
        given = self.desk.own_mark
        if given is not None and given.reason != self._reason:
            await self.desk.give(PersonMark(given.score, self._reason))
        self._show()

    # Reading, leaving

    def action_fold(self) -> None:
        self._folded, self._fold_chosen = not self._folded, True
        self._show()

    def action_rubric(self) -> None:
        self.app.push_screen(ReadingScreen("The rubric", visible(self.desk.sheet.rubric), "the spec"))

    def action_end(self) -> None:
        self.desk.end("stopped")

    def action_just_testing(self) -> None:
        def confirmed(yes: bool | None) -> None:
            if yes:
                self.desk.end("discarded")

        self.app.push_screen(ConfirmScreen(THROW_AWAY, "throw them away", "go on scoring"), confirmed)

    def action_later(self) -> None:
        if self.query_one(Input).has_focus:
            self._ask_reason(False)
        else:
            self.dismiss()
