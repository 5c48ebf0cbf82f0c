"""A person ends a run for good: on record under the run's lock; the loop wraps up and reports. Decides nothing."""

from __future__ import annotations

from pathlib import Path

from ceopt_tui.core.plan.keeping import refused_by_person
from ceopt_tui.core.plan.proposals import unasked
from ceopt_tui.core.plan.stopping import ENDED_BY_PERSON
from ceopt_tui.core.ports import Clock
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.session import open_session
from ceopt_tui.engine.telling import with_learnings
from ceopt_tui.errors import CeoptError, SetupError
from schemas.keeping_records import DependenciesDecided, ProposalSettled
from schemas.records import AnyRecord


class EndRequested(CeoptError):
    """A skin raises it from `progress` or `ask`: the loop ends here, the run goes on to its report."""


async def end_run(folder: Path, clock: Clock, *, refuse: bool = False) -> RunState:
    """Puts the end of a run that nobody works on into its journal; the next tick wraps it up.

    `refuse`: what waits for a person is refused as well. BusyError while another process works on it, SetupError where
    there is nothing to end.
    """
    with open_session(folder, clock, lambda _record: None) as session:
        state = session.state
        if state.started is None:
            raise SetupError("this run has not begun, so there is nothing to end")
        if state.finished is not None:
            raise SetupError("this run has ended already", "`ceopt report` shows its report.")
        records: list[AnyRecord] = [] if state.stopped else [ENDED_BY_PERSON]
        if refuse:
            records += _refused(state)
        told = [record.model_copy(update={"by": "person"}) for record in with_learnings(state, records)]
        await session.recorder.commit(*told)
        return state


def _refused(state: RunState) -> list[AnyRecord]:
    """A person's no to all that waits for one."""
    reason = refused_by_person("refuse: the run was ended")
    settled = [
        ProposalSettled(number=parked.number, decision="refused", reason=reason, by="person")
        for parked in state.waiting.proposals
    ]
    lacking = tuple(unasked(state))
    return [*settled, *([DependenciesDecided(refused=lacking, by="person")] if lacking else [])]
