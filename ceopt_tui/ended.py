"""A run that has ended, told from its journal alone: no model has to be configured to say so. Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ceopt_tui.core.clocks import calendar_s
from ceopt_tui.core.plan.reopening import reopens
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Clock
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.exits import ExitStatus
from ceopt_tui.inputs import Project, digests, terms_of
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.looking import read_state
from ceopt_tui.run_options import RunOptions


@dataclass(frozen=True)
class EndedRun:
    """What its journal says, and how it ended."""

    state: RunState
    terms: Terms
    result: TickResult


def ended_run(project: Project, options: RunOptions, folder: Path, clock: Clock) -> EndedRun | None:
    """The run in `folder`, if it has ended and the user's files as they are leave it so."""
    if options.fresh or not (folder / JOURNAL_NAME).is_file():
        return None
    state = read_state(folder)
    result, terms = finished_result(state), terms_of(project, attended=options.attended, usd_per_run=None)
    if result is None or state.started is None or goes_on(state, terms, clock.now()):
        return None
    same = state.started.measurement_digest == digests(project)[1]
    return EndedRun(state, terms, result) if same else None


def goes_on(state: RunState, terms: Terms, now: datetime) -> bool:
    """Would a start now take an ended run up again, because what ended it no longer holds?"""
    if state.phase3_at is None:
        return False
    wall_s = calendar_s(datetime.fromisoformat(state.phase3_at), now)
    return reopens(state, terms, state.active_s - state.phase3_active_s, wall_s) is not None


def finished_result(state: RunState) -> TickResult | None:
    """How a run that has ended for good ended; None for any other."""
    ended = state.finished
    if ended is None:
        return None
    status = ExitStatus(ended.exit_status)
    return TickResult("stopped" if status else "finished", ended.outcome, ended.reason, status)
