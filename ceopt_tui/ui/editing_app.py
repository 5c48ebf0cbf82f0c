"""An app that opens eval sets to edit and the coverage of a text, and leaves no change behind without a word."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import CeoptError
from ceopt_tui.evalset_runs import evalset_source, open_runs
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.asking_app import AskingApp
from ceopt_tui.ui.coverage_map_source import CoverageFiles, MapSource
from ceopt_tui.ui.messages import CoverageWanted, EvalSetWanted
from ceopt_tui.ui.new_run_source import NewRunSource
from ceopt_tui.ui.screens.confirm import LeaveScreen
from ceopt_tui.ui.screens.coverage import CoverageScreen
from ceopt_tui.ui.screens.evalset import EvalSetScreen
from ceopt_tui.ui.screens.evalset_case import EvalSetCaseScreen
from ceopt_tui.ui.screens.evalset_trial import TriesCase
from ceopt_tui.ui.screens.new_run import NewRunScreen
from ceopt_tui.ui.screens.pick import PickScreen
from ceopt_tui.ui.typing_ahead import TypingAheadApp

NO_SPEC = "The spec of this run is not where it was, so nothing says which cases it is measured on."
NO_REPOSITORY = "A run lives in a git repository; start ceopt in one."
NOT_SAVED = "What you wrote is not saved. Leave without it?"


class EditingApp(TypingAheadApp, AskingApp):
    """Opens the eval set of a run, or one by its file, and the coverage map of a text.

    `trial_of` makes what runs a spec's text on a case, `map_of` what reads and measures the map of a spec,
    `new_runs` is the repository that new runs are set up in.
    """

    trial_of: Callable[[RunOptions], TriesCase] | None = None
    map_of: Callable[[RunOptions | None, Path], MapSource] = CoverageFiles
    new_runs: NewRunSource | None = None

    def on_new_run_wanted(self) -> None:
        if self.new_runs is None:
            self.notify(NO_REPOSITORY, severity="error", markup=False)
        else:
            self.push_screen(NewRunScreen(self.new_runs))

    def on_eval_set_wanted(self, message: EvalSetWanted) -> None:
        if message.entry.options is None:
            self.notify(NO_SPEC, severity="error", markup=False)
        else:
            self.open_evalset_of(message.entry.options)

    def on_coverage_wanted(self, message: CoverageWanted) -> None:
        self.push_screen(CoverageScreen(message.name, self.map_of(message.options, message.folder)))

    def open_evalset_of(self, options: RunOptions) -> None:
        """Shows the eval set of a spec; asks which where there are several."""
        try:
            source = evalset_source(options.spec_path)
        except CeoptError as error:
            self.notify(said(str(error)), severity="error", timeout=20, markup=False)
            return
        if not source.files:
            self.notify("This run names no eval set.", markup=False)
        elif len(source.files) == 1:
            self.open_evalset(source.files[0], options, seed=source.seed, share=source.share)
        else:
            self._pick(source.files, options, source.seed)

    def _pick(self, files: tuple[Path, ...], options: RunOptions, seed: int) -> None:
        def picked(place: int | None) -> None:
            if place is not None:
                self.open_evalset(files[place], options, seed=seed)

        self.push_screen(PickScreen("Which eval set?", [one_line(file.name) for file in files]), picked)

    def open_evalset(
        self, file: Path, options: RunOptions | None = None, *, seed: int = 7, share: float | None = None
    ) -> None:
        """Shows the eval set; with `options` runs are looked for where these keep them."""
        looks = partial(open_runs, state_root=options.state_root, environ=options.environ) if options else open_runs
        screen = EvalSetScreen(file, seed=seed, share=share, looks=looks)
        screen.spec = options
        screen.trial = self.trial_of(options) if options and self.trial_of else None
        self.push_screen(screen)

    @property
    def unsaved(self) -> bool:
        """Is there something a person wrote that no file holds?"""
        return any(getattr(screen, "unsaved", False) for screen in self.screen_stack)

    def unless_unsaved(self, leave: Callable[[], object]) -> None:
        """Leaves; asks once while something would be lost: the screen itself where it can keep what was written."""
        screen = self.screen
        if not self.unsaved or isinstance(screen, LeaveScreen):
            leave()
            return
        if isinstance(screen, EvalSetCaseScreen | EvalSetScreen):
            screen.ask_to_leave(partial(self.unless_unsaved, leave))
            return

        def answered(given: bool | None) -> None:
            if given:
                leave()

        self.push_screen(LeaveScreen(NOT_SAVED, "leave without it", "stay"), answered)
