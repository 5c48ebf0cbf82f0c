"""One tick of a run: plan, carry out, record, again, until the plan is done or something must wait.

Decides nothing itself: what comes next is `plan`'s word, and every result is a record before it is believed.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ceopt_tui.core.clocks import Moment, calendar_s, jump_s, spoken, worked_s
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.actions import (
    Action,
    Ask,
    Done,
    Examine,
    GroupThemes,
    Hypothesize,
    Judge,
    Keep,
    Measure,
    Note,
    Park,
    Probe,
    Propose,
    ProposeCases,
    ReadWinner,
    Report,
    ScoreSheet,
)
from ceopt_tui.core.plan.plan import begins_experiment, plan
from ceopt_tui.core.plan.reopening import LIMITS, reopens
from ceopt_tui.core.plan.stopping import out_of_time
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.asking import ask
from ceopt_tui.engine.begin import (
    MeasuredOtherwise,
    begin,
    begins_again,
    changed,
    copy_agreed,
    new_notes,
    refuse_changed,
)
from ceopt_tui.engine.command.collecting import ResultsAwaited
from ceopt_tui.engine.command.desk import CommandDesk
from ceopt_tui.engine.command.workplace import Workplace
from ceopt_tui.engine.ending import EndRequested, ending, requested_end, withdraw_request
from ceopt_tui.engine.files import LogView, view_is_stale, write_digest, write_report
from ceopt_tui.engine.harness import examine_checks, probe, propose_cases
from ceopt_tui.engine.ideas import hypothesize, propose
from ceopt_tui.engine.judging import judge_outputs
from ceopt_tui.engine.measuring import HarnessFailed, Pool, Progress
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.reading import read_winner
from ceopt_tui.engine.scoring import score_sheet
from ceopt_tui.engine.session import Session
from ceopt_tui.engine.surroundings import look_around
from ceopt_tui.engine.telling import with_learnings
from ceopt_tui.engine.theming import group_themes
from ceopt_tui.errors import (
    AuthError,
    BudgetError,
    CeoptError,
    GitError,
    NeedsPersonError,
    QuotaError,
    SetupError,
    StorageError,
)
from ceopt_tui.exits import ExitStatus
from schemas.records import (
    AnyRecord,
    BaselineMeasured,
    Committed,
    ExperimentClosed,
    Finished,
    Noted,
    Reopened,
    Stopped,
    TickEnded,
    TickStarted,
)

Status = Literal["running", "waiting", "blocked", "finished"]

CHANGED = "changed"  # the outcome of a tick whose files or model are not those of the measurements on record
SCORED = frozenset({"calibrated", "scored"})  # a tick that was for a person's scores did what it was for
NO_GAIN = "the cap was reached"

# What an error that ends a tick is called; anything else is an outage.
WORDS: dict[type[CeoptError], str] = {
    BudgetError: "budget", QuotaError: "quota", AuthError: "auth", GitError: "git", StorageError: "storage",
    SetupError: "setup",
}  # fmt: skip


@dataclass(frozen=True)
class TickResult:
    """How a tick ended. `outcome` is a word for scripts, `reason` a sentence for people."""

    status: Literal["finished", "waiting", "blocked", "stopped"]
    outcome: str
    reason: str
    exit_status: ExitStatus
    restorable: bool = False  # of a run whose files changed: can they be put back


class Run:
    """One run for the length of one tick."""

    def __init__(self, session: Session, inputs: RunInputs, parts: Parts, progress: Progress) -> None:
        self._session = session
        self._recorder = session.recorder
        self._inputs = inputs
        self._parts = parts
        self._progress = progress
        scorer = None if parts.judging else parts.scorer  # a judge scores outputs when they are all in
        self._pool = Pool(session.recorder, parts.runner, scorer, inputs.cases, parts.concurrency, progress)
        self._view = LogView(session.folder, inputs.spec_bytes.decode("utf-8-sig"))
        self._start = self._moment()
        self._seen = self._start
        self._recorder.first = self._jumps
        self._limit_s: float | None = None
        self._max_experiments: int | None = None
        self._decided_before = self.state.iterations
        place = Workplace(session.recorder, inputs, parts, progress, self._late)
        self._commands = CommandDesk(place) if parts.command else None
        self._thinking_s = 0.0  # a person's time with a question is no work of the run's

    @property
    def state(self) -> RunState:
        return self._session.state

    async def tick(self, max_active_s: float | None = None, max_experiments: int | None = None) -> TickResult:
        """Does what can be done now, for `max_active_s` and until `max_experiments` are decided, where these are given.

        Errors that park a run come back as a result, not as exceptions.
        """
        self._limit_s, self._max_experiments = max_active_s, max_experiments
        reopened: list[AnyRecord] = []
        terms = self._parts.terms
        goes_on = terms.scoring or terms.wrapping or begins_again(self.state, self._inputs, self._parts)
        stopped = self.state.stopped
        over = self.state.report or (stopped and stopped.outcome in LIMITS)  # or it waits, with nothing else to do
        if over and not goes_on:
            reason = reopens(self.state, self._parts.terms, self._active_s(), self._wall_s())
            if reason and not changed(self.state, self._inputs, self._parts):
                reopened = [Reopened(reason=reason)]
        if self.state.finished and not goes_on and not reopened:
            return await self._ended_before(self.state.finished)
        records = [*begin(self._session, self._inputs, self._parts), *reopened]
        number = (self.state.tick.tick if self.state.tick else 0) + 1
        await self._recorder.commit(TickStarted(tick=number, pid=os.getpid(), host=socket.gethostname()), *records)
        try:
            self._clean()
            refuse_changed(self._session, self._inputs, self._parts)
            if notes := look_around(self.state, self._inputs, self._parts):
                await self._recorder.commit(*notes)
            if self._commands:
                await self._commands.look_around()
            result = await self._until_parked()
        except asyncio.CancelledError:
            await asyncio.shield(self._end(number, "waiting", "interrupted", "interrupted"))
            raise
        except CeoptError as error:
            result = _parked(error)
        status: Status = result.status if result.status != "stopped" else "waiting"
        await self._end(number, status, result.reason, result.outcome)
        return result

    def _clean(self) -> None:
        """Takes away what a killed tick left behind."""
        self._parts.backend.clean()
        if self._commands:
            self._commands.tidy()

    async def _ended_before(self, finished: Finished) -> TickResult:
        """A finished run stays as it is; one whose spec changed since would answer another question."""
        try:
            refuse_changed(self._session, self._inputs, self._parts)
        except NeedsPersonError as error:
            return _parked(error)
        if view_is_stale(self._session.folder):
            await self._write_view()
        return _finished(finished)

    async def _until_parked(self) -> TickResult:
        while True:
            await self._note_jump()
            if requested_end(self._session.folder) is not None:
                await self._end_by_person()
            if self._tick_used_up():
                return TickResult("waiting", "time", "the time for this tick is used up", ExitStatus.WAITING)
            action = plan(self.state, self._parts.terms, active_s=self._active_s(), wall_s=self._wall_s())
            if begins_experiment(action) and self._decided() == self._max_experiments:
                reason = f"{counted(self._decided(), 'experiment')} decided, as many as this start may"
                return TickResult("waiting", "ticks", reason, ExitStatus.WAITING)
            if isinstance(action, Done):
                assert self.state.finished is not None
                return _finished(self.state.finished)
            if isinstance(action, Park) and action.outcome in SCORED:
                return TickResult("waiting", action.outcome, action.reason, ExitStatus.FINISHED)
            if isinstance(action, Park):
                status: Literal["stopped", "blocked"] = "blocked" if action.status == "blocked" else "stopped"
                needs_person = action.outcome == "needs_person"
                exit_status = ExitStatus.NEEDS_PERSON if needs_person else ExitStatus.STOPPED
                return TickResult(status, action.outcome, action.reason, exit_status)
            try:
                await self._carry_out(action)
            except BudgetError as error:
                await self._out_of_budget(error)
            except EndRequested:
                await self._end_by_person()
            except ResultsAwaited:
                return TickResult("waiting", "results", "workers elsewhere have not delivered yet", ExitStatus.WAITING)

    async def _end_by_person(self) -> None:
        """Here, or from elsewhere by a request, which is on record before it is withdrawn."""
        refuse = bool(requested_end(self._session.folder))
        await self._recorder.commit(*ending(self.state, refuse=refuse))
        withdraw_request(self._session.folder)

    async def _carry_out(self, action: Action) -> None:
        recorder, inputs, parts = self._recorder, self._inputs, self._parts
        if self._commands and self._commands.takes(action):
            await self._commands.carry_out(action, self._digest(), self._total_active_s())
            return
        match action:
            case Note(records):
                await recorder.commit(*with_learnings(self.state, records))
                await self._checkpoint(action)
            case Probe():
                await probe(recorder, parts)
            case Examine():
                await examine_checks(recorder, inputs, parts)
            case ProposeCases():
                await propose_cases(recorder, inputs, parts, self._digest())
            case Ask():
                await self._thinking(ask(recorder, inputs, parts, action))
                if action.what in {"spec", "baseline"}:
                    await asyncio.to_thread(copy_agreed, self._session, inputs, parts)
            case Measure():
                await self._measure(action)
            case Judge():
                await judge_outputs(recorder, inputs, parts, action, self._progress)
            case ScoreSheet():
                await self._thinking(score_sheet(recorder, parts, action))
            case GroupThemes():
                await group_themes(recorder, inputs, parts, action)
            case Hypothesize():
                await hypothesize(recorder, inputs, parts, action, self._digest(), self._total_active_s())
                if self._view.is_due(self.state):
                    await self._write_view()
            case Propose():
                await propose(recorder, inputs, parts, action, self._digest())
            case ReadWinner():
                await read_winner(recorder, inputs, parts, action)
            case Keep(number):
                await recorder.commit(await self._keep(number))
            case Report():
                place = (self._session.folder, parts.backend)
                written = await asyncio.to_thread(write_report, *place, self.state, parts.terms, inputs.coverage)
                await recorder.commit(written)

    async def _measure(self, action: Measure) -> None:
        """Measures until the time is up: that of the tick, or that of the whole run, which ends the loop."""
        if not await self._pool.measure(action, self._late) and (stopped := self._hours_used_up()):
            await self._recorder.commit(stopped)

    def _late(self) -> bool:
        return self._tick_used_up() or self._hours_used_up() is not None

    def _tick_used_up(self) -> bool:
        return self._limit_s is not None and self._worked_s() >= self._limit_s

    def _decided(self) -> int:
        """Experiments that this tick has come to the end of."""
        return self.state.iterations - self._decided_before

    def _hours_used_up(self) -> Stopped | None:
        """The stop rule on hours that holds now; wrapping up is not bound by it."""
        if self.state.stopped:
            return None
        return out_of_time(self._parts.terms.extended(self.state.raised), self._active_s(), self._wall_s())

    async def _thinking(self, answering: Awaitable[None]) -> None:
        """A person's time with a question or a sheet is theirs."""
        asked = self._moment()
        try:
            await answering
        finally:
            self._thinking_s += worked_s(asked, self._moment())

    async def _keep(self, number: int) -> Committed:
        experiment = self.state.experiments[number]
        assert experiment.text_digest is not None
        base, texts = self.state.texts[experiment.started.base_digest], self.state.texts[experiment.text_digest]
        changed = {path: text for path, text in texts.items() if base[path] != text}
        message = f"optimize({self._inputs.name}): {experiment.hypothesis.description}"
        started, backend = experiment.started, self._parts.backend
        commit = await asyncio.to_thread(backend.keep, number, started.branch, started.base_sha, changed, message)
        return Committed(number=number, text_digest=experiment.text_digest, commit=commit, branch=backend.branch)

    async def _out_of_budget(self, error: BudgetError) -> None:
        """A cap met in the middle of a step ends the loop; met again at the final gain, the report does without it."""
        stopped = self.state.stopped
        if self.state.baseline is None or (stopped and (stopped.no_gain or self.state.gain)):
            raise error
        if stopped:
            await self._recorder.commit(stopped.model_copy(update={"no_gain": NO_GAIN}))
            return
        await self._recorder.commit(Stopped(outcome="budget", reason=error.message))

    async def _end(self, number: int, status: Status, reason: str, outcome: str) -> None:
        active_s = self._worked_s()
        wake = self._parts.wake
        ended = TickEnded(tick=number, active_s=active_s, status=status, reason=reason, outcome=outcome, wake=wake)
        await self._recorder.commit(*new_notes(self.state, [*self._parts.notes, *self._recorder.untold]), ended)
        await self._recorder.flush()
        if self._commands:
            await asyncio.to_thread(self._commands.tidy)
        await self._write_view()

    async def _checkpoint(self, note: Note) -> None:
        """People's view follows at the checkpoints; single experiments of a long run do not wait for it."""
        kinds = {type(record) for record in note.records}
        due = ExperimentClosed in kinds and self._view.is_due(self.state)
        if due or BaselineMeasured in kinds or Stopped in kinds:
            await self._write_view()

    async def _write_view(self) -> None:
        await self._view.write(self.state)

    def _digest(self) -> str:
        return write_digest(self._session.folder, self.state, self._parts.terms.span)

    def _moment(self) -> Moment:
        return Moment(self._parts.clock.now(), self._parts.clock.monotonic())

    async def _note_jump(self) -> None:
        if jump_s(self._seen, self._moment()) is not None:
            await self._recorder.commit()

    def _jumps(self) -> list[AnyRecord]:
        """The jump of the clock since the last record, to be on record before anything that comes after the jump."""
        now = self._moment()
        jump = jump_s(self._seen, now)
        self._seen = now
        return [] if jump is None else [Noted(text=f"clock moved {spoken(jump)}", jump_s=jump)]

    def _worked_s(self) -> float:
        return max(0.0, worked_s(self._start, self._moment()) - self._thinking_s)

    def _total_active_s(self) -> float:
        return self.state.active_s + self._worked_s()

    def _active_s(self) -> float:
        return max(0.0, self._total_active_s() - self.state.phase3_active_s) if self.state.phase3_at else 0.0

    def _wall_s(self) -> float:
        if self.state.phase3_at is None:
            return 0.0
        return calendar_s(datetime.fromisoformat(self.state.phase3_at), self._parts.clock.now())


def _finished(record: Finished) -> TickResult:
    exit_status = ExitStatus(record.exit_status)
    stopped = exit_status is not ExitStatus.FINISHED
    return TickResult("stopped" if stopped else "finished", record.outcome, record.reason, exit_status)


def _parked(error: CeoptError) -> TickResult:
    """What an error that ends the tick means for the run."""
    if isinstance(error, MeasuredOtherwise):
        return TickResult("blocked", CHANGED, str(error), error.exit_status, error.restorable)
    if isinstance(error, NeedsPersonError):
        return TickResult("blocked", "needs_person", str(error), error.exit_status)
    if isinstance(error, HarnessFailed):
        return TickResult("stopped", "harness_failed", str(error), error.exit_status)
    word = next((word for kind, word in WORDS.items() if isinstance(error, kind)), "outage")
    return TickResult("stopped", word, str(error), error.exit_status)
