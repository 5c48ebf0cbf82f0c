"""The parts under the client: delays, admission, deadlines, and what a failure is called."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from model_fakes import KEY, ManualClock

from ceopt_tui.core.ports import Message
from ceopt_tui.errors import AuthError, CallFailed, QuotaError, RateLimitError
from judges.answer import most_tokens, read_answer
from judges.concurrency import ProviderGate
from judges.deadline import Stopwatch, within
from judges.failures import classify, refused_options
from judges.retry import LONGEST_DELAY_S, Backoff, retry_after_s

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class ProviderFault(Exception):
    """Shaped like an exception of litellm."""

    def __init__(self, text: str, status: int | None = None, body: Any = None, **headers: str) -> None:
        super().__init__(text)
        self.status_code = status
        self.body = body
        self.response = SimpleNamespace(headers={name.replace("_", "-"): value for name, value in headers.items()})


class UnsupportedParamsError(ProviderFault):
    pass


def test_delays_grow_with_jitter_up_to_a_limit() -> None:
    backoff = Backoff(seed=1)
    for failures in range(1, 12):
        longest = min(LONGEST_DELAY_S, 0.5 * 2 ** (failures - 1))
        assert longest / 2 <= backoff.delay_s(failures, None) <= longest


def test_equal_seeds_give_equal_delays() -> None:
    assert [Backoff(3).delay_s(n, None) for n in (1, 2)] == [Backoff(3).delay_s(n, None) for n in (1, 2)]


def test_what_the_provider_asks_for_is_the_least_delay() -> None:
    assert 7.0 <= Backoff().delay_s(1, 7.0) < 8.0


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("2", 2.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
        ("Sun, 01 Mar 2026 11:59:00 GMT", 0.0),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, NOW) == seconds


async def test_the_gate_opens_after_a_first_success_halves_and_grows_slowly() -> None:
    clock = ManualClock()
    gate = ProviderGate(16, clock, clock.sleep)
    assert gate.limit == 1
    gate.succeeded()
    assert gate.limit == 16
    async with gate.slot() as early, gate.slot() as twin:
        clock.advance(1.0)
        gate.rate_limited(early, None)
        gate.rate_limited(twin, None)  # of the same round: one push back, not two
        assert gate.limit == 8
    for _ in range(8):
        gate.succeeded()
    assert gate.limit in (8, 9)
    for _ in range(500):
        gate.succeeded()
    assert gate.limit == 16


async def test_the_gate_never_closes_and_holds_back_as_long_as_asked() -> None:
    clock = ManualClock()
    gate = ProviderGate(2, clock, clock.sleep)
    for _ in range(5):
        clock.advance(1.0)
        async with gate.slot() as slot:
            gate.rate_limited(slot, 4.0)
    assert gate.limit == 1
    async with gate.slot():
        pass
    assert sum(clock.sleeps_s) == pytest.approx(5 * 4.0 - 4 * 1.0)


async def test_waiting_at_the_gate_can_be_cancelled_without_losing_a_place() -> None:
    clock = ManualClock()
    gate = ProviderGate(1, clock, clock.sleep)
    order: list[str] = []

    async def enter(name: str) -> None:
        async with gate.slot():
            order.append(name)

    async with gate.slot():
        waiting = [asyncio.create_task(enter(name)) for name in ("a", "b", "c")]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
    waiting[1].cancel()  # admitted already, and not yet running
    await asyncio.wait_for(waiting[2], 5)
    assert order == ["c"]


async def test_a_deadline_ends_work_that_does_not_want_to_end() -> None:
    release = asyncio.Event()

    async def stubborn() -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    with pytest.raises(TimeoutError):
        await within(stubborn(), 0.01)
    release.set()
    await asyncio.sleep(0)


async def test_a_deadline_hands_on_results_and_errors() -> None:
    async def answer() -> int:
        return 4

    async def break_off() -> int:
        raise LookupError("no")

    assert await within(answer(), 5) == 4
    with pytest.raises(LookupError):
        await within(break_off(), 5)


@pytest.mark.parametrize(
    ("monotonic_s", "wall_s", "slept"),
    [(1.0, 1.0, False), (2.5, 2.5, False), (10.0, 10.0, True), (1.0, 17 * 3600.0, True), (1.0, -3600.0, False)],
)
def test_sleep_shows_as_lateness_or_as_a_jump_of_the_wall(monotonic_s: float, wall_s: float, slept: bool) -> None:
    clock = ManualClock()
    watch = Stopwatch(clock)
    clock.advance(monotonic_s, wall_s=wall_s)
    assert watch.slept(limit_s=2.0) is slept
    assert watch.elapsed_s >= 0


@pytest.mark.parametrize(
    ("fault", "kind", "error"),
    [
        (ProviderFault("bad key", 401), "key refused", AuthError),
        (ProviderFault("not allowed", 403), "key refused", AuthError),
        (ProviderFault("pay first", 402), "no quota", QuotaError),
        (ProviderFault("x", 429, {"code": "insufficient_quota"}), "no quota", QuotaError),
        (ProviderFault("Your credit balance is too low", 400), "no quota", QuotaError),
        (ProviderFault("x", 429, {"code": "insufficient_quota"}, retry_after="1"), "rate limit", RateLimitError),
        (ProviderFault("quota for this minute", 429), "rate limit", RateLimitError),
        (ProviderFault("oops", 503), "server error", CallFailed),
        (ProviderFault("slow", 408), "timeout", CallFailed),
        (TimeoutError("no reply within 1 s"), "timeout", CallFailed),
        (ProviderFault("no such model", 404), "request refused", CallFailed),
        (KeyError("choices"), "provider error", CallFailed),
    ],
)
def test_failures_have_one_name_each(fault: Exception, kind: str, error: type[Exception]) -> None:
    failure = classify(fault, NOW, ())
    assert failure.kind == kind
    assert isinstance(failure.error("acme/m", 1), error)
    assert "acme" in str(failure.error("acme/m", 1))


def test_a_failure_is_one_masked_line_without_the_library_s_names() -> None:
    fault = ProviderFault(
        f"litellm.AuthenticationError: AuthenticationError: OpenAIException - key\n {KEY} is bad", 401
    )
    assert classify(fault, NOW, ()).message == "key sk-*** is bad"


def test_a_secret_of_any_shape_is_masked_when_it_is_known() -> None:
    fault = ProviderFault("token hunter2hunter2 refused " + "x" * 2000, 401)
    message = classify(fault, NOW, {"hunter2hunter2"}).message
    assert "hunter2" not in message
    assert len(message) <= 400


@pytest.mark.parametrize(
    ("fault", "refused"),
    [
        (UnsupportedParamsError("openai does not support parameters: ['temperature']", 400), ("temperature",)),
        (ProviderFault("nope", 400, {"param": "temperature"}), ("temperature",)),
        (ProviderFault("nope", 400, {"param": "response_format.json_schema"}), ("response_format",)),
        (ProviderFault("Unsupported parameter: 'seed'", 422), ("seed",)),
        (ProviderFault("Unsupported parameter: 'logit_bias'", 400), ()),
        (ProviderFault("Unsupported parameter: 'stop'", 400), ("stop",)),
        (ProviderFault("Unsupported image. Requests stop here.", 400), ()),
        (ProviderFault("the temperature in Rome is high", 400), ()),
        (ProviderFault("Unsupported parameter: 'seed'", 500), ()),
        (ValueError("temperature is not supported"), ()),
    ],
)
def test_refused_options_are_the_ones_named(fault: Exception, refused: tuple[str, ...]) -> None:
    assert refused_options(fault, ("temperature", "response_format", "seed", "stop")) == refused


def test_a_response_without_any_of_its_parts_is_read_as_empty() -> None:
    for response in (SimpleNamespace(), SimpleNamespace(choices=None), SimpleNamespace(choices=[SimpleNamespace()])):
        answer = read_answer(response, [Message("user", "hello")])
        assert not answer.usable
        assert answer.text == ""
        assert answer.input_tokens > 0
        assert answer.estimated


def test_no_tokenizer_makes_more_tokens_than_are_reserved() -> None:
    assert most_tokens([Message("user", "é" * 100)]) >= 200
