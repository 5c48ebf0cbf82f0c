"""What a tab has still to be shown. The app never waits for its tab, so neither does its run; must not know the app."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from aiohttp import web

MOST_WAITING_BYTES = 16_000_000  # a whole screen is some 20 kB
LAST_S = 5.0  # for a tab to take the last words, and its leave


class Outbox:
    """Takes at once what an app draws, and sends it as the tab takes it. A tab that is too far behind has gone."""

    def __init__(self, tab: web.WebSocketResponse, cut: Callable[[], None]) -> None:
        """`cut` ends the connection without waiting for the other side."""
        self._tab, self._cut = tab, cut
        self._waiting: asyncio.Queue[bytes | str | None] = asyncio.Queue()
        self._waiting_bytes = 0
        self._sending = asyncio.create_task(self._send())

    async def put(self, data: bytes | str) -> None:
        """Takes it without waiting for anybody; when the tab has gone, it is dropped."""
        if self._sending.done():
            return
        self._waiting_bytes += len(data)
        if self._waiting_bytes > MOST_WAITING_BYTES:
            self.give_up()
        else:
            self._waiting.put_nowait(data)

    async def close(self, code: int = 1000) -> None:
        """Sends what waits, and closes the tab; a tab that does not take it soon is cut off."""
        self._waiting.put_nowait(None)
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_S):
                await asyncio.wait({self._sending})
                await self._tab.close(code=code)
        self.give_up()

    def give_up(self) -> None:
        """Drops what waits, and ends the connection."""
        self._sending.cancel()
        self._cut()

    async def _send(self) -> None:
        with suppress(OSError):  # the tab has gone
            while (data := await self._waiting.get()) is not None:
                await (self._tab.send_bytes(data) if isinstance(data, bytes) else self._tab.send_str(data))
                self._waiting_bytes -= len(data)
