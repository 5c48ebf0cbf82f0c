"""A person ends a run for good: on record under the run's lock; the loop wraps up and reports. Decides nothing."""

from __future__ import annotations

from pathlib import Path

from ceopt_tui.core.plan.stopping import ENDED_BY_PERSON
from ceopt_tui.core.ports import Clock
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.session import open_session
from ceopt_tui.errors import CeoptError, SetupError


class EndRequested(CeoptError):
    """A skin raises it from `progress` or `ask`: the loop ends here, the run goes on to its report."""


async def end_run(folder: Path, clock: Clock) -> RunState:
    """Puts the end of a run that nobody works on into its journal; the next tick wraps it up.

    BusyError while another process works on it, SetupError where there is nothing to end.
    """
    with open_session(folder, clock, lambda _record: None) as session:
        state = session.state
        if state.started is None:
            raise SetupError("this run has not begun, so there is nothing to end")
        if state.finished is not None:
            raise SetupError("this run has ended already", "`ceopt report` shows its report.")
        if state.stopped is None:
            await session.recorder.commit(ENDED_BY_PERSON)
        return state
