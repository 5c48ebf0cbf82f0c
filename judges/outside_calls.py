"""Calls that a program of the user's makes on its own account, in the same books as all others: as its own word."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from judges.ledger import Ledger, Reservation
from schemas.records import CallFacts, CallFinished

OnEnd = Callable[[CallFinished], Awaitable[None]]


class OutsideAccount:
    """Implements ports.OutsideCalls on the ledger of a run; `on_end` puts the end of each program on record."""

    def __init__(self, ledger: Ledger, on_end: OnEnd) -> None:
        self._ledger = ledger
        self._on_end = on_end
        self._open: dict[str, Reservation] = {}

    async def begin(self) -> str:
        """Announces a program whose price is unknown. BudgetError where a cap is reached already."""
        call_id = self._ledger.open_call()
        self._open[call_id] = await self._ledger.reserve("proposer", None, call_id, capped=False)
        return call_id

    async def end(self, facts: CallFacts, error: str | None = None) -> None:
        """Books what the program says it used."""
        self._ledger.settle(self._open.pop(facts.call_id), facts, requests=facts.attempts)
        await self._on_end(CallFinished(facts=facts, error=error))
