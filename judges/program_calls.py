"""Calls that a program makes for ceopt: the same caps, books and cache as for calls of ceopt's own.

What such a call costs is known when it is over. It is let go where the dearest one so far would still fit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ceopt_tui.core.ports import Accept, ModelReply, ModelRequest, Price
from ceopt_tui.core.running_ports import Start, Started
from ceopt_tui.errors import AuthError, CallFailed, CeoptError, QuotaError, RateLimitError
from judges.answer import most_tokens
from judges.cache import ReplyCache
from judges.identity import accepted, request_key, restored_reply, stored_reply
from judges.ledger import Ledger
from judges.prices import price_of, require_price, usd
from judges.retry import Backoff
from judges.sending import Sleep
from schemas.records import CallFacts

# What an agent adds to what it is given: its own instructions and its tools, and what it reads and writes on the way.
USUAL_TOKENS_IN, USUAL_TOKENS_OUT = 25_000, 1_500
FINISHED, EMPTY = "stop", ""
_NOT_BEGUN = frozenset({"busy", "quota", "auth"})  # the provider turned it away


class ProgramClient:
    """Implements running_ports.ProgramCalls on the account and the cache of a run."""

    def __init__(
        self, ledger: Ledger, cache: ReplyCache | None, *, sleep: Sleep = asyncio.sleep, jitter_seed: int = 0
    ) -> None:
        self._ledger = ledger
        self._cache = cache
        self._sleep = sleep
        self._backoff = Backoff(jitter_seed)
        self._dearest_usd: float | None = None

    async def complete(self, request: ModelRequest, start: Start, accept: Accept | None = None) -> ModelReply:
        """As the port says; a reply without a word is not kept."""
        cache = self._cache if request.use_cache else None
        key = request_key(request) if cache else ""
        stored = cache.get(key) if cache else None
        cached = restored_reply(request, stored) if stored is not None else None
        if cached is not None and accepted(accept, cached.text):
            self._ledger.book_cached(request.role)
            return cached
        capped = self._ledger.caps.max_usd is not None
        price = require_price(request.model) if capped else price_of(request.model)
        call_id, sent = self._ledger.open_call(), list[CallFacts]()
        try:
            text = await self._answered(request, start, price, call_id, sent)
        except CeoptError as error:
            if sent:
                await self._ledger.fail(_together(sent), str(error))
            raise
        reply = ModelReply(text, _together(sent), truncated=text.strip() == EMPTY)
        if cache and not reply.truncated and accepted(accept, text):
            cache.put(key, stored_reply(reply))
        return reply

    async def _answered(
        self, request: ModelRequest, start: Start, price: Price | None, call_id: str, sent: list[CallFacts]
    ) -> str:
        """Starts the program until it comes to an end of its own; only a full house is waited for."""
        while True:
            started = await self._booked(request, start, price, call_id, sent)
            if started.trouble is None:
                return started.text
            if started.trouble != "busy" or len(sent) > request.retries:
                raise _error(started, len(sent))
            await self._sleep(self._backoff.delay_s(len(sent), None))

    async def _booked(
        self, request: ModelRequest, start: Start, price: Price | None, call_id: str, sent: list[CallFacts]
    ) -> Started:
        """One start, reserved and settled. One that was cut off is booked at its reserved price: it was under way."""
        worst = self._worst_usd(request, price)
        reservation = await self._ledger.reserve(request.role, worst, call_id)
        facts = _facts(request, call_id, usd=worst, estimated=True)
        try:
            started = await start()
            facts = self._account(request, call_id, started, price, worst)
            return started
        finally:
            sent.append(facts)
            self._ledger.settle(reservation, facts)

    def _worst_usd(self, request: ModelRequest, price: Price | None) -> float | None:
        if self._dearest_usd is not None:
            return self._dearest_usd
        return usd(price, most_tokens(request.messages) + USUAL_TOKENS_IN, USUAL_TOKENS_OUT)

    def _account(
        self, request: ModelRequest, call_id: str, started: Started, price: Price | None, worst: float | None
    ) -> CallFacts:
        """What the program says it used; a price it does not name comes from its tokens, or is unknown."""
        counted = started.usd is not None or started.input_tokens + started.output_tokens > 0
        guessed = not counted and started.trouble not in _NOT_BEGUN
        cost = started.usd
        if cost is None:
            cost = worst if guessed else usd(price, started.input_tokens, started.output_tokens)
        if cost is not None:
            self._dearest_usd = max(self._dearest_usd or 0.0, cost)
        return _facts(
            request,
            call_id,
            usd=cost,
            estimated=guessed,
            input_tokens=started.input_tokens,
            output_tokens=started.output_tokens,
            latency_s=started.elapsed_s,
        )


def _facts(
    request: ModelRequest,
    call_id: str,
    *,
    usd: float | None,
    estimated: bool,
    input_tokens: int = 0,
    output_tokens: int = 0,
    latency_s: float = 0.0,
) -> CallFacts:
    return CallFacts(
        role=request.role,
        model=request.model.model,
        call_id=call_id,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        usd=usd,
        estimated=estimated,
        latency_s=latency_s,
        finish_reason=FINISHED,
    )


def _together(sent: Sequence[CallFacts]) -> CallFacts:
    """All starts of one call."""
    costs = [facts.usd for facts in sent]
    return sent[-1].model_copy(
        update={
            "attempts": len(sent),
            "input_tokens": sum(facts.input_tokens for facts in sent),
            "output_tokens": sum(facts.output_tokens for facts in sent),
            "usd": None if None in costs else sum(cost for cost in costs if cost is not None),
            "estimated": any(facts.estimated for facts in sent),
            "latency_s": sum(facts.latency_s for facts in sent),
        }
    )


def _error(started: Started, attempts: int) -> CeoptError:
    if started.trouble == "busy":
        return RateLimitError(started.fault)
    if started.trouble == "quota":
        return QuotaError(started.fault, "The run goes on when the account has room again: start it once more then.")
    if started.trouble == "auth":
        return AuthError(started.fault)
    return CallFailed(started.fault, reason=started.fault, attempts=attempts)
