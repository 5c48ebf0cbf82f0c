"""Lets the first call of a judge go alone, so that a dead endpoint costs one call and not a whole batch of them."""

import asyncio
from collections.abc import Awaitable, Callable

from ceopt_tui.core.ports import ModelReply
from ceopt_tui.errors import CallFailed, CeoptError, ProviderError

MAX_TRIES = 3
# Not the fault of one item.
_OUTAGES = frozenset({"server error", "connection", "timeout", "provider error", "provider error: no choices"})


class Preflight:
    """Sends one call at a time until one came back, then any number.

    Gives up for good at the first call that finds the provider down, or after `MAX_TRIES` that failed otherwise.
    """

    def __init__(self) -> None:
        self._alone = asyncio.Lock()
        self._open = False
        self._failures = 0
        self._fault: CeoptError | None = None

    async def send(self, call: Callable[[], Awaitable[ModelReply]]) -> ModelReply:
        """Make the call when its turn has come.

        Raises what the call raises; ProviderError once the first calls failed, without sending any more.
        """
        if not self._open:
            async with self._alone:
                if self._fault is not None:
                    raise self._fault
                if not self._open:
                    return await self._first(call)
        return await call()

    async def _first(self, call: Callable[[], Awaitable[ModelReply]]) -> ModelReply:
        try:
            reply = await call()
        except CallFailed as error:
            self._failures += 1
            if self._failures == MAX_TRIES or error.reason in _OUTAGES:
                self._fault = ProviderError(f"the judge's first call failed: {error.message}", error.hint)
                raise self._fault from error
            raise
        except CeoptError as error:
            self._fault = error
            raise
        self._open = True
        return reply
