"""The one account of model calls: what is reserved, what was spent, by role. It sends and stores nothing.

Money and requests are reserved before a request leaves and settled when its reply is in, so that the total stays
within the caps however many requests are in flight.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ceopt_tui.core.figures import counted
from ceopt_tui.core.ports import Role
from ceopt_tui.errors import BudgetError
from schemas.records import CallFacts, CallStarted

OnStart = Callable[[CallStarted], Awaitable[None]]
OnFailure = Callable[[CallFacts, str], Awaitable[None]]


@dataclass(frozen=True)
class Caps:
    """Limits over all roles together, and one on judging alone; None is no limit."""

    max_usd: float | None = None
    max_calls: int | None = None  # requests, retries included
    judge_usd: float | None = None


@dataclass(frozen=True)
class Spend:
    """What one role used so far. `usd_known` leaves out the requests counted in `unpriced`."""

    requests: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd_known: float = 0.0
    unpriced: int = 0
    estimated: bool = False

    @property
    def usd(self) -> float | None:
        """US dollars spent; None as soon as one request has an unknown price."""
        return None if self.unpriced else self.usd_known

    def __add__(self, other: Spend) -> Spend:
        return Spend(
            self.requests + other.requests,
            self.cached + other.cached,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.usd_known + other.usd_known,
            self.unpriced + other.unpriced,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True)
class Reservation:
    """Leave to send one request of the logical call `call_id`."""

    call_id: str
    role: Role
    usd: float | None
    number: int


class Ledger:
    """Caps and totals of one run.

    `on_start` is awaited with every reservation before the request may leave; a retry repeats the id of its call.
    `on_failure` is awaited when a logical call ends without a reply although it sent requests.
    """

    def __init__(
        self,
        caps: Caps | None = None,
        *,
        spent: Mapping[Role, Spend] | None = None,
        next_call: int = 1,
        on_start: OnStart | None = None,
        on_failure: OnFailure | None = None,
    ) -> None:
        self.caps = caps or Caps()
        self._spent: dict[Role, Spend] = dict(spent or {})
        self._next_call = next_call
        self._number = 0
        self._open: dict[int, Reservation] = {}
        self._on_start = on_start
        self._on_failure = on_failure
        self._changed = asyncio.Event()

    @property
    def spent(self) -> Mapping[Role, Spend]:
        """Settled spend by role."""
        return MappingProxyType(self._spent)

    @property
    def total(self) -> Spend:
        """Settled spend of all roles."""
        return sum(self._spent.values(), Spend())

    @property
    def in_flight(self) -> int:
        """Requests reserved and not settled yet."""
        return len(self._open)

    def open_call(self) -> str:
        """The id of the next logical call: c1, c2, …"""
        call_id = f"c{self._next_call}"
        self._next_call += 1
        return call_id

    async def reserve(
        self, role: Role, usd_estimate: float | None, call_id: str, *, capped: bool = True
    ) -> Reservation:
        """Set aside one request at its worst price, or raise BudgetError.

        Waits while money is short only because other requests are in flight: most of what they reserved comes back.
        What others send cannot be capped (`capped=False`): only a cap that is passed already holds it back.
        """
        while True:
            refusal = self._refusal(role, usd_estimate if capped else 0.0)
            if refusal is None:
                break
            if refusal.final or not self._open:
                raise BudgetError(refusal.message, "Raise the cap and resume; nothing that was paid for is lost.")
            await self._changed.wait()
        self._number += 1
        reservation = Reservation(call_id, role, usd_estimate, self._number)
        self._open[reservation.number] = reservation
        await self._announce(reservation)
        return reservation

    def settle(self, reservation: Reservation, facts: CallFacts, *, requests: int = 1) -> None:
        """Book what one request really used; an unknown price is counted as unknown, not as nothing."""
        del self._open[reservation.number]
        self._book(
            reservation.role,
            Spend(
                requests=requests,
                input_tokens=facts.input_tokens,
                output_tokens=facts.output_tokens,
                usd_known=facts.usd or 0.0,
                unpriced=int(facts.usd is None),
                estimated=facts.estimated,
            ),
        )

    def is_open(self, reservation: Reservation) -> bool:
        """Whether a reservation is neither settled nor released."""
        return reservation.number in self._open

    def release(self, reservation: Reservation) -> None:
        """Give back a reservation whose request never left."""
        del self._open[reservation.number]
        self._wake()

    def book_cached(self, role: Role) -> None:
        """Count one reply that came from the cache."""
        self._book(role, Spend(cached=1))

    async def fail(self, facts: CallFacts, message: str) -> None:
        """Report that a logical call ended without a reply."""
        if self._on_failure is not None and facts.attempts:
            await self._on_failure(facts, message)

    async def _announce(self, reservation: Reservation) -> None:
        if self._on_start is None:
            return
        started = CallStarted(call_id=reservation.call_id, role=reservation.role, usd_reserved=reservation.usd)
        try:
            await self._on_start(started)
        except BaseException:
            self.release(reservation)
            raise

    def _book(self, role: Role, spend: Spend) -> None:
        self._spent[role] = self._spent.get(role, Spend()) + spend
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _refusal(self, role: Role, usd_estimate: float | None) -> _Refusal | None:
        total, caps = self.total, self.caps
        if caps.max_calls is not None and total.requests + len(self._open) >= caps.max_calls:
            return _Refusal(f"the cap of {counted(caps.max_calls, 'call')} is reached", final=True)
        open_calls = list(self._open.values())
        refusal = _over(caps.max_usd, "the cap", total, open_calls, usd_estimate)
        if refusal is None and role == "judge":
            judging = [reservation for reservation in open_calls if reservation.role == "judge"]
            spent = self._spent.get("judge", Spend())
            refusal = _over(caps.judge_usd, "the judge's cap", spent, judging, usd_estimate)
        return refusal


def _over(
    cap: float | None, what: str, spent: Spend, open_calls: Sequence[Reservation], usd_estimate: float | None
) -> _Refusal | None:
    """Why one more request may not leave under a cap in US dollars; None where it may."""
    if cap is None:
        return None
    if usd_estimate is None:
        return _Refusal(f"{what} of {cap:.2f} USD cannot be held: the price of this call is unknown", final=True)
    reserved_usd = sum(reservation.usd or 0.0 for reservation in open_calls)
    if spent.usd_known + reserved_usd + usd_estimate <= cap:
        return None
    message = (
        f"the next call could pass {what} of {cap:.2f} USD: "
        f"{spent.usd_known:.4f} spent, this call up to {usd_estimate:.4f}"
    )
    return _Refusal(message, final=spent.usd_known + usd_estimate > cap)


@dataclass(frozen=True)
class _Refusal:
    message: str
    final: bool  # no request in flight can change it
