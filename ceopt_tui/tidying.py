"""What is left where a run had ended and its process was killed, or git failed: the next start takes it away."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.begin import SPEC_COPY
from ceopt_tui.engine.files import LogView
from ceopt_tui.engine.session import open_session
from ceopt_tui.errors import BusyError, SetupError
from ceopt_tui.gitops.branches import EXPERIMENTS, branches, delete_experiment
from ceopt_tui.gitops.worktrees import Worktrees
from ceopt_tui.journal.lock import OWNER_NAME, is_held
from ceopt_tui.project import Project
from ceopt_tui.run_places import BENCH, WORKTREES
from ceopt_tui.system_clock import SystemClock


async def tidy_ended(project: Project, folder: Path, state: RunState) -> None:
    """Removes checkouts and branches of experiments, and writes the log anew; where nothing was left it only looks."""
    if is_held(folder) or not _is_left(project, folder, state):
        return
    with suppress(BusyError), open_session(folder, SystemClock(), lambda _record: None) as session:
        await asyncio.to_thread(_take_away, project, folder, session.state)
        copy = folder / SPEC_COPY
        await LogView(folder, copy.read_text("utf-8-sig") if copy.is_file() else "").write(session.state)


def _is_left(project: Project, folder: Path, state: RunState) -> bool:
    """Was the last process killed, whose name is still there, or could git not do its bidding at the end?"""
    name, waiting = project.spec.name, state.waiting.proposals
    checkouts = any(any((folder / place).glob("exp-*")) for place in (WORKTREES, BENCH))
    ours = [branch for branch in branches(project.repository) if branch.startswith(f"{EXPERIMENTS}/{name}/")]
    return (folder / OWNER_NAME).exists() or checkouts or len(ours) > len(waiting)


def _take_away(project: Project, folder: Path, state: RunState) -> None:
    for checkouts in (WORKTREES, BENCH):
        Worktrees(project.repository, folder / checkouts).clean()
    waiting = {proposal.number for proposal in state.waiting.proposals}
    for experiment in state.experiments.values():
        if experiment.number not in waiting:
            with suppress(SetupError):  # somebody has it checked out: it stays theirs
                delete_experiment(project.repository, experiment.started.branch)
