"""The client against a real HTTP endpoint: how many requests leave, what they end as, and what they are booked as."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from model_fakes import KEY, ManualClock, model_at, request_to
from stub_endpoint import StubEndpoint, completion, failure

from ceopt_tui.core.ports import Message, ModelRequest, Price, ResolvedModel
from ceopt_tui.errors import (
    AuthError,
    BudgetError,
    CallFailed,
    CeoptError,
    QuotaError,
    RateLimitError,
    SetupError,
)
from judges import client as client_module
from judges.cache import ReplyCache
from judges.client import LiteLLMClient
from judges.ledger import Caps, Ledger
from judges.tiers import with_endpoint
from schemas.records import CallFacts, CallStarted

PRICE = Price(10.0, 20.0)
SCHEMA = {"type": "object", "properties": {"score": {"type": "number"}}, "additionalProperties": False}


@pytest.fixture(scope="module", autouse=True)
def _litellm() -> None:
    """Importing litellm takes seconds; no test's deadline should pay for it."""
    asyncio.run(client_module.load())


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    cache = ReplyCache(tmp_path / "cache")
    yield cache
    cache.close()


@pytest.fixture
def warnings_heard() -> list[str]:
    return []


@pytest.fixture
async def new_client(
    clock: ManualClock, cache: ReplyCache, warnings_heard: list[str]
) -> AsyncIterator[Callable[..., LiteLLMClient]]:
    made: list[LiteLLMClient] = []

    def make(ledger: Ledger | None = None, **options: Any) -> LiteLLMClient:
        options = {"clock": clock, "sleep": clock.sleep, "warn": warnings_heard.append} | options
        made.append(LiteLLMClient(ledger or Ledger(), options.pop("cache", cache), **options))
        return made[-1]

    yield make
    for client in made:
        await client.aclose()


NewClient = Callable[..., LiteLLMClient]


async def failed(client: LiteLLMClient, request: ModelRequest) -> CeoptError:
    with pytest.raises(CeoptError) as caught:
        await client.complete(request)
    return caught.value


async def test_rate_limits_are_retried_by_one_layer_only(new_client: NewClient, clock: ManualClock) -> None:
    with StubEndpoint("429") as endpoint:
        error = await failed(new_client(), request_to(model_at(endpoint), retries=2))
    assert isinstance(error, RateLimitError)
    assert endpoint.posts == 3
    assert len(clock.sleeps_s) >= 2
    assert all(seconds >= 1.0 for seconds in clock.sleeps_s)
    assert "rate limit" in str(error)
    assert "tenacity" not in str(error)


async def test_a_short_rate_limit_costs_a_retry_and_no_failure(new_client: NewClient) -> None:
    replies = iter(["429", "ok"])
    with StubEndpoint(respond=lambda body: next(replies)) as endpoint:
        reply = await new_client().complete(request_to(model_at(endpoint)))
    assert reply.facts.attempts == 2
    assert reply.text == '{"score": 0.5}'


async def test_a_wait_that_is_too_long_parks_at_once(new_client: NewClient, clock: ManualClock) -> None:
    reply = failure(429, "Slow down", "rate_limit_exceeded", retry_after="3600")
    with StubEndpoint(respond=lambda body: reply) as endpoint:
        error = await failed(new_client(), request_to(model_at(endpoint)))
    assert isinstance(error, RateLimitError)
    assert endpoint.posts == 1
    assert clock.sleeps_s == []


async def test_a_dead_quota_is_asked_once_and_never_again(new_client: NewClient) -> None:
    with StubEndpoint("quota") as endpoint:
        client, request = new_client(), request_to(model_at(endpoint))
        errors = [await failed(client, request) for _ in range(3)]
    assert endpoint.posts == 1
    assert all(isinstance(error, QuotaError) for error in errors)
    assert "openai" in str(errors[0])
    assert "quota" in str(errors[0])


async def test_the_word_quota_beside_a_retry_after_is_a_rate_limit(new_client: NewClient) -> None:
    reply = failure(429, "Quota exceeded for this minute", "insufficient_quota", retry_after="1")
    with StubEndpoint(respond=lambda body: reply) as endpoint:
        error = await failed(new_client(), request_to(model_at(endpoint)))
    assert isinstance(error, RateLimitError)
    assert endpoint.posts == 3


