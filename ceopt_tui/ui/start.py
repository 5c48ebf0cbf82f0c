"""Opens the app on a terminal and brings its end back to the shell: signals, exit status, last lines."""

from __future__ import annotations

import asyncio
import io
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from ceopt_tui.errors import SetupError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.going_on import go_on
from ceopt_tui.replaying import ReplayEndpoint
from ceopt_tui.run_options import RunOptions
from ceopt_tui.shell import has_screen, outliving_its_streams
from ceopt_tui.system_clock import SystemClock
from ceopt_tui.tour import NOTES, lay_out_tour, recorded_replies
from ceopt_tui.trial import Trial
from ceopt_tui.ui.app import CeoptApp
from ceopt_tui.ui.catalogue import Catalogue, NoRuns, RepositoryCatalogue, entry_of_spec
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.last_words import outcome_lines, way_on
from ceopt_tui.ui.new_run_source import NewRunFiles
from ceopt_tui.ui.settings import read_settings, theme_file
from ceopt_tui.ui.study_source import StudyFiles
from ceopt_tui.ui.tour_app import TourApp
from judges.user_config import user_config_file
from schemas.loading import is_evalset_file

GOODBYE = "That was the tour; nothing of it is left. For a text of your own: `ceopt` in its repository, then n."


def open_run(options: RunOptions) -> int:
    """Opens the app on the run of this spec and sets it to work; gives the exit status."""
    require_terminal()
    first = entry_of_spec(options)
    later = replace(options, fresh=False, approve=None)
    return _open(RepositoryCatalogue(options.spec_path.resolve().parent, later), first)


def open_home() -> int:
    """Opens the app on the runs of the repository around the current folder."""
    require_terminal()
    options = RunOptions(spec_path=Path(), attended=True)
    return _open(RepositoryCatalogue(Path.cwd(), options), None)


def open_evalset(file: Path) -> int:
    """Opens the app on an eval set, or on that of a spec; behind it stand the runs of its repository, if any."""
    require_terminal()
    options = RunOptions(spec_path=file, attended=True)
    folder = file.resolve().parent
    try:
        catalogue: Catalogue = RepositoryCatalogue(folder, options)
    except SetupError:
        catalogue = NoRuns(str(folder))
    wanted = file if is_evalset_file(file) else options
    return _run(CeoptApp(catalogue, go_on, SystemClock(), evalset=wanted), catalogue)


def open_tour() -> int:
    """Opens the app on the demo, which answers from a recording, in a folder that goes away with it."""
    require_terminal()
    replies = recorded_replies()
    with tempfile.TemporaryDirectory(prefix="ceopt-tour-") as folder, ReplayEndpoint(replies) as endpoint:
        options = lay_out_tour(Path(folder), endpoint.base_url, dict(os.environ))
        catalogue = RepositoryCatalogue(options.spec_path.parent, options)
        app = TourApp(catalogue, go_on, SystemClock())
        app.notes = NOTES
        _run(app, catalogue, told=False)
    print(GOODBYE)
    return ExitStatus.FINISHED


def require_terminal() -> None:
    """SetupError where the app would wait for keys that nobody can press."""
    if not has_screen():
        raise SetupError("no terminal; use --unattended")


def _open(catalogue: RepositoryCatalogue, first: RunEntry | None) -> int:
    return _run(CeoptApp(catalogue, go_on, SystemClock(), first), catalogue)


def _run(app: CeoptApp, catalogue: Catalogue, *, told: bool = True) -> int:
    app.settings = read_settings(user_config_file(), theme_file())
    app.trial_of = Trial
    if isinstance(catalogue, RepositoryCatalogue):
        app.new_runs = NewRunFiles(catalogue.repository, catalogue.options)
        app.studies = StudyFiles(catalogue.repository.root, dict(os.environ))
    return run_app(app, told=told)


def run_app(app: CeoptApp, *, told: bool = True) -> int:
    """Runs the app on this terminal until it ends; prints what the shell is to show, gives the exit status.

    Not `told`: nothing of the run is left, so nothing is said of it.

    A fault that ended the app is raised again, for whoever prints and logs errors.
    """
    app.error_console = Console(file=io.StringIO())  # the fault is raised below; its screenful is not printed
    with outliving_its_streams():
        status = asyncio.run(_running(app))
        if app.fault is not None:
            raise app.fault
        if told and app.last is not None:
            print("\n".join(outcome_lines(app.last)))
            print("\n".join(way_on(app.last)), file=sys.stderr)
    return _status(app, status)


async def _running(app: CeoptApp) -> int:
    app.heed_signals()
    await app.run_async()
    await app.tick_over()
    return app.return_code or 0


def _status(app: CeoptApp, status: int) -> int:
    """A run that ended by itself gives its own status; a person who leaves, or a signal, gives theirs."""
    result = app.last.result if app.last else None
    if status == ExitStatus.FINISHED and result is not None and result.outcome != "interrupted":
        return result.exit_status
    return status
