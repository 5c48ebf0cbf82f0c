"""An app that lays before the person what its engine waits for: a question, or a sheet of outputs to score."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from ceopt_tui.core.plan.own_ideas import OWN_CATEGORY, added, known_already, own_idea
from ceopt_tui.core.ports import Question
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import CeoptError
from ceopt_tui.ui.engine_app import EngineApp
from ceopt_tui.ui.messages import ReloadWanted
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.screens.confirm import ConfirmScreen
from ceopt_tui.ui.screens.home import HomeScreen
from ceopt_tui.ui.screens.idea import IdeaScreen
from ceopt_tui.ui.screens.keep import KeepScreen, reviewed_number
from ceopt_tui.ui.screens.question import QuestionScreen
from ceopt_tui.ui.screens.run import RunScreen
from ceopt_tui.ui.screens.scoring import ScoringScreen
from ceopt_tui.ui.skin import AppSkin

IDEAS = "own-ideas"  # the group of its worker


class AskingApp(EngineApp):
    """Shows what waits for the person while the run is on the screen; says so where it is not."""

    @property
    def shown(self) -> RunScreen | None:
        """The topmost run screen, also under a question or a text."""
        return next((screen for screen in reversed(self.screen_stack) if isinstance(screen, RunScreen)), None)

    def on_run_changed(self) -> None:
        if self.is_running and self.shown is not None:
            self.shown.changed()

    def on_tick_ended(self) -> None:
        if self.is_running and isinstance(self.screen, ConfirmScreen):  # what it asks about is over
            self.screen.dismiss(False)
        self.on_run_changed()
        self._refresh_home()

    def _refresh_home(self) -> None:
        if self.is_running and isinstance(self.screen, HomeScreen):
            self.post_message(ReloadWanted())

    def on_question_asked(self) -> None:
        model = self.working
        if model is not None and self.shown is not None and self.shown.model is model:
            self.on_answer_wanted()
        elif model is not None:
            self.notify(f"{one_line(model.entry.name)} waits for your answer.", markup=False)
            self._refresh_home()

    def on_idea_wanted(self) -> None:
        """Asks for the words, and puts them on the run's backlog before all other ideas."""
        shown = self.shown
        if shown is None:
            return

        def answered(words: str | None) -> None:
            if words:
                work: Callable[[], Awaitable[None]] = partial(self._add_idea, shown.model, words)
                self.run_worker(work, group=IDEAS, description=IDEAS, exit_on_error=False)

        self.push_screen(IdeaScreen(), answered)

    async def _add_idea(self, model: RunModel, words: str) -> None:
        idea = own_idea(model.state, words, category=OWN_CATEGORY, benefit="", theme=None)
        records, commit = added(model.state, idea), model.commit
        try:
            if known_already(model.state, idea):
                self.notify("The run has this idea already.", markup=False)
            elif not records or commit is None:
                self.notify("Nothing can be added to this run now; your idea was not taken over.", markup=False)
            else:
                for record in records:
                    await commit(record)
                self.notify(f"{idea.id} is next. c goes on where the run is not at work.", markup=False)
        except CeoptError as error:
            self.notify(said(str(error)), severity="error", timeout=20, markup=False)
        self.on_run_changed()

    def on_answer_wanted(self) -> None:
        """Shows what waits, once: a key that is held down asks for it again and again."""
        skin = self.working.skin if self.working else None
        if any(isinstance(screen, QuestionScreen | ScoringScreen) for screen in self.screen_stack):
            return
        if skin is not None and skin.desk is not None:
            self.push_screen(ScoringScreen(skin.desk))
        elif skin is not None:
            self._show_question(skin)

    def _show_question(self, skin: AppSkin) -> None:
        if skin.pending is None:
            return

        def answered(answer: str | None) -> None:
            if answer is not None:
                skin.answer(answer)
            self.on_run_changed()

        self.push_screen(self._question_screen(skin.pending.question), answered)

    def _question_screen(self, question: Question) -> QuestionScreen:
        number = reviewed_number(question)
        if self.working is None or number not in self.working.state.experiments:
            return QuestionScreen(question)
        return KeepScreen(question, self.working, number)

    def on_question_gone(self) -> None:
        if isinstance(self.screen, QuestionScreen):
            self.screen.dismiss(None)
        while any(isinstance(screen, ScoringScreen) for screen in self.screen_stack):  # with what lies over it
            self.pop_screen()
