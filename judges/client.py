"""Sends requests to models. The only module that imports litellm, and it does so on first use, in a thread.

One retry layer, one deadline, one ledger. It never judges, and no exception, key or banner of litellm leaves it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import warnings
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import Any

from ceopt_tui.core.ports import Accept, Clock, ModelReply, ModelRequest, ResolvedModel
from ceopt_tui.errors import AuthError, CallFailed, CeoptError, QuotaError
from judges.answer import NO_CHOICES, Answer, read_answer
from judges.cache import ReplyCache
from judges.call import Call
from judges.concurrency import ProviderGate, Slot
from judges.deadline import Stopwatch, within
from judges.failures import Failure, classify, refused_options
from judges.identity import request_key, restored_reply, stored_reply
from judges.ledger import Ledger, Reservation
from judges.options import droppable, wire_name
from judges.prices import price_of, require_price
from judges.retry import Backoff

_TRANSPORT_SLACK_S = 5.0  # litellm's own time limit only backs ours up
_LOADING = threading.Lock()


class LiteLLMClient:
    """A `Completer` over litellm.

    A reply that `accept` refuses is returned like any other and not cached; the caller checks it again and asks anew.
    Sleeping, time and jitter come from outside. `warn` hears what a person should know, each thing once.
    """

    def __init__(
        self,
        ledger: Ledger,
        cache: ReplyCache | None,
        *,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter_seed: int = 0,
        secrets: Iterable[str] = (),
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self._ledger = ledger
        self._cache = cache
        self._clock = clock
        self._sleep = sleep
        self._backoff = Backoff(jitter_seed)
        self._secrets = set(secrets)
        self._warn = warn or (lambda message: None)
        self._trimmed: set[str] = set()
        self._gates: dict[tuple[str, str], ProviderGate] = {}
        self._refused: dict[tuple[str, str], list[str]] = {}
        self._ended: dict[tuple[str, str], Failure] = {}

    async def complete(self, request: ModelRequest, accept: Accept | None = None) -> ModelReply:
        """The reply to one logical request, from the cache where it may.

        Raises CallFailed for this call alone; AuthError, QuotaError, RateLimitError and BudgetError end a run.
        """
        request = replace(request, model=self._with_clean_key(request.model))
        key = request_key(request) if request.use_cache and self._cache is not None else None
        cached = self._cached(request, key, accept)
        if cached is not None:
            return cached
        capped = self._ledger.caps.max_usd is not None
        price = require_price(request.model) if capped else price_of(request.model)
        call = Call(request, self._ledger.open_call(), price)
        if capped:
            call.bound()
        call.drop(self._refused.get(_line(request.model), ()))
        try:
            answer = await self._whole_answer(call)
        except CeoptError as error:
            await self._ledger.fail(call.facts(), str(error))
            raise
        reply = ModelReply(answer.text, call.facts(), truncated=not answer.usable, logprobs=answer.logprobs)
        if key is not None and self._cache is not None and not reply.truncated and _accepted(accept, reply.text):
            self._cache.put(key, stored_reply(reply))
        return reply

    def _cached(self, request: ModelRequest, key: str | None, accept: Accept | None) -> ModelReply | None:
        stored = self._cache.get(key) if self._cache is not None and key is not None else None
        reply = restored_reply(request, stored) if stored is not None else None
        if reply is None or not _accepted(accept, reply.text):
            return None
        self._ledger.book_cached(request.role)
        return reply

    async def _whole_answer(self, call: Call) -> Answer:
        """An answer; one that is cut off or empty is asked for once more with more room."""
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
        """One answer within the retries. Options dropped and sleeping machines do not count as failures."""
        failures, held_up = 0, False
        while True:
            outcome = await self._send(call)
            if isinstance(outcome, Answer):
                return outcome
            failure, slept = outcome
            if failure is None:
                continue
            if slept and failure.maybe_billed and not held_up:
                held_up = True
                continue
            failures += 1
            if not failure.retried or failures > call.request.retries:
                raise failure.error(call.request.model.model, call.attempts)
            await self._sleep(self._backoff.delay_s(failures, failure.retry_after_s))

    async def _send(self, call: Call) -> Answer | tuple[Failure | None, bool]:
        """One request: an answer, or its failure (None: only options were refused) and whether the machine slept."""
        model = call.request.model
        gate = self._gate(model)
        litellm = await _litellm()
        async with gate.slot() as slot:
            ended = self._ended.get(_line(model))
            if ended is not None:
                raise ended.error(model.model, call.attempts)
            reservation = await self._ledger.reserve(call.request.role, call.worst_usd(), call.call_id)
            watch = Stopwatch(self._clock)
            try:
                response = await within(self._request(litellm, call), call.request.timeout_s)
            except asyncio.CancelledError:
                facts = call.sent_in_vain(watch.elapsed_s, reservation.usd, maybe_billed=True)
                self._ledger.settle(reservation, facts)
                raise
            except Exception as error:  # whatever litellm raises is translated here
                refused = refused_options(error, droppable(call.options))
                failure = None if refused else classify(error, self._clock.now(), self._known_secrets(model))
            else:
                answer = read_answer(response, call.request.messages)
                self._ledger.settle(reservation, call.answered(answer, watch.elapsed_s))
                gate.succeeded()
                return answer
            self._settle_failure(call, reservation, failure, watch)
            self._note_failure(call, gate, slot, failure, refused)
            return failure, watch.slept(call.request.timeout_s)

    async def _request(self, litellm: Any, call: Call) -> Any:
        """Hand the request to litellm; options it knows to be unsupported are dropped before anything leaves."""
        model = call.request.model
        while True:
            try:
                return await litellm.acompletion(
                    model=wire_name(model),
                    messages=[{"role": message.role, "content": message.content} for message in call.request.messages],
                    api_base=model.api_base,
                    api_key=model.api_key,
                    timeout=call.request.timeout_s + _TRANSPORT_SLACK_S,
                    max_retries=0,
                    **call.options,
                )
            except litellm.UnsupportedParamsError as error:
                refused = refused_options(error, droppable(call.options))
                if not refused:
                    raise
                self._drop(call, refused)

    def _settle_failure(self, call: Call, reservation: Reservation, failure: Failure | None, watch: Stopwatch) -> None:
        maybe_billed = failure is not None and failure.maybe_billed
        facts = call.sent_in_vain(watch.elapsed_s, reservation.usd, maybe_billed=maybe_billed)
        self._ledger.settle(reservation, facts)

    def _note_failure(
        self, call: Call, gate: ProviderGate, slot: Slot, failure: Failure | None, refused: tuple[str, ...]
    ) -> None:
        if failure is None:
            self._drop(call, refused)
        elif failure.kind == "rate limit":
            gate.rate_limited(slot, failure.retry_after_s)
        elif isinstance(failure.error("", 0), AuthError | QuotaError):
            self._ended[_line(call.request.model)] = failure

    def _drop(self, call: Call, refused: tuple[str, ...]) -> None:
        call.drop(refused)
        known = self._refused.setdefault(_line(call.request.model), [])
        known.extend(name for name in refused if name not in known)

    def _gate(self, model: ResolvedModel) -> ProviderGate:
        line = _line(model)
        if line not in self._gates:
            self._gates[line] = ProviderGate(model.concurrency, self._clock, self._sleep)
        return self._gates[line]

    def _known_secrets(self, model: ResolvedModel) -> set[str]:
        return self._secrets | ({model.api_key} if model.api_key else set())

    def _with_clean_key(self, model: ResolvedModel) -> ResolvedModel:
        """A line end after a key would end up in an HTTP header, and the error about it would show the key."""
        key = model.api_key
        if key is None or key == key.strip():
            return model
        if key not in self._trimmed:
            self._trimmed.add(key)
            self._warn(f"the key for {model.model} had white space around it; it is used without")
        return replace(model, api_key=key.strip())


def _line(model: ResolvedModel) -> tuple[str, str]:
    return model.endpoint, model.model


def _accepted(accept: Accept | None, text: str) -> bool:
    if accept is None:
        return True
    try:
        accept(text)
    except ValueError:
        return False
    return True


async def _litellm() -> Any:
    return _loaded[0] if _loaded else await asyncio.to_thread(_load)


_loaded: list[Any] = []


def _load() -> Any:
    """Import litellm without network, `.env` files, banners or log lines: importing takes seconds and likes to talk."""
    with _LOADING:
        if not _loaded:
            os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
            os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import litellm as module  # noqa: PLC0415 - takes seconds, so never at start-up
            litellm: Any = module
            litellm.suppress_debug_info = True
            litellm.drop_params = False
            litellm.telemetry = False
            for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
                logger = logging.getLogger(name)
                logger.handlers = [logging.NullHandler()]
                logger.setLevel(logging.ERROR)
                logger.propagate = False
            _loaded.append(litellm)
    return _loaded[0]
