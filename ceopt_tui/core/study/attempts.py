"""What the journal of a study says: which cells have a score, which failed, what was spent. Reads no file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ceopt_tui.errors import StorageError
from schemas.record import CallFacts
from schemas.study import PROGRAMS, BoundTarget
from schemas.study_records import (
    CellFailed,
    CellScored,
    CellStarted,
    JudgeTried,
    StudyRecord,
    StudyRegistered,
    StudyStopped,
    TargetProbed,
)

MOST_ATTEMPTS = 3  # at one cell, over all starts; those that a cap or an outage ended are no fault of the cell

Ended = CellScored | CellFailed | TargetProbed | JudgeTried


@dataclass(frozen=True)
class Spent:
    """Money and requests. `soft`: some of it is what an attempt may have cost, or was counted by ceopt itself."""

    usd: float = 0.0
    calls: int = 0
    soft: bool = False
    unpriced: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.usd + other.usd, self.calls + other.calls, self.soft or other.soft, self.unpriced + other.unpriced
        )


@dataclass
class StudyState:
    """The fold of a study's journal."""

    registered: StudyRegistered | None = None
    started: dict[str, CellStarted] = field(default_factory=dict)
    ended: dict[str, Ended] = field(default_factory=dict)
    attempts: dict[str, list[str]] = field(default_factory=dict)  # by cell, in order
    stopped: str | None = None

    @property
    def scores(self) -> Mapping[str, CellScored]:
        """The score of every cell that has one."""
        found: dict[str, CellScored] = {}
        for attempt, end in self.ended.items():
            if isinstance(end, CellScored):
                found[self.started[attempt].cell] = end
        return found

    @property
    def unresolved(self) -> tuple[str, ...]:
        """Attempts that were started and never ended."""
        return tuple(attempt for attempt in self.started if attempt not in self.ended)

    @property
    def last_call_free(self) -> bool:
        """Was nothing attempted yet?"""
        return not self.started

    def probes(self, target: str) -> tuple[TargetProbed, ...]:
        """Every probe of a target."""
        return tuple(end for end in self.ended.values() if isinstance(end, TargetProbed) and end.target == target)

    @property
    def judge_trials(self) -> tuple[JudgeTried, ...]:
        """Every trial of the judge."""
        return tuple(end for end in self.ended.values() if isinstance(end, JudgeTried))

    def attested(self, targets: Iterable[BoundTarget]) -> frozenset[str]:
        """The targets that are known to run apart: whatever start measured them, its probe held.

        A chat call has nothing to be kept apart: the model runs nothing here, and is sent what the study holds.
        """
        return frozenset(
            target.id
            for target in targets
            if target.harness == "api" or (target.harness in PROGRAMS and self._is_proved(target.id))
        )

    def _is_proved(self, target: str) -> bool:
        found = self.probes(target)
        return bool(found) and all(probe.attested for probe in found)

    def is_settled(self, cell: str) -> bool:
        """Is nothing more to be tried: is there a score, a failure for good, or were there attempts enough?"""
        tries = self.attempts.get(cell, [])
        ends = [self.ended.get(attempt) for attempt in tries]
        if any(isinstance(end, CellScored) or (isinstance(end, CellFailed) and not end.retryable) for end in ends):
            return True
        return sum(not (isinstance(end, CellFailed) and end.reason == "stopped") for end in ends) >= MOST_ATTEMPTS

    def failure(self, cell: str) -> str:
        """Why a cell has no score, in words."""
        tries = self.attempts.get(cell, [])
        end = self.ended.get(tries[-1]) if tries else None
        return end.message if isinstance(end, CellFailed) else "the attempt never ended" if tries else "not run"

    @property
    def spent(self) -> Spent:
        """All that was spent: failures and attempts that never ended count too."""
        return sum((_spent(start, self.ended.get(name)) for name, start in self.started.items()), Spent())


def fold(records: Iterable[StudyRecord]) -> StudyState:
    """The state after `records`. Raises StorageError where they cannot be the journal of one study."""
    state = StudyState()
    for record in records:
        fault = _taken(state, record)
        if fault:
            raise StorageError(
                f"record {record.seq} of the study's journal: {fault}", "Restore the journal from a backup."
            )
    return state


def _taken(state: StudyState, record: StudyRecord) -> str:
    """Takes a record in; what is wrong with it, empty where nothing is."""
    if isinstance(record, StudyRegistered):
        if state.registered is not None:
            return "a second study begins"
        state.registered = record
        return ""
    if state.registered is None:
        return "nothing was registered before it"
    if isinstance(record, StudyStopped):
        state.stopped = record.reason
    elif isinstance(record, CellStarted):
        if record.attempt in state.started:
            return f"the attempt {record.attempt} starts twice"
        state.started[record.attempt] = record
        state.attempts.setdefault(record.cell, []).append(record.attempt)
        state.stopped = None
    elif record.attempt not in state.started:
        return f"the attempt {record.attempt} ends and never started"
    elif record.attempt in state.ended:
        return f"the attempt {record.attempt} ends twice"
    else:
        state.ended[record.attempt] = record
    return ""


def _paid(facts: CallFacts) -> Spent:
    return Spent(facts.usd or 0.0, facts.attempts, facts.estimated, int(facts.usd is None and facts.attempts > 0))


def _spent(start: CellStarted, end: Ended | None) -> Spent:
    """What an attempt cost: its own account where it gave one, else what it was allowed."""
    if end is not None and end.facts is not None:
        judged = end.judged if isinstance(end, CellScored | CellFailed) else None
        return sum(map(_paid, (end.facts, judged) if judged is not None else (end.facts,)), Spent())
    return Spent(start.usd or 0.0, start.calls, start.calls > 0, int(start.usd is None))