async def test_server_errors_end_the_call_after_the_retries(new_client: NewClient) -> None:
    with StubEndpoint("500") as endpoint:
        error = await failed(new_client(), request_to(model_at(endpoint), retries=1))
    assert isinstance(error, CallFailed)
    assert (error.reason, error.attempts, endpoint.posts) == ("server error", 2, 2)


async def test_nobody_listening_is_a_connection_failure(new_client: NewClient) -> None:
    with StubEndpoint() as endpoint:
        model = model_at(endpoint)
    error = await failed(new_client(), request_to(model))
    assert isinstance(error, CallFailed)
    assert (error.reason, error.attempts) == ("connection", 3)


@pytest.mark.parametrize("status", [400, 404, 422])
async def test_other_refusals_are_not_retried(new_client: NewClient, status: int) -> None:
    with StubEndpoint(respond=lambda body: failure(status, "no such thing")) as endpoint:
        error = await failed(new_client(), request_to(model_at(endpoint)))
    assert isinstance(error, CallFailed)
    assert (error.reason, endpoint.posts) == ("request refused", 1)


async def test_a_prompt_that_is_too_long_says_so(new_client: NewClient) -> None:
    text = "This model's maximum context length is 4096 tokens. However, your messages resulted in 9000 tokens."
    with StubEndpoint(respond=lambda body: failure(400, text, "context_length_exceeded")) as endpoint:
        error = await failed(new_client(), request_to(model_at(endpoint)))
    assert isinstance(error, CallFailed)
    assert (error.reason, endpoint.posts) == ("context window exceeded", 1)


async def test_a_refused_key_costs_one_request_whatever_is_waiting(new_client: NewClient) -> None:
    with StubEndpoint("401echo") as endpoint:
        client, model = new_client(), model_at(endpoint, concurrency=16)
        results = await asyncio.gather(
            *(client.complete(request_to(model, str(n))) for n in range(16)), return_exceptions=True
        )
    assert endpoint.posts == 1
    assert all(isinstance(error, AuthError) for error in results)


async def test_no_channel_shows_the_key(new_client: NewClient, cache: ReplyCache) -> None:
    with StubEndpoint("401echo") as endpoint:
        model = model_at(endpoint)
        error = await failed(new_client(), request_to(model))
    assert "sk-***" in str(error)
    assert error.__context__ is None
    assert error.__cause__ is None
    for text in (str(error), repr(error), repr(model), repr(request_to(model))):
        assert "FAKE-ABCDEFGH" not in text


async def test_white_space_around_a_key_is_trimmed_with_one_warning(
    new_client: NewClient, warnings_heard: list[str], cache: ReplyCache
) -> None:
    with StubEndpoint() as endpoint:
        client, model = new_client(), model_at(endpoint, key=KEY + "\n")
        for sample in range(2):
            await client.complete(request_to(model, sample=sample))
    assert [request.headers["authorization"] for request in endpoint.received] == [f"Bearer {KEY}"] * 2
    assert len(warnings_heard) == 1
    assert "FAKE" not in warnings_heard[0]
    stored = b"".join(path.read_bytes() for path in cache.folder.iterdir())
    assert b"FAKE-ABCDEFGH" not in stored


async def test_missing_usage_is_estimated_and_never_zero(new_client: NewClient) -> None:
    ledger = Ledger()
    with StubEndpoint("nousage") as endpoint:
        reply = await new_client(ledger).complete(request_to(model_at(endpoint, price=PRICE)))
    assert reply.facts.estimated
    assert reply.facts.input_tokens > 0
    assert reply.facts.output_tokens > 0
    assert reply.facts.usd is not None
    assert reply.facts.usd > 0
    assert ledger.spent["judge"].estimated


async def test_an_unknown_price_is_unknown_and_not_free(new_client: NewClient) -> None:
    ledger = Ledger()
    with StubEndpoint() as endpoint:
        reply = await new_client(ledger).complete(request_to(model_at(endpoint)))
    assert reply.facts.usd is None
    assert ledger.total.usd is None


@pytest.mark.parametrize("mode", ["500", "429", "quota", "401echo", "nochoices", "hang"])
@pytest.mark.parametrize(
    ("model", "known"), [("openai/acme-judge-9", None), ("local/small", 0.0)], ids=["unpriced", "embedded"]
)
async def test_a_failed_call_without_a_price_is_unknown_and_the_embedded_model_costs_nothing(
    new_client: NewClient, mode: str, model: str, known: float | None
) -> None:
    booked: list[float | None] = []

    async def on_failure(facts: CallFacts, message: str) -> None:
        booked.append(facts.usd)

    ledger = Ledger(on_failure=on_failure)
    with StubEndpoint(mode) as endpoint:
        named = model_at(endpoint, model)
        await failed(new_client(ledger), request_to(named, retries=1, timeout_s=0.2 if mode == "hang" else 60.0))
    assert endpoint.posts
    assert (booked, ledger.total.usd) == ([known], known)


