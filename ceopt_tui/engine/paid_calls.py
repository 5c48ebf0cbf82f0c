"""Journals the calls that are no case runs: a proposer's, a judge's. Every paid call ends in a record."""

from __future__ import annotations

from ceopt_tui.core.ports import Accept, Completer, ModelReply, ModelRequest
from ceopt_tui.engine.recorder import Recorder
from schemas.records import CallFinished


class JournaledCompleter:
    """A Completer whose replies are on record before their reader sees them."""

    def __init__(self, inner: Completer, recorder: Recorder) -> None:
        self._inner = inner
        self._recorder = recorder

    async def complete(self, request: ModelRequest, accept: Accept | None = None) -> ModelReply:
        reply = await self._inner.complete(request, accept)
        await self._recorder.commit(CallFinished(facts=reply.facts))
        return reply
