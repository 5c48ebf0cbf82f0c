"""The run a screen shows: what its journal said when it was opened, or what the engine here does with it now."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.fold import apply, fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.ended import finished_result, goes_on
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.engine.skin import Commit
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.overview import Activity
from ceopt_tui.ui.skin import AppSkin
from ceopt_tui.wiring import commit_alone
from schemas.records import AnyRecord


class RunModel:
    """One opened run. `skin` is set while, and after, the engine of this process works on it."""

    def __init__(self, entry: RunEntry) -> None:
        self.entry = entry
        self.skin: AppSkin | None = None
        self.working = False
        self.result = finished_result(entry.state)
        self.trouble = ""

    @property
    def state(self) -> RunState:
        return (self.skin.state if self.skin else None) or self.entry.state

    @property
    def terms(self) -> Terms | None:
        """Those the engine works under; between two ticks those of the spec as it was last read."""
        at_work = self.skin.terms if self.skin else None
        return at_work or self.entry.terms if self.working else self.entry.terms or at_work

    @property
    def commit(self) -> Commit | None:
        """Puts a person's word into the run's journal; None while nobody could: it is stopping, or not in our hands."""
        if self.working:
            return self.skin.commit if self.skin and not self.skin.stopping else None
        return None if self.entry.at_work or self.entry.options is None else self._commit_alone

    async def _commit_alone(self, record: AnyRecord) -> None:
        """With nobody at work on the run, its journal is opened for this one record."""
        assert self.entry.options is not None
        await commit_alone(self.entry.options, record)
        apply(self.state, record)
        self.entry = replace(self.entry, position=None)  # the state is ahead of what was read

    @property
    def ended(self) -> bool:
        """Is the run over, and could a person choose here what comes of it?"""
        free = not self.working and not self.entry.at_work and self.entry.options is not None
        return free and self.state.finished is not None

    def idle(self, now: datetime) -> bool:
        """Could this process go on with the run? A finished one only where its end no longer holds."""
        if self.working or self.entry.at_work or self.entry.options is None:
            return False
        state, terms = self.state, self.terms
        if state.finished is None:
            return True
        return terms is not None and goes_on(state, terms, now)

    @property
    def activity(self) -> Activity:
        if self.working and self.skin:
            return self.skin.activity()
        return Activity(trouble=self.trouble, elsewhere=self.entry.at_work)

    def follow(self, entry: RunEntry) -> None:
        """Takes what the journal says now; it has the last word once another process has worked on the run."""
        known = _tick_of(self.state)
        fold(entry.added, entry.state)
        if known != _tick_of(entry.state):
            self.skin, self.trouble = None, ""
            self.result = finished_result(entry.state) or self.result
        self.entry = replace(entry, added=())

    def start_over(self) -> None:
        """The next start archives this run and begins another."""
        if self.entry.options is not None:
            self.entry = replace(self.entry, options=replace(self.entry.options, fresh=True))

    def begin(self, skin: AppSkin) -> None:
        """The engine starts to work on it; what was asked for the start alone is not asked for again."""
        if self.entry.options is not None:
            self.entry = replace(self.entry, options=replace(self.entry.options, fresh=False, approve=None))
        self.skin, self.working, self.result, self.trouble = skin, True, None, ""

    def end(self, result: TickResult) -> None:
        """The tick is over."""
        if self.skin and self.skin.stopping and result.status == "stopped":
            result = replace(result, outcome="stopped")
        self.working, self.result = False, result
        self.trouble = "" if result.status == "finished" else result.reason


def _tick_of(state: RunState) -> tuple[str, int]:
    """Which start of which run this is."""
    return state.started.run_id if state.started else "", state.tick.tick if state.tick else 0