@pytest.mark.parametrize("price", [None, PRICE], ids=["unpriced", "priced"])
async def test_a_retried_or_cancelled_call_is_unknown_only_without_a_price(
    new_client: NewClient, price: Price | None
) -> None:
    arrived, loop, replies = asyncio.Event(), asyncio.get_running_loop(), iter(["500", "ok", "hang"])

    def respond(body: dict[str, Any]) -> str:
        reply = next(replies)
        if reply == "hang":
            loop.call_soon_threadsafe(arrived.set)
        return reply

    retried, cancelled = Ledger(), Ledger()
    with StubEndpoint(respond=respond) as endpoint:
        model = model_at(endpoint, price=price)
        reply = await new_client(retried).complete(request_to(model))
        call = asyncio.create_task(new_client(cancelled).complete(request_to(model, "another")))
        await arrived.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    answered = 0.0007 if price else None
    assert (reply.facts.attempts, reply.facts.usd, retried.total.usd) == (2, answered, answered)
    assert (cancelled.total.usd is None) is (price is None)


async def test_a_cap_in_dollars_refuses_an_unknown_price_before_the_first_request(new_client: NewClient) -> None:
    with StubEndpoint() as endpoint:
        client = new_client(Ledger(Caps(max_usd=1.0)))
        error = await failed(client, request_to(model_at(endpoint)))
    assert isinstance(error, SetupError)
    assert "openai/acme-judge-9" in str(error)
    assert "usd_per_mtok" in str(error)
    assert endpoint.posts == 0


async def test_prices_given_are_used(new_client: NewClient) -> None:
    with StubEndpoint() as endpoint:
        reply = await new_client().complete(request_to(model_at(endpoint, price=PRICE)))
    assert reply.facts.usd == pytest.approx((50 * 10.0 + 10 * 20.0) / 1e6)


async def test_no_text_is_asked_for_once_more_with_more_room(new_client: NewClient) -> None:
    with StubEndpoint("null") as endpoint:
        client = new_client()
        for _ in range(2):
            reply = await client.complete(request_to(model_at(endpoint), params={"max_tokens": 100}))
    assert (reply.text, reply.truncated, reply.facts.finish_reason) == ("", True, "length")
    assert [body["max_tokens"] for body in endpoint.bodies] == [100, 400] * 2  # the second call found nothing cached


async def test_a_reply_that_fits_the_second_time_is_whole_and_cached(new_client: NewClient) -> None:
    replies = iter([completion("half a se", finish_reason="length"), completion("a whole sentence")])
    with StubEndpoint(respond=lambda body: next(replies)) as endpoint:
        client = new_client()
        first = await client.complete(request_to(model_at(endpoint)))
        second = await client.complete(request_to(model_at(endpoint)))
    assert (first.text, first.truncated, first.facts.attempts) == ("a whole sentence", False, 2)
    assert (second.text, second.facts.cached) == ("a whole sentence", True)


async def test_a_longer_try_that_is_refused_leaves_the_cut_off_reply(new_client: NewClient) -> None:
    replies = iter([completion("half", finish_reason="length"), failure(400, "max_tokens is too large")])
    with StubEndpoint(respond=lambda body: next(replies)) as endpoint:
        reply = await new_client().complete(request_to(model_at(endpoint)))
    assert (reply.text, reply.truncated) == ("half", True)


async def test_no_choices_is_a_provider_error(new_client: NewClient) -> None:
    with StubEndpoint("nochoices") as endpoint:
        error = await failed(new_client(), request_to(model_at(endpoint)))
    assert isinstance(error, CallFailed)
    assert error.reason == "provider error: no choices"
    assert endpoint.posts == 2


async def test_a_web_page_is_no_reply(new_client: NewClient) -> None:
    with StubEndpoint("html") as endpoint:
        error = await failed(new_client(), request_to(model_at(endpoint), retries=0))
    assert isinstance(error, CallFailed)
    assert "<html>" not in str(error)


