"""Gives keys and pasted text out one at a time, each once the one before it has had its effect.

So what is typed ahead goes to the screen and the field it was meant for, and none of it is lost on the way there.
"""

from __future__ import annotations

import asyncio
from collections import deque

from textual import events
from textual.app import App, ScreenStackError
from textual.dom import DOMNode
from textual.message_pump import MessagePump

GONE_S = 0.02  # how often it looks whether what it waits for is gone
LONGEST_S = 2.0  # what takes longer than this to answer a key does not hold up the next
MOST_ROUNDS = 5  # changes of screen or focus that one key may lead to

Typed = events.Key | events.Paste


class TypingAheadApp(App[int]):
    """An app that answers keys in the order they were typed, whatever screens open on the way."""

    _held: deque[Typed]
    _giving: asyncio.Task[None] | None = None
    _given: Typed | None = None  # what may pass

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, Typed) or event.is_forwarded or event is self._given:
            await super().on_event(event)
        elif self._giving is None or self._giving.done():
            self._held = deque()
            await super().on_event(event)
            self._giving = asyncio.create_task(self._give())
        else:
            self._held.append(event)

    async def typed_out(self) -> None:
        """Returns when all that was typed has had its effect."""
        if self._giving is not None:
            await asyncio.wait({self._giving})

    async def _give(self) -> None:
        await self._settled()
        while self._held:
            self._given = self._held.popleft()
            self.post_message(self._given)
            await self._settled()

    async def _settled(self) -> None:
        """Returns when the key has gone its way up, and screens and fields that it opened can be typed into."""
        await _turn(self)
        for round_ in range(MOST_ROUNDS):
            before = self._where
            for node in (*before, self):
                await _turn(node)
            if round_ and self._where == before:
                return

    @property
    def _where(self) -> tuple[DOMNode, ...]:
        """What a key goes through: what has the focus, up to the screen."""
        try:
            return tuple((self.focused or self.screen).ancestors_with_self)
        except ScreenStackError:
            return ()


async def _turn(node: MessagePump) -> None:
    """Returns when all that the node has been sent until now is done, or the node is gone."""
    done = asyncio.Event()
    if not node.call_later(done.set):
        return
    waiting = asyncio.ensure_future(done.wait())
    for _ in range(round(LONGEST_S / GONE_S)):
        await asyncio.wait({waiting}, timeout=GONE_S)
        if waiting.done() or not node.is_running:
            break
    waiting.cancel()
