"""Runs a text on one case by a coding agent's command line, in a folder that holds the text and nothing else.

Before the first case it proves that the agent follows this text and no other. It judges nothing.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ceopt_tui.core.ports import Accept, Message, ModelReply, ModelRequest, ResolvedModel, RunResult
from ceopt_tui.core.running_ports import ProgramCalls, Start
from ceopt_tui.errors import CallFailed
from schemas.evalset import Case
from schemas.records import CallFacts
from texttargets.runners.agent_cell import AgentCell, Look, Seat
from texttargets.runners.agent_workspace import TextKind, snapshot_digest, snapshot_of
from texttargets.runners.canary import (
    IsolationError,
    canary_seat,
    fault_of,
    look_around,
    operators_home,
    words_of,
)
from texttargets.runners.case_messages import TextRole, case_messages, question_of

TRIES = 2
NOTHING: Mapping[str, str] = {}

Booked = Callable[[CallFacts], Awaitable[None]]


@dataclass(frozen=True)
class AgentText:
    """How the texts under test reach the agent."""

    kind: TextKind
    role: TextRole = "system"
    syntax: str = "none"
    references: Mapping[str, str] = field(default_factory=dict)


class AgentRunner:
    """Implements ports.Runner. `identity` is all of the agent that decides an answer beside its model.

    `booked` hears what the proof of isolation cost; `hidden` are places that a sandbox must not show.
    """

    def __init__(
        self,
        calls: ProgramCalls,
        cell: AgentCell,
        model: ResolvedModel,
        text: AgentText,
        *,
        identity: Mapping[str, str],
        booked: Booked,
        machine: str = "",
        hidden: Sequence[Path] = (),
        timeout_s: float = 60.0,
        retries: int = 2,
    ) -> None:
        self._calls = calls
        self._cell = cell
        self._model = model
        self._text = text
        self._identity = dict(identity)
        self._booked = booked
        self._machine = machine
        self._hidden = tuple(hidden)
        self._timeout_s = timeout_s
        self._retries = retries
        self._proving = asyncio.Lock()
        self._proven = False

    async def run(self, texts: Mapping[str, str], case: Case, sample: int) -> RunResult:
        """One start of the agent, or its cached reply. IsolationError before the first when it is not alone."""
        await self.prove()
        seat = self.seat(texts, case)
        try:
            reply = await self._ask(seat, sample, lambda: self._cell.start(seat))
        except CallFailed as failure:
            return RunResult("", error=failure.message)
        return RunResult(reply.text, truncated=reply.truncated, facts=reply.facts)

    def seat(self, texts: Mapping[str, str], case: Case) -> Seat:
        """What the agent finds and is told on a case."""
        text = self._text
        snapshot = snapshot_of(text.kind, texts, text.references, self._cell.dialect)
        if text.kind in {"skill", "agents"}:
            return Seat(snapshot, "", question_of(case))
        messages = case_messages(texts, case, text.role, text.syntax)
        system = "".join(message.content for message in messages if message.role == "system")
        return Seat(snapshot, system, messages[-1].content)

    async def _ask(
        self, seat: Seat, sample: int, start: Start, more: Mapping[str, str] = NOTHING, accept: Accept | None = None
    ) -> ModelReply:
        system = (Message("system", seat.system),) if seat.system else ()
        request = ModelRequest(
            role="task",
            model=self._model,
            messages=(*system, Message("user", seat.prompt)),
            sample=sample,
            timeout_s=self._timeout_s,
            retries=self._retries,
            identity={**self._identity, "snapshot": snapshot_digest(seat.snapshot), **more},
        )
        return await self._calls.complete(request, start, accept)

    async def told(self, words: str, look: Look) -> ModelReply:
        """One start outside of any case, never from the cache; `look` sees its folder before that goes."""
        return await self._seen(Seat({}, "", words), 0, look)

    async def work(
        self, texts: Mapping[str, str], case: Case, sample: int, files: Mapping[str, str], look: Look
    ) -> RunResult:
        """One start on a case with files to work on, never from the cache; `look` sees what it left behind."""
        await self.prove()
        seat = self.seat(texts, case)
        try:
            reply = await self._seen(replace(seat, snapshot={**files, **seat.snapshot}), sample, look)
        except CallFailed as failure:
            return RunResult("", error=failure.message)
        return RunResult(reply.text, facts=reply.facts)

    async def _seen(self, seat: Seat, sample: int, look: Look) -> ModelReply:
        system = (Message("system", seat.system),) if seat.system else ()
        request = ModelRequest(
            role="task",
            model=self._model,
            messages=(*system, Message("user", seat.prompt)),
            sample=sample,
            timeout_s=self._timeout_s,
            retries=self._retries,
            identity=self._identity,
            use_cache=False,
        )
        return await self._calls.complete(request, lambda: self._cell.start(seat, look=look))

    async def prove(self) -> None:
        """Shows once that the agent follows the text under test and no other. IsolationError where it does not."""
        async with self._proving:
            if not self._proven:
                await look_around(self._cell, self._hidden)
                await self._canary()
                self._proven = True

    async def _canary(self) -> None:
        """Asks for code words in a place that is full of foreign ones; one answer may miss the question."""
        for attempt in range(TRIES):
            answer = await self._code_words(attempt)
            fault = fault_of(answer, words_of(self._identity), self._cell.dialect.executable)
            if fault is None:
                return
            if fault.foreign or attempt + 1 == TRIES:
                raise fault

    async def _code_words(self, attempt: int) -> str:
        """What the agent answers when it is asked for them."""
        words, name = words_of(self._identity), self._cell.dialect.executable
        seat = canary_seat(self._cell, self._text.kind, words)

        def accept(text: str) -> None:
            if fault_of(text, words, name):
                raise ValueError("no proof")

        asked = {"asked": "code words", "machine": self._machine}  # another machine is another proof
        with tempfile.TemporaryDirectory(prefix="ceopt-home-") as home:
            environ = operators_home(Path(home), self._cell, words)
            try:
                reply = await self._ask(seat, attempt, lambda: self._cell.start(seat, environ), asked, accept)
            except CallFailed as failure:
                raise IsolationError(
                    f"`{name}` was asked for its code words before the first case and failed: {failure.message}",
                    f"Does `{name}` work by itself? `ceopt doctor` looks for it.",
                ) from failure
        await self._booked(reply.facts)
        return reply.text
