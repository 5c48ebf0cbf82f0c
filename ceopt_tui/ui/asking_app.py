"""An app that lays before the person what its engine waits for: a question, or a sheet of outputs to score."""

from __future__ import annotations

from ceopt_tui.core.ports import Question
from ceopt_tui.core.visible import one_line
from ceopt_tui.ui.engine_app import EngineApp
from ceopt_tui.ui.messages import ReloadWanted
from ceopt_tui.ui.screens.confirm import ConfirmScreen
from ceopt_tui.ui.screens.home import HomeScreen
from ceopt_tui.ui.screens.keep import KeepScreen, reviewed_number
from ceopt_tui.ui.screens.question import QuestionScreen
from ceopt_tui.ui.screens.run import RunScreen
from ceopt_tui.ui.screens.scoring import ScoringScreen
from ceopt_tui.ui.skin import AppSkin


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
