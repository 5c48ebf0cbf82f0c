"""A person ends a run for good: on record under the run's lock; the loop wraps up and reports. Decides nothing.

Where another process works on the run it is asked by a file in the state folder, which it looks for between actions and
at each sign of progress.
"""

from __future__ import annotations

from pathlib import Path

from ceopt_tui.core.judging_ports import RecordMark, Sheet, SheetOutcome
from ceopt_tui.core.outcomes import run_word
from ceopt_tui.core.plan.keeping import refused_by_person
from ceopt_tui.core.plan.proposals import unasked
from ceopt_tui.core.plan.stopping import ENDED_BY_PERSON
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Clock, Question
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.session import open_session
from ceopt_tui.engine.skin import Commit, Skin
from ceopt_tui.engine.telling import with_learnings
from ceopt_tui.errors import CeoptError, SetupError
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import storage_error
from schemas.keeping_records import DependenciesDecided, ProposalSettled
from schemas.records import AnyRecord

REQUEST_NAME = "end-requested"
_REFUSE = b"refuse\n"


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
            withdraw_request(folder)
            word = run_word(state.finished.outcome, ended=True)
            raise SetupError(f"this run has ended already: {word}", "`ceopt report` shows its report.")
        await session.recorder.commit(*ending(state, refuse=refuse))
        withdraw_request(folder)
        return state


def ending(state: RunState, *, refuse: bool) -> list[AnyRecord]:
    """The records by which a person ends the run; none where it has come to its end already."""
    records: list[AnyRecord] = [] if state.stopped else [ENDED_BY_PERSON]
    if refuse:
        records += _refused(state)
    return [record.model_copy(update={"by": "person"}) for record in with_learnings(state, records)]


def request_end(folder: Path, *, refuse: bool) -> None:
    """Asks the process that works on the run to end it; the next one, if it leaves before."""
    write_atomic(folder / REQUEST_NAME, _REFUSE if refuse else b"")


def requested_end(folder: Path) -> bool | None:
    """None where nobody asked; else whether what waits for a person is refused as well."""
    try:
        return (folder / REQUEST_NAME).read_bytes() == _REFUSE
    except FileNotFoundError:
        return None
    except OSError as error:
        raise storage_error(error, folder / REQUEST_NAME) from error


def withdraw_request(folder: Path) -> None:
    """What was asked for is on record, or came too late."""
    try:
        (folder / REQUEST_NAME).unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(error, folder / REQUEST_NAME) from error


class EndableSkin:
    """A skin for a process that may be asked to end its run: each sign of progress looks whether it was."""

    def __init__(self, skin: Skin, folder: Path) -> None:
        self._skin = skin
        self._request = folder / REQUEST_NAME
        self._state = RunState()

    def opened(self, state: RunState, terms: Terms, commit: Commit | None = None) -> None:
        self._state = state
        self._skin.opened(state, terms, commit)

    def recorded(self, record: AnyRecord) -> None:
        self._skin.recorded(record)

    def progress(self, title: str, done: int, total: int) -> None:
        self._skin.progress(title, done, total)
        if self._state.started and not self._state.stopped and self._request.exists():
            raise EndRequested("you ended the run")

    async def ask(self, question: Question) -> str:
        return await self._skin.ask(question)

    async def score(self, sheet: Sheet, record: RecordMark) -> SheetOutcome:
        return await self._skin.score(sheet, record)


def _refused(state: RunState) -> list[AnyRecord]:
    """A person's no to all that waits for one."""
    reason = refused_by_person("refuse: the run was ended")
    settled = [
        ProposalSettled(number=parked.number, decision="refused", reason=reason, by="person")
        for parked in state.waiting.proposals
    ]
    lacking = tuple(unasked(state))
    return [*settled, *([DependenciesDecided(refused=lacking, by="person")] if lacking else [])]
