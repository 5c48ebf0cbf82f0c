"""Starts of programs in the books: what is reserved, what an unknown price means, who is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from ceopt_tui.core.ports import Message, ModelRequest, Price, ResolvedModel
from ceopt_tui.core.running_ports import Started
from ceopt_tui.errors import BudgetError, CallFailed, RateLimitError, SetupError
from judges.ledger import Caps, Ledger
from judges.program_calls import ProgramClient
from schemas.records import CallFacts, CallStarted

PRICED = ResolvedModel("cheap", "anthropic/acme", "the claude command line", price=Price(1.0, 10.0))
REQUEST = ModelRequest("task", PRICED, (Message("user", "x" * 36),))  # 116 tokens at most
RESERVED = (25_000 + 116) / 1e6 + 1_500 * 10 / 1e6


class Books:
    """A client, its ledger, and what was announced and failed."""

    def __init__(self, caps: Caps | None = None) -> None:
        self.reserved: list[float | None] = []
        self.failed: list[tuple[CallFacts, str]] = []
        self.slept: list[float] = []
        self.ledger = Ledger(caps, on_start=self._started, on_failure=self._failed)
        self.client = ProgramClient(self.ledger, None, sleep=self._sleep)

    async def ask(self, *ends: Started, request: ModelRequest = REQUEST) -> Any:
        waiting: Iterator[Started] = iter(ends)

        async def start() -> Started:
            return next(waiting)

        return await self.client.complete(request, start)

    async def _started(self, record: CallStarted) -> None:
        self.reserved.append(record.usd_reserved)

    async def _failed(self, facts: CallFacts, message: str) -> None:
        self.failed.append((facts, message))

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def busy(usd: float | None = None) -> Started:
    return Started("", usd=usd, trouble="busy", fault="rate limit")


async def test_the_programs_own_price_is_booked_and_the_dearest_is_reserved_from_then_on() -> None:
    books = Books()
    reply = await books.ask(Started("yes", 900, 40, usd=0.25, elapsed_s=3.0))
    facts: CallFacts = reply.facts
    assert (facts.usd, facts.input_tokens, facts.output_tokens, facts.latency_s) == (0.25, 900, 40, 3.0)
    assert not facts.estimated and facts.call_id == "c1"
    await books.ask(Started("yes", usd=0.1))
    await books.ask(Started("yes", usd=0.1))
    assert books.reserved == [pytest.approx(RESERVED), 0.25, 0.25]
    assert books.ledger.total.usd == pytest.approx(0.45)


async def test_a_price_it_does_not_name_comes_from_its_tokens() -> None:
    assert (await Books().ask(Started("yes", 1_000, 100))).facts.usd == pytest.approx(0.002)


async def test_a_price_that_nobody_knows_is_none_and_never_nothing() -> None:
    unknown = replace(REQUEST, model=replace(PRICED, price=None))
    books = Books()
    assert (await books.ask(Started("yes", 1_000, 100), request=unknown)).facts.usd is None
    assert books.ledger.total.usd is None and books.ledger.total.unpriced == 1


async def test_a_cap_in_money_is_refused_where_the_price_is_unknown() -> None:
    with pytest.raises(SetupError, match="cannot be held"):
        await Books(Caps(max_usd=1.0)).ask(Started("yes"), request=replace(REQUEST, model=replace(PRICED, price=None)))


async def test_nothing_starts_that_could_pass_the_cap() -> None:
    books = Books(Caps(max_usd=0.3))
    await books.ask(Started("yes", usd=0.2))
    with pytest.raises(BudgetError, match="could pass the cap"):
        await books.ask()
    assert books.failed == [] and len(books.reserved) == 1


async def test_a_full_house_is_waited_for_within_the_retries() -> None:
    books = Books()
    reply = await books.ask(busy(), busy(), Started("yes", usd=0.1))
    assert reply.text == "yes" and (reply.facts.attempts, reply.facts.usd) == (3, pytest.approx(0.1))
    assert len(books.slept) == 2 and books.ledger.total.requests == 3
    with pytest.raises(RateLimitError):
        await books.ask(busy(), busy(), busy())
    assert [facts.attempts for facts, _ in books.failed] == [3]


async def test_a_failure_without_an_account_is_booked_at_what_was_reserved() -> None:
    books = Books()
    with pytest.raises(CallFailed, match="took longer"):
        await books.ask(Started("", trouble="failed", fault="it took longer than 60 s"))
    facts = books.failed[0][0]
    assert facts.estimated and facts.usd == pytest.approx(RESERVED)


async def test_a_start_that_is_cut_off_counts_as_spent() -> None:
    books, hanging = Books(), asyncio.Event()

    async def start() -> Started:
        hanging.set()
        await asyncio.Event().wait()
        raise AssertionError("never")

    asking = asyncio.create_task(books.client.complete(REQUEST, start))
    await hanging.wait()
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    assert books.ledger.in_flight == 0 and books.ledger.total.usd == pytest.approx(RESERVED)


def ends(*texts: str) -> Sequence[Started]:
    return [Started(text) for text in texts]


async def test_a_word_is_a_reply_and_none_is_an_empty_one() -> None:
    books = Books()
    assert [(await books.ask(one)).truncated for one in ends("yes", " \n")] == [False, True]
