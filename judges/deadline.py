"""A wall-clock limit around one awaited request, and whether the machine slept meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from ceopt_tui.core.ports import Clock

LATE_S = 1.0  # a timer this late means that the process or the machine stood still
_GOODBYE_S = 1.0  # a cancelled request gets this long to close its connection

T = TypeVar("T")


class Stopwatch:
    """Time since it was made, by a clock that stops in sleep and by one that does not."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wall = clock.now()
        self._monotonic_s = clock.monotonic()

    @property
    def elapsed_s(self) -> float:
        """Monotonic seconds, never negative."""
        return max(0.0, self._clock.monotonic() - self._monotonic_s)

    def slept(self, limit_s: float) -> bool:
        """Whether something that had `limit_s` was held up by a stopped process or a sleeping machine."""
        jump_s = (self._clock.now() - self._wall).total_seconds() - self.elapsed_s
        return self.elapsed_s > limit_s + LATE_S or jump_s > LATE_S


async def within(work: Awaitable[T], limit_s: float) -> T:
    """The result of `work`, or TimeoutError after `limit_s`; also when the work ignores being cancelled."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=limit_s)
    except asyncio.CancelledError:
        await _abandon(task)
        raise
    if task.done():
        return task.result()
    await _abandon(task)
    raise TimeoutError(f"no reply within {limit_s:g} s")


async def _abandon(task: asyncio.Future[Any]) -> None:
    task.cancel()
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    await asyncio.wait({task}, timeout=_GOODBYE_S)