async def test_a_call_that_never_ends_is_ended(new_client: NewClient) -> None:
    ledger = Ledger()
    with StubEndpoint("hang") as endpoint:
        model = model_at(endpoint, price=PRICE)
        error = await asyncio.wait_for(
            failed(new_client(ledger), request_to(model, timeout_s=0.2, retries=1)), timeout=20
        )
    assert isinstance(error, CallFailed)
    assert (error.reason, endpoint.posts) == ("timeout", 2)
    assert ledger.total.usd_known > 0  # the provider may have done the work


async def test_a_call_interrupted_by_sleep_is_sent_again_and_is_no_failure(
    new_client: NewClient, clock: ManualClock
) -> None:
    turns = iter(["slept", "ok"])

    def respond(body: dict[str, Any]) -> Any:
        turn = next(turns)
        if turn == "slept":
            clock.advance(1.0, wall_s=17 * 3600)
            return "hang"
        return turn

    with StubEndpoint(respond=respond) as endpoint:
        reply = await new_client().complete(request_to(model_at(endpoint), timeout_s=0.5, retries=0))
    assert reply.facts.attempts == 2
    assert clock.sleeps_s == []


async def test_only_one_interruption_is_free(new_client: NewClient, clock: ManualClock) -> None:
    def respond(body: dict[str, Any]) -> str:
        clock.advance(1.0, wall_s=17 * 3600)
        return "hang"

    with StubEndpoint(respond=respond) as endpoint:
        error = await failed(new_client(), request_to(model_at(endpoint), timeout_s=0.2, retries=0))
    assert isinstance(error, CallFailed)
    assert endpoint.posts == 2


async def test_a_schema_the_model_cannot_take_is_dropped_and_recorded(new_client: NewClient) -> None:
    with StubEndpoint() as endpoint:
        reply = await new_client().complete(request_to(model_at(endpoint, "openai/gpt-4"), response_schema=SCHEMA))
    assert reply.facts.dropped == ("response_format",)
    assert "response_format" not in endpoint.last
    assert endpoint.posts == 1


async def test_a_temperature_the_model_cannot_take_is_dropped_alone(new_client: NewClient) -> None:
    with StubEndpoint() as endpoint:
        reply = await new_client().complete(
            request_to(
                model_at(endpoint, "openai/o3-mini"), params={"temperature": 0, "seed": 7}, response_schema=SCHEMA
            )
        )
    assert reply.facts.dropped == ("temperature",)
    assert endpoint.last["response_format"]["json_schema"]["schema"] == SCHEMA
    assert endpoint.last["seed"] == 7


async def test_an_option_the_server_refuses_is_dropped_once_and_remembered(new_client: NewClient) -> None:
    def respond(body: dict[str, Any]) -> Any:
        if "temperature" in body:
            return failure(400, "Unsupported value: 'temperature' does not support 0 with this model.")
        return "ok"

    with StubEndpoint(respond=respond) as endpoint:
        client, model = new_client(), model_at(endpoint)
        first = await client.complete(request_to(model, "a", params={"temperature": 0}, retries=0))
        second = await client.complete(request_to(model, "b", params={"temperature": 0}, retries=0))
        cached = await client.complete(request_to(model, "a", params={"temperature": 0}, retries=0))
    assert [first.facts.attempts, second.facts.attempts, cached.facts.attempts] == [2, 1, 0]
    assert first.facts.dropped == second.facts.dropped == cached.facts.dropped == ("temperature",)


async def test_log_probabilities_come_back_as_plain_values(new_client: NewClient) -> None:
    token = {
        "token": "4",
        "logprob": -0.1,
        "bytes": None,
        "top_logprobs": [{"token": "5", "logprob": -2.0, "bytes": None}],
    }
    with StubEndpoint(respond=lambda body: completion("4", logprobs={"content": [token]})) as endpoint:
        client = new_client()
        fresh = await client.complete(request_to(model_at(endpoint), params={"logprobs": True, "top_logprobs": 5}))
        cached = await client.complete(request_to(model_at(endpoint), params={"logprobs": True, "top_logprobs": 5}))
    assert cached.facts.cached
    assert fresh.logprobs == cached.logprobs
    assert fresh.logprobs[0]["token"] == "4"
    assert fresh.logprobs[0]["top_logprobs"][0]["token"] == "5"


