"""How many requests a provider gets at once: half as many after a rate limit, slowly more, never over the limit set."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from ceopt_tui.core.ports import Clock


@dataclass(frozen=True)
class Slot:
    """One place in the line; `opened_s` tells a rate limit of this round from one that was answered already."""

    opened_s: float


class ProviderGate:
    """Admission to one provider (one endpoint and model). Opens to its limit only after a first success.

    Until something has answered, requests go one at a time, so a dead endpoint or a refused key costs one request.
    """

    def __init__(self, most: int, clock: Clock, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._most = float(max(1, most))
        self._limit = 1.0
        self._answered = False
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._clock = clock
        self._sleep = sleep
        self._paused_until_s = clock.monotonic()
        self._halved_s = float("-inf")

    @property
    def limit(self) -> int:
        """Requests admitted at once now."""
        return int(self._limit)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[Slot]:
        """Wait for a place, and for the end of a pause the provider asked for."""
        await self._enter()
        try:
            pause_s = self._paused_until_s - self._clock.monotonic()
            if pause_s > 0:
                await self._sleep(pause_s)
            yield Slot(self._clock.monotonic())
        finally:
            self._in_flight -= 1
            self._admit()

    def succeeded(self) -> None:
        """A reply came: open up after the first, then grow by about one per full round."""
        self._limit = self._most if not self._answered else min(self._most, self._limit + 1.0 / self._limit)
        self._answered = True
        self._admit()

    def rate_limited(self, slot: Slot, retry_after_s: float | None) -> None:
        """The provider pushed back: halve once per round, and hold new requests as long as it asked."""
        now_s = self._clock.monotonic()
        if retry_after_s is not None:
            self._paused_until_s = max(self._paused_until_s, now_s + retry_after_s)
        if slot.opened_s >= self._halved_s:
            self._limit = max(1.0, self._limit / 2.0)
            self._halved_s = now_s

    async def _enter(self) -> None:
        if not self._waiting and self._in_flight < self.limit:
            self._in_flight += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._in_flight -= 1
                self._admit()
            else:
                self._waiting.remove(place)
            raise

    def _admit(self) -> None:
        while self._waiting and self._in_flight < self.limit:
            place = self._waiting.popleft()
            if not place.done():
                self._in_flight += 1
                place.set_result(None)
