"""What a process leaves that is killed when its run has ended: the next start, with nothing to do, takes it away."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.begin import SPEC_COPY
from ceopt_tui.engine.files import LogView
from ceopt_tui.engine.session import open_session
from ceopt_tui.errors import BusyError, SetupError
from ceopt_tui.gitops.branches import delete_experiment
from ceopt_tui.gitops.worktrees import Worktrees
from ceopt_tui.journal.lock import OWNER_NAME, is_held
from ceopt_tui.project import Project
from ceopt_tui.run_places import BENCH, WORKTREES
from ceopt_tui.system_clock import SystemClock


async def tidy_ended(project: Project, folder: Path) -> None:
    """Removes checkouts and branches of experiments, and writes the log anew.

    Costs nothing where every process ended by itself: only a killed one leaves the name of its owner.
    """
    if not (folder / OWNER_NAME).exists() or is_held(folder):
        return
    with suppress(BusyError), open_session(folder, SystemClock(), lambda _record: None) as session:
        await asyncio.to_thread(_take_away, project, folder, session.state)
        copy = folder / SPEC_COPY
        await LogView(folder, copy.read_text("utf-8-sig") if copy.is_file() else "").write(session.state)


def _take_away(project: Project, folder: Path, state: RunState) -> None:
    for checkouts in (WORKTREES, BENCH):
        Worktrees(project.repository, folder / checkouts).clean()
    waiting = {proposal.number for proposal in state.waiting.proposals}
    for experiment in state.experiments.values():
        if experiment.number not in waiting:
            with suppress(SetupError):  # somebody has it checked out: it stays theirs
                delete_experiment(project.repository, experiment.started.branch)