@pytest.mark.parametrize("cap", [1, 5])
async def test_a_cap_on_calls_holds_at_any_concurrency(new_client: NewClient, cap: int) -> None:
    ledger = Ledger(Caps(max_calls=cap))
    with StubEndpoint(delay_s=0.01) as endpoint:
        client, model = new_client(ledger), model_at(endpoint, concurrency=32)
        results = await asyncio.gather(
            *(client.complete(request_to(model, str(n))) for n in range(40)), return_exceptions=True
        )
    assert endpoint.posts == cap
    assert sum(isinstance(result, BudgetError) for result in results) == 40 - cap


async def test_retries_count_against_the_cap(new_client: NewClient) -> None:
    with StubEndpoint("500") as endpoint:
        error = await failed(new_client(Ledger(Caps(max_calls=2))), request_to(model_at(endpoint), retries=5))
    assert isinstance(error, BudgetError)
    assert endpoint.posts == 2


async def test_a_cap_in_dollars_holds_and_is_used_up(new_client: NewClient) -> None:
    one_usd = (50 * PRICE.usd_in + 10 * PRICE.usd_out) / 1e6
    ledger = Ledger(Caps(max_usd=20.5 * one_usd))
    with StubEndpoint(delay_s=0.01) as endpoint:
        client, model = new_client(ledger), model_at(endpoint, price=PRICE, concurrency=32)
        await asyncio.gather(
            *(client.complete(request_to(model, str(n), params={"max_tokens": 10})) for n in range(40)),
            return_exceptions=True,
        )
    assert ledger.total.usd_known <= 20.5 * one_usd
    assert endpoint.posts >= 15  # what the others reserved came back to be spent


async def test_under_a_cap_in_dollars_every_reply_has_a_limit(new_client: NewClient) -> None:
    with StubEndpoint() as endpoint:
        await new_client(Ledger(Caps(max_usd=1.0))).complete(request_to(model_at(endpoint, price=PRICE)))
        await new_client().complete(request_to(model_at(endpoint, price=PRICE), "another"))
    assert "max_tokens" in endpoint.bodies[0]
    assert "max_tokens" not in endpoint.bodies[1]


async def test_every_request_is_announced_before_it_leaves(new_client: NewClient) -> None:
    seen: list[tuple[str, int]] = []
    failures: list[tuple[CallFacts, str]] = []
    with StubEndpoint("500") as endpoint:

        async def on_start(started: CallStarted) -> None:
            seen.append((started.call_id, endpoint.posts))

        async def on_failure(facts: CallFacts, message: str) -> None:
            failures.append((facts, message))

        ledger = Ledger(next_call=7, on_start=on_start, on_failure=on_failure)
        await failed(new_client(ledger), request_to(model_at(endpoint), retries=1))
    assert seen == [("c7", 0), ("c7", 1)]
    assert [(facts.call_id, facts.attempts) for facts, _ in failures] == [("c7", 2)]


async def test_a_record_that_cannot_be_written_stops_the_request(new_client: NewClient) -> None:
    async def on_start(started: CallStarted) -> None:
        raise OSError(28, "No space left on device")

    ledger = Ledger(on_start=on_start)
    with StubEndpoint() as endpoint:
        with pytest.raises(OSError, match="No space left"):
            await new_client(ledger).complete(request_to(model_at(endpoint)))
        assert endpoint.posts == 0
    assert ledger.in_flight == 0


async def test_a_cancelled_call_is_booked_at_its_worst_price(new_client: NewClient) -> None:
    ledger = Ledger()
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def respond(body: dict[str, Any]) -> str:
        loop.call_soon_threadsafe(arrived.set)
        return "hang"

    with StubEndpoint(respond=respond) as endpoint:
        model = model_at(endpoint, price=PRICE)
        call = asyncio.create_task(new_client(ledger).complete(request_to(model, params={"max_tokens": 100})))
        await arrived.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert ledger.in_flight == 0
    assert ledger.total.usd_known > 100 * PRICE.usd_out / 1e6


async def test_the_first_request_goes_alone_and_the_limit_is_never_passed(new_client: NewClient) -> None:
    with StubEndpoint(delay_s=0.05) as endpoint:
        client, model = new_client(), model_at(endpoint, concurrency=4)
        await asyncio.gather(*(client.complete(request_to(model, str(n))) for n in range(12)))
    first, second = endpoint.received[:2]
    assert second.at_s - first.at_s >= 0.05
    assert 1 < endpoint.most_in_flight <= 4


