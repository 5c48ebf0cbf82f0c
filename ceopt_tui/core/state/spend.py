"""What a run has spent, per role, as its journal tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from schemas.records import CallFacts, CallFinished, CallStarted

Role = Literal["task", "judge", "proposer", "reader"]


@dataclass
class RoleSpend:
    """Totals of one role. `usd` counts known prices only; `unpriced` says how many calls have no known price."""

    calls: int = 0
    answered: int = 0  # logical calls that were paid for; retries make `calls` exceed it
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    estimated: bool = False
    latency_s: float = 0.0
    outside: bool = False  # a program of the user's made some of them: numbers and prices are its own account

    def add(self, facts: CallFacts) -> None:
        if facts.cached:
            self.cached += 1
            return
        self.calls += facts.attempts
        self.answered += facts.attempts > 0
        self.input_tokens += facts.input_tokens
        self.output_tokens += facts.output_tokens
        self.estimated |= facts.estimated
        self.latency_s += facts.latency_s
        self.outside |= facts.outside
        if facts.usd is None:
            self.unpriced += 1
        else:
            self.usd += facts.usd


@dataclass
class Spend:
    """All roles, and the requests that were started and never came back (booked as spent)."""

    roles: dict[Role, RoleSpend] = field(default_factory=dict)
    started: int = 0  # requests ever announced; numbers the next call id
    open: dict[str, list[CallStarted]] = field(default_factory=dict)
    reported: dict[str, RoleSpend] = field(default_factory=dict)  # by text: task calls of the final report
    failed_in_a_row: dict[str, int] = field(default_factory=dict)  # by name: programs of the user's that came to an end
    most_reserved_usd: float = 0.0  # for one request of task model or judge: its worst price
    dearest_request_usd: float = 0.0  # the same of any role

    def start(self, record: CallStarted) -> None:
        self.started += 1
        self.dearest_request_usd = max(self.dearest_request_usd, record.usd_reserved or 0.0)
        if record.role in {"task", "judge"}:
            self.most_reserved_usd = max(self.most_reserved_usd, record.usd_reserved or 0.0)
        self.open.setdefault(record.call_id, []).append(record)

    def finish(self, facts: CallFacts) -> None:
        self.open.pop(facts.call_id, None)
        self.roles.setdefault(facts.role, RoleSpend()).add(facts)

    def file_report(self, text_digest: str, facts: CallFacts) -> None:
        """Files a call of the final report under its text: there both texts run on the same cases."""
        self.reported.setdefault(text_digest, RoleSpend()).add(facts)

    def finish_call(self, record: CallFinished) -> None:
        self.finish(record.facts)
        if record.facts.outside and record.facts.finish_reason == "stop":
            name = record.facts.model
            self.failed_in_a_row[name] = self.failed_in_a_row.get(name, 0) + 1 if record.error else 0

    def lost_of(self, role: Role) -> RoleSpend:
        """Of the requests without an end on record those of one role."""
        return _unfinished([record for group in self.open.values() for record in group if record.role == role])

    @property
    def lost(self) -> RoleSpend:
        """Requests announced without an end on record: in flight now, or cut off by a kill and booked as spent."""
        return _unfinished([record for group in self.open.values() for record in group])

    @property
    def calls(self) -> int:
        return sum(role.calls for role in self.roles.values()) + self.lost.calls

    @property
    def usd(self) -> float:
        """Known spend in US dollars, open requests at what was reserved for them."""
        return sum(role.usd for role in self.roles.values()) + self.lost.usd

    @property
    def usd_per_run(self) -> float:
        """Mean known price of a task call so far, its retries included; 0 before the first."""
        task = self.roles.get("task", RoleSpend())
        return task.usd / task.answered if task.answered else 0.0

    @property
    def requests_per_run(self) -> float:
        """Mean requests a task call took so far, at least 1."""
        task = self.roles.get("task", RoleSpend())
        return task.calls / task.answered if task.answered else 1.0

    @property
    def usd_known(self) -> bool:
        return not self.lost.unpriced and not any(role.unpriced for role in self.roles.values())


def _unfinished(records: Sequence[CallStarted]) -> RoleSpend:
    """Booked as spent, at what was reserved for them."""
    prices = [record.usd_reserved for record in records]
    return RoleSpend(calls=len(records), usd=sum(price or 0.0 for price in prices), unpriced=prices.count(None))
