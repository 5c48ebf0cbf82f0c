"""Completes requests through litellm, which only this module imports: on first use, in a thread.

No exception, key or banner of litellm leaves it. How often to send and what it may cost is decided in `sending`.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import threading
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Self

from ceopt_tui.core.ports import Accept, Clock, ModelReply, ModelRequest, ResolvedModel
from ceopt_tui.errors import CeoptError, SetupError
from judges.cache import ReplyCache
from judges.call import Call
from judges.failures import refused_options
from judges.identity import accepted, request_key, restored_reply, stored_reply
from judges.ledger import Ledger
from judges.options import droppable, wire_name
from judges.prices import price_of, require_price
from judges.retry import Backoff
from judges.sending import Sender, Sleep
from judges.tiers import is_local

_TRANSPORT_SLACK_S = 5.0  # litellm's own time limit only backs ours up
_LOADING = threading.Lock()
_loaded: list[Any] = []


class LiteLLMClient:
    """A `Completer` over litellm.

    A reply that `accept` refuses is returned like any other and not cached; the caller checks it again and asks anew.
    A truncated or empty reply has `truncated` set and is not cached either. A key or quota that was refused once is
    refused from then on without a request, so a new client is needed after mending it.
    `warn` hears what a person should know, each thing once.
    """

    def __init__(
        self,
        ledger: Ledger,
        cache: ReplyCache | None,
        *,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        jitter_seed: int = 0,
        secrets: Iterable[str] = (),
        warn: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._ledger = ledger
        self._cache = cache
        self._warn = warn
        self._trimmed: set[str] = set()
        self._sender = Sender(
            _transport, ledger, Backoff(jitter_seed), clock=clock, sleep=sleep, secrets=frozenset(secrets)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def complete(self, request: ModelRequest, accept: Accept | None = None) -> ModelReply:
        """The reply to one logical request, from the cache where it may.

        Raises CallFailed for this call alone; SetupError, AuthError, QuotaError, RateLimitError and BudgetError end a
        run.
        """
        request = replace(request, model=self._with_clean_key(request.model))
        key = request_key(request) if request.use_cache and self._cache is not None else None
        cached = self._cached(request, key, accept)
        if cached is not None:
            return cached
        call = self._new_call(request)
        await load()
        try:
            answer = await self._sender.whole_answer(call)
        except CeoptError as error:
            await self._ledger.fail(call.facts(), str(error))
            raise
        reply = ModelReply(answer.text, call.facts(), truncated=not answer.usable, logprobs=answer.logprobs)
        if key is not None and self._cache is not None and not reply.truncated and accepted(accept, reply.text):
            self._cache.put(key, stored_reply(reply))
        return reply

    async def aclose(self) -> None:
        """Close the connections litellm keeps open in this event loop."""
        if _loaded:
            await _loaded[0].close_litellm_async_clients()
            _loaded[0].in_memory_llm_clients_cache.flush_cache()

    def _cached(self, request: ModelRequest, key: str | None, accept: Accept | None) -> ModelReply | None:
        stored = self._cache.get(key) if self._cache is not None and key is not None else None
        reply = restored_reply(request, stored) if stored is not None else None
        if reply is None or not accepted(accept, reply.text):
            return None
        self._ledger.book_cached(request.role)
        return reply

    def _new_call(self, request: ModelRequest) -> Call:
        if is_local(request.model) and request.model.api_base is None:
            raise SetupError(f"{request.model.model} has no server yet; start the embedded one first")
        capped = self._ledger.caps.max_usd is not None
        price = require_price(request.model) if capped else price_of(request.model)
        call = Call(request, self._ledger.open_call(), price)
        if capped:
            call.bound()
        return call

    def _with_clean_key(self, model: ResolvedModel) -> ResolvedModel:
        """A line end after a key would end up in an HTTP header, and the error about it would show the key."""
        key = model.api_key
        if key is None or key == key.strip():
            return model
        if key not in self._trimmed:
            self._trimmed.add(key)
            self._warn(f"the key for {model.model} had white space around it; it is used without")
        return replace(model, api_key=key.strip())


async def _transport(call: Call) -> Any:
    """One request by litellm; options that it knows to be unsupported are dropped before anything leaves."""
    litellm, model = await load(), call.request.model
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
            call.drop(refused)


async def load() -> Any:
    """litellm, ready for use. Worth calling early where a person waits: the first time takes seconds."""
    return _loaded[0] if _loaded else await asyncio.to_thread(_import)


def _import() -> Any:
    """Import litellm without network, `.env` files, banners or log lines: importing takes seconds and likes to talk."""
    with _LOADING:
        if not _loaded:
            os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
            os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                import litellm as module  # noqa: PLC0415 - takes seconds, so never at start-up

                _silence(module)
                asyncio.run(_warm_up(module))
            # Half a million objects that stay: the collector need not walk them again during calls.
            gc.collect()
            gc.freeze()
            _loaded.append(module)
    return _loaded[0]


def _silence(litellm: Any) -> None:
    litellm.suppress_debug_info = True
    litellm.drop_params = False
    litellm.telemetry = False
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.setLevel(logging.ERROR)
        logger.propagate = False
    # Prices and logs of every reply for integrations that are not there: nearly half of litellm's time per call.
    litellm.utils.update_response_metadata = lambda *args, **kwargs: None
    litellm.utils.dispatch_success_logging = lambda *args, **kwargs: None
    # Said by litellm about itself while it works, and no news to anyone who uses ceopt.
    warnings.filterwarnings("ignore", module=r"litellm(\.|$)")
    warnings.filterwarnings("ignore", message=r"Items? .* on TypedDict class")
    warnings.filterwarnings("ignore", message=r"coroutine '\w+\.acompletion' was never awaited")


async def _warm_up(litellm: Any) -> None:
    """A call without a provider pulls in what litellm imports on its first call, which would stall the event loop."""
    messages = [{"role": "user", "content": "."}]
    await litellm.acompletion(model="openai/none", messages=messages, api_key="none", mock_response=".")