async def test_the_same_request_is_paid_for_once(new_client: NewClient) -> None:
    ledger = Ledger()
    with StubEndpoint() as endpoint:
        client, model = new_client(ledger), model_at(endpoint)
        await client.complete(request_to(model))
        again = await client.complete(request_to(model))
    assert endpoint.posts == 1
    assert again.facts.cached
    assert (again.facts.usd, again.facts.attempts, again.facts.input_tokens) == (0.0, 0, 0)
    assert (ledger.total.requests, ledger.total.cached) == (1, 1)


async def test_repeats_are_calls_of_their_own(new_client: NewClient) -> None:
    with StubEndpoint() as endpoint:
        client, model = new_client(), model_at(endpoint)
        for sample in (0, 1, 2, 2):
            await client.complete(request_to(model, sample=sample))
    assert endpoint.posts == 3


async def test_a_request_around_the_cache_neither_reads_nor_writes_it(new_client: NewClient) -> None:
    with StubEndpoint() as endpoint:
        client, model = new_client(), model_at(endpoint)
        for use_cache in (False, False, True, True):
            await client.complete(request_to(model, use_cache=use_cache))
    assert endpoint.posts == 3


async def test_a_reply_nobody_accepts_is_returned_and_not_kept(new_client: NewClient) -> None:
    def accept(text: str) -> None:
        raise ValueError("not a score")

    with StubEndpoint() as endpoint:
        client, model = new_client(), model_at(endpoint)
        replies = [await client.complete(request_to(model), accept) for _ in range(2)]
    assert endpoint.posts == 2
    assert [reply.text for reply in replies] == ['{"score": 0.5}'] * 2


async def test_a_kept_reply_that_is_no_longer_accepted_is_a_miss(new_client: NewClient) -> None:
    def accept(text: str) -> None:
        raise ValueError("the scale changed")

    with StubEndpoint() as endpoint:
        client, model = new_client(), model_at(endpoint)
        await client.complete(request_to(model))
        await client.complete(request_to(model), accept)
    assert endpoint.posts == 2


async def test_the_embedded_model_goes_by_its_own_name(new_client: NewClient, clock: ManualClock) -> None:
    with StubEndpoint() as endpoint:
        bare = model_at(endpoint, "local/small", key=None)
        model = with_endpoint(bare, endpoint.api_base, "server-key")
        reply = await new_client().complete(request_to(model))
    assert endpoint.last["model"] == "small"
    assert endpoint.received[0].headers["authorization"] == "Bearer server-key"
    assert (reply.facts.model, reply.facts.usd) == ("local/small", 0.0)


async def test_the_embedded_model_without_its_server_is_not_sent_elsewhere(new_client: NewClient) -> None:
    error = await failed(new_client(), request_to(ResolvedModel("cheap", "local/small", "local")))
    assert isinstance(error, SetupError)
    assert "local/small" in str(error)


async def test_a_provider_that_does_not_exist_is_wrong_set_up(new_client: NewClient) -> None:
    with StubEndpoint() as endpoint:
        error = await failed(new_client(), request_to(model_at(endpoint, "unheard_of/model")))
    assert isinstance(error, SetupError)
    assert "unheard_of" in str(error)
    assert endpoint.posts == 0


async def test_a_long_wait_asked_of_one_call_holds_up_no_other(new_client: NewClient, clock: ManualClock) -> None:
    replies = iter(["ok", failure(429, "Slow down", "rate_limit_exceeded", retry_after="3600"), "ok"])
    with StubEndpoint(respond=lambda body: next(replies)) as endpoint:
        client, model = new_client(), model_at(endpoint)
        await client.complete(request_to(model, "a"))
        await failed(client, request_to(model, "b"))
        await client.complete(request_to(model, "c"))
    assert clock.sleeps_s == []


async def test_parameters_that_are_ours_are_refused(new_client: NewClient) -> None:
    with StubEndpoint() as endpoint:
        error = await failed(new_client(), request_to(model_at(endpoint), params={"stream": True}))
    assert isinstance(error, SetupError)
    assert "stream" in str(error)
    assert endpoint.posts == 0


async def test_messages_arrive_as_they_were_given(new_client: NewClient) -> None:
    text = 'What do {x}, {{y}} and {# z mean?\r\n "קצת" 🙂 '
    with StubEndpoint() as endpoint:
        request = ModelRequest("task", model_at(endpoint), (Message("system", text), Message("user", "go")))
        await new_client().complete(request)
    assert endpoint.last["messages"] == [{"role": "system", "content": text}, {"role": "user", "content": "go"}]
