"""The app: one stack of screens over one engine worker. Handlers here move between screens; nothing here decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from ceopt_tui.core.ports import Clock
from ceopt_tui.core.visible import one_line
from ceopt_tui.engine.files import PAGE_NAME, REPORT_NAME
from ceopt_tui.engine.pull_request import pull_request
from ceopt_tui.errors import CeoptError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui import messages as m
from ceopt_tui.ui.commands import Place, commands_of, help_text, key_shown
from ceopt_tui.ui.editing_app import EditingApp
from ceopt_tui.ui.engine_app import Tick, Work
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.handing_out_app import HandingOutApp
from ceopt_tui.ui.personal_app import PersonalApp
from ceopt_tui.ui.report_text import report_text
from ceopt_tui.ui.run_model import RunModel
from ceopt_tui.ui.screens.confirm import ConfirmScreen
from ceopt_tui.ui.screens.home import HomeScreen
from ceopt_tui.ui.screens.reading import ReadingScreen
from ceopt_tui.ui.screens.run import RunScreen
from ceopt_tui.ui.screens.themes import ThemesScreen
from ceopt_tui.ui.studying_app import StudyingApp

if TYPE_CHECKING:
    from ceopt_tui.ui.catalogue import Catalogue

READING = "reading"  # the group of workers that read journals
REREADING = "rereading"
REFRESH_S = 0.25


class CeoptApp(PersonalApp, HandingOutApp, StudyingApp, EditingApp):
    """Home, run, question and report. Its return value is the exit status."""

    CSS_PATH = "app.tcss"
    TITLE = "ceopt"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave_now", "Quit", show=False, priority=True, id="app.leave_now"),
        Binding("ctrl+c", "help_quit", show=False, system=True),
    ]

    def __init__(
        self,
        catalogue: Catalogue,
        tick: Tick,
        clock: Clock,
        first: RunEntry | None = None,
        *,
        evalset: Path | RunOptions | None = None,
        refresh_s: float = REFRESH_S,
    ) -> None:
        super().__init__(tick, clock)
        self._catalogue = catalogue
        self._first = first
        self.evalset = evalset
        self._refresh_s = refresh_s
        self._models: dict[str, RunModel] = {}
        self._interrupts = 0
        self._rereading = False

    def on_mount(self) -> None:
        self.push_screen(HomeScreen(self._catalogue.where, self.clock))
        if self._first is not None:
            options = self._first.options
            scoring = options is not None and options.scoring is not None
            start = scoring or self._first.state.finished is None or RunModel(self._first).idle(self.clock.now())
            self.post_message(m.RunOpened(self._first, start=start))
        if isinstance(self.evalset, Path):
            self.open_evalset(self.evalset)
        elif self.evalset is not None:
            self.open_evalset_of(self.evalset)

    # Runs and screens

    def on_reload_wanted(self) -> None:
        work: Work = self._read_runs
        self.run_worker(work, group=READING, description=READING, exclusive=True, exit_on_error=False)

    async def _read_runs(self) -> None:
        try:
            self.post_message(m.RunsRead(await asyncio.to_thread(self._catalogue.entries)))
        except CeoptError as error:
            self.post_message(m.RunsRead([], str(error)))

    def on_runs_read(self, message: m.RunsRead) -> None:
        entries = [self._current(entry) for entry in message.entries]
        home = next((screen for screen in self.screen_stack if isinstance(screen, HomeScreen)), None)
        if home is not None:
            home.show(entries, message.fault)

    def on_reread_wanted(self) -> None:
        if self.shown is not None and not self._rereading:
            self._rereading = True
            work: Work = partial(self._reread, self.shown.model.entry)
            self.run_worker(work, group=REREADING, description=REREADING, exit_on_error=False)

    async def _reread(self, entry: RunEntry) -> None:
        try:
            self.post_message(m.RunRead(await asyncio.to_thread(self._catalogue.reread, entry), entry))
        finally:
            self._rereading = False

    def on_run_read(self, message: m.RunRead) -> None:
        model = self._models.get(message.entry.key)
        if model is None or model.working or message.entry is message.before or model.entry is not message.before:
            return
        model.follow(message.entry)
        self.on_run_changed()

    def _current(self, entry: RunEntry) -> RunEntry:
        """The entry with the state of the engine here, where it is at work."""
        model = self._models.get(entry.key)
        if model is None or not model.working:
            return entry
        return replace(entry, state=model.state, terms=model.terms, at_work=True)

    def on_run_opened(self, message: m.RunOpened) -> None:
        known = self._models.get(message.entry.key)
        model = known if known and (known.working or known.result) else RunModel(message.entry)
        if not model.working:
            model.follow(message.entry)
        self._models[message.entry.key] = model
        if message.entry is self._first:
            self.last = model
        self.push_screen(RunScreen(model, self.clock, self._refresh_s))
        if message.start:
            self.call_after_refresh(self.start, model)

    def on_run_wanted(self) -> None:
        if self.shown is not None:
            self.start(self.shown.model)

    def on_wrap_up_wanted(self) -> None:
        if self.shown is not None:
            self.start(self.shown.model, wrap_up=True)

    # Reading

    def on_report_wanted(self) -> None:
        if self.shown is None:
            return
        entry = self.shown.model.entry
        path = entry.folder / REPORT_NAME
        try:
            text = report_text(path.read_text(encoding="utf-8"))
        except OSError:
            text = "There is no report yet: it is written when the run ends."
        page = entry.folder / PAGE_NAME
        shown = ReadingScreen(
            f"Report of {one_line(entry.name)}", text, str(path), page if page.is_file() else None, path
        )
        self.push_screen(shown)

    def on_pull_request_wanted(self) -> None:
        if self.shown is not None and self.shown.model.state.keeps:
            entry = self.shown.model.entry
            text = pull_request(self.shown.model.state)
            self.push_screen(ReadingScreen(f"Pull request of {one_line(entry.name)}", text, "`ceopt apply --pr`"))

    def on_themes_wanted(self) -> None:
        if self.shown is not None:
            self.push_screen(ThemesScreen(self.shown.model))

    def action_help(self) -> None:
        self.push_screen(ReadingScreen("Keys", help_text(getattr(self.screen, "place", None), self.settings.keymap)))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        place: Place = getattr(screen, "place", "reading")
        for command in commands_of(place):
            if command.in_palette:
                callback = partial(self.run_action, command.action, screen)
                key = key_shown(place, command, self.settings.keymap)
                yield SystemCommand(command.label, f"{command.explanation} ({key})", callback)
        yield SystemCommand("Theme", "Change the colours", self.action_change_theme)

    # Stopping and leaving

    def on_stop_wanted(self) -> None:
        model = self.working
        if model is None:
            return
        if model.skin is not None and model.skin.stopping:
            self.cancel_work()
            return

        def stop() -> None:
            if model.working and model.skin is not None:
                model.skin.stop()
                self.on_run_changed()

        question = "Stop the run? Calls under way are finished and recorded; you can go on later where it was."
        self._confirm(question, "stop", "let it go on", stop)

    def on_end_wanted(self) -> None:
        if self.shown is None:
            return
        model = self.shown.model

        def end() -> None:
            if model.working and model.skin is not None:
                model.skin.end()
            else:
                self.start(model, ending=True)
            self.on_run_changed()

        question = (
            "End the run for good? No new experiment starts; what was kept is measured once more on the held-out "
            "cases, then the report is written. It does not go on after that."
        )
        self._confirm(question, "end it", "let it be", end)

    def on_start_over_wanted(self) -> None:
        if self.shown is None:
            return
        model = self.shown.model

        def start_over() -> None:
            model.start_over()
            self.start(model)

        question = (
            "Start over? This run is archived with its branch, nothing is deleted; a new one begins with spec, eval "
            "set and text as they are now."
        )
        self._confirm(question, "start over", "leave it", start_over)

    def action_leave(self) -> None:
        """Leaves; asks once while calls are under way."""
        if self.working is None or self.working.activity.asking:
            self.action_leave_now()
            return
        question = "The run is at work. Leave? It stops now; everything recorded is kept and it goes on where it was."
        self._confirm(question, "leave", "stay", self.action_leave_now)

    def _confirm(self, question: str, yes: str, no: str, act: Callable[[], None]) -> None:
        self.push_screen(ConfirmScreen(question, yes, no), lambda given: act() if given else None)

    def action_leave_now(self) -> None:
        self.unless_unsaved(partial(self.leave, ExitStatus.FINISHED))

    def action_help_quit(self) -> None:
        """ctrl+c without a selection: asks once, then stops the run and leaves."""
        self._interrupts += 1
        if self._interrupts > 1:
            self.unless_unsaved(partial(self.leave, ExitStatus.INTERRUPTED))
            return
        what = "stop the run and leave" if self.working else "leave"
        kept = "what you wrote is not saved" if self.unsaved else "state is kept"
        self.notify(f"Press ctrl+c again to {what}; {kept}.", timeout=5, markup=False)
        self.set_timer(5, self._forget_interrupt)

    def _forget_interrupt(self) -> None:
        self._interrupts = 0
