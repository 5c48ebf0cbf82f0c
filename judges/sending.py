"""Sends the requests of one call until there is an answer: retries, deadline, reservation, admission.

It knows no provider library; a `Transport` sends one request and raises whatever that library raises.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from ceopt_tui.core.ports import Clock, ResolvedModel
from ceopt_tui.errors import CallFailed
from judges.answer import NO_CHOICES, Answer, read_answer
from judges.call import Call
from judges.concurrency import ProviderGate
from judges.deadline import Stopwatch, within
from judges.failures import Failure, classify, refused_options
from judges.ledger import Ledger
from judges.options import droppable
from judges.retry import Backoff

Transport = Callable[[Call], Awaitable[Any]]
Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True)
class _Miss:
    """A request without an answer. `failure` is None when the provider only refused options, which are dropped now."""

    failure: Failure | None
    slept: bool


class Sender:
    """Requests to all providers of one client, and what was learnt about each of them on the way."""

    def __init__(
        self,
        transport: Transport,
        ledger: Ledger,
        backoff: Backoff,
        *,
        clock: Clock,
        sleep: Sleep,
        secrets: frozenset[str] = frozenset(),
    ) -> None:
        self._transport = transport
        self._ledger = ledger
        self._backoff = backoff
        self._clock = clock
        self._sleep = sleep
        self._secrets = secrets
        self._gates: dict[tuple[str, str], ProviderGate] = {}
        self._refused: dict[tuple[str, str], tuple[str, ...]] = {}
        self._ended: dict[str, Failure] = {}  # by endpoint: a key and its account serve every model there

    async def whole_answer(self, call: Call) -> Answer:
        """An answer; one that is cut off or empty is asked for once more, with more room."""
        call.drop(self._refused.get(_line(call.request.model), ()))
        answer = await self._answer(call)
        if answer.worth_another:
            call.raise_limit(answer)
            try:
                answer = await self._answer(call)
            except CallFailed:
                if answer.finish_reason == NO_CHOICES:
                    raise
        if answer.finish_reason == NO_CHOICES:
            reason = f"provider error: {NO_CHOICES}"
            raise CallFailed(f"{call.request.model.model}: {reason}", reason=reason, attempts=call.attempts)
        return answer

    async def _answer(self, call: Call) -> Answer:
        """One answer within the retries. Options dropped, one sleep of the machine and a new server are no failures."""
        failures, held_up = 0, False
        while True:
            outcome = await self._send(call)
            if isinstance(outcome, Answer):
                return outcome
            failure = outcome.failure
            if failure is None:
                continue
            if outcome.slept and failure.maybe_billed and not held_up:
                held_up = True
                continue
            if failure.kind == "connection" and call.request.model.revived and await call.request.model.revived():
                continue
            failures += 1
            if not failure.retried or failures > call.request.retries:
                raise failure.error(call.request.model.model, call.attempts)
            await self._sleep(self._backoff.delay_s(failures, failure.retry_after_s))

    async def _send(self, call: Call) -> Answer | _Miss:
        """One request, admitted, reserved and settled."""
        model = call.request.model
        gate = self._gate(model)
        async with gate.slot() as slot:
            if model.endpoint in self._ended:
                raise self._ended[model.endpoint].error(model.model, call.attempts)
            outcome = await self._reserved(call)
            self._refused[_line(model)] = tuple(call.dropped)
            failure = outcome.failure if isinstance(outcome, _Miss) else None
            if isinstance(outcome, Answer):
                gate.succeeded()
            elif failure is not None and failure.kind == "rate limit":
                # Nobody is held at the gate for a wait that is too long for the call that met it.
                gate.rate_limited(slot, failure.retry_after_s if failure.retried else None)
            elif failure is not None and failure.ends_all:
                self._ended[model.endpoint] = failure
            return outcome

    async def _reserved(self, call: Call) -> Answer | _Miss:
        """Reserve, send, settle. A request that was abandoned is booked at its worst price: it may have been done."""
        request = call.request
        reservation = await self._ledger.reserve(request.role, call.worst_usd(), call.call_id)
        watch = Stopwatch(self._clock)
        maybe_billed = True
        try:
            response = await within(self._transport(call), request.timeout_s)
            answer = read_answer(response, request.messages)
            self._ledger.settle(reservation, call.answered(answer, watch.elapsed_s))
            return answer
        except Exception as error:  # whatever a provider library raises is translated here
            miss = self._miss(call, error, watch)
            maybe_billed = miss.failure is not None and miss.failure.maybe_billed
            return miss
        finally:
            if self._ledger.is_open(reservation):
                facts = call.sent_in_vain(watch.elapsed_s, reservation.usd, maybe_billed=maybe_billed)
                self._ledger.settle(reservation, facts)

    def _miss(self, call: Call, error: Exception, watch: Stopwatch) -> _Miss:
        refused = refused_options(error, droppable(call.options))
        if refused:
            call.drop(refused)
            return _Miss(None, slept=False)
        key = call.request.model.api_key
        failure = classify(error, self._clock.now(), self._secrets | ({key} if key else set()))
        return _Miss(failure, watch.slept(call.request.timeout_s))

    def _gate(self, model: ResolvedModel) -> ProviderGate:
        line = _line(model)
        if line not in self._gates:
            self._gates[line] = ProviderGate(model.concurrency, self._clock, self._sleep)
        return self._gates[line]


def _line(model: ResolvedModel) -> tuple[str, str]:
    return model.endpoint, model.model
