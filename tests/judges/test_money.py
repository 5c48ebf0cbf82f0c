"""Reservations, caps and totals; prices that are known, given, or not known at all."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from ceopt_tui.core.ports import Price, ResolvedModel, Role
from ceopt_tui.errors import BudgetError, SetupError
from judges.ledger import Caps, Ledger, Spend
from judges.prices import limits_of, price_of, require_price, usd
from schemas.records import CallFacts

MODEL = ResolvedModel("strong", "openai/acme-judge-9", "openai")


def facts(cost: float | None, tokens: int = 10) -> CallFacts:
    return CallFacts(role="judge", model="m", input_tokens=tokens, output_tokens=1, usd=cost)


async def test_spend_is_kept_by_role_and_an_unknown_price_stays_unknown() -> None:
    ledger = Ledger(spent={"judge": Spend(requests=2, usd_known=0.5)})
    ledger.settle(await ledger.reserve("judge", None, ledger.open_call()), facts(0.25))
    ledger.settle(await ledger.reserve("task", None, ledger.open_call()), facts(None))
    ledger.book_cached("task")
    assert ledger.spent["judge"].usd == 0.75
    assert ledger.spent["judge"].requests == 3
    assert (ledger.spent["task"].usd, ledger.spent["task"].cached) == (None, 1)
    assert (ledger.total.usd, ledger.total.usd_known) == (None, 0.75)
    assert ledger.total.input_tokens == 20


def test_call_ids_go_on_from_where_a_run_stopped() -> None:
    ledger = Ledger(next_call=41)
    assert [ledger.open_call(), ledger.open_call()] == ["c41", "c42"]


async def test_earlier_spend_counts_against_the_caps() -> None:
    spent = {"task": Spend(requests=4, usd_known=0.9)}
    with pytest.raises(BudgetError, match="4 calls"):
        await Ledger(Caps(max_calls=4), spent=spent).reserve("task", 0.0, "c1")
    with pytest.raises(BudgetError, match=r"1\.00 USD"):
        await Ledger(Caps(max_usd=1.0), spent=spent).reserve("task", 0.2, "c1")


async def test_a_price_that_is_unknown_cannot_be_reserved_under_a_cap_in_dollars() -> None:
    with pytest.raises(BudgetError, match="unknown"):
        await Ledger(Caps(max_usd=1.0)).reserve("task", None, "c1")


async def test_money_reserved_by_others_is_waited_for_and_used() -> None:
    ledger = Ledger(Caps(max_usd=1.0))
    first = await ledger.reserve("judge", 0.8, "c1")
    second = asyncio.create_task(ledger.reserve("judge", 0.5, "c2"))
    await asyncio.sleep(0)
    assert not second.done()
    ledger.settle(first, facts(0.1))
    ledger.settle(await second, facts(0.1))
    assert ledger.total.usd_known == pytest.approx(0.2)


async def test_waiting_ends_in_a_refusal_when_the_money_was_really_spent() -> None:
    ledger = Ledger(Caps(max_usd=1.0))
    first = await ledger.reserve("judge", 0.8, "c1")
    second = asyncio.create_task(ledger.reserve("judge", 0.5, "c2"))
    await asyncio.sleep(0)
    ledger.settle(first, facts(0.8))
    with pytest.raises(BudgetError):
        await second


async def test_a_released_reservation_gives_its_call_back() -> None:
    ledger = Ledger(Caps(max_calls=1))
    ledger.release(await ledger.reserve("task", 0.0, "c1"))
    await ledger.reserve("task", 0.0, "c1")
    with pytest.raises(BudgetError):
        await ledger.reserve("task", 0.0, "c2")


def test_a_given_price_wins_over_the_table() -> None:
    assert price_of(replace(MODEL, model="openai/gpt-4o", price=Price(1.0, 2.0))) == Price(1.0, 2.0)


@pytest.mark.parametrize("model", ["openai/gpt-4o", "anthropic/claude-haiku-4-5", "gemini/gemini-2.5-flash"])
def test_listed_models_have_their_price(model: str) -> None:
    price = price_of(replace(MODEL, model=model))
    assert price is not None
    assert 0 < price.usd_in < price.usd_out


@pytest.mark.parametrize(
    "model",
    ["openai/acme-judge-9", "ollama/zzz-7b", "ollama_chat/zzz", "nowhere/gpt-4o", "openai/claude-haiku-4-5", ""],
)
def test_what_is_not_listed_is_unknown_and_not_free(model: str) -> None:
    assert price_of(replace(MODEL, model=model)) is None


def test_the_embedded_model_is_free() -> None:
    assert price_of(replace(MODEL, model="local/any")) == Price(0.0, 0.0)


def test_a_missing_price_names_the_model_and_the_key_to_set() -> None:
    with pytest.raises(SetupError) as caught:
        require_price(MODEL)
    assert "openai/acme-judge-9" in caught.value.message
    assert "models.strong.usd_per_mtok" in str(caught.value)


def test_costs_are_per_million_tokens() -> None:
    assert usd(Price(2.0, 10.0), 500_000, 100_000) == pytest.approx(2.0)
    assert usd(None, 5, 5) is None


def test_limits_are_known_or_not() -> None:
    assert limits_of(replace(MODEL, model="openai/gpt-4o")).output_tokens == 16384
    assert limits_of(MODEL).output_tokens is None


def judge_spent(usd_known: float) -> dict[Role, Spend]:
    return {"judge": Spend(requests=3, usd_known=usd_known), "task": Spend(requests=9, usd_known=50.0)}


async def test_the_judges_cap_holds_for_the_judge_and_for_nobody_else() -> None:
    ledger = Ledger(Caps(judge_usd=1.0), spent=judge_spent(0.9))
    with pytest.raises(BudgetError, match=r"the judge's cap of 1\.00 USD: 0\.9000 spent, this call up to 0\.2000"):
        await ledger.reserve("judge", 0.2, "c1")
    for role in ("task", "proposer"):
        ledger.settle(await ledger.reserve(role, 5.0, "c2"), facts(5.0))
    ledger.settle(await ledger.reserve("judge", 0.1, "c3"), facts(0.1))


async def test_both_caps_hold_for_the_judge() -> None:
    ledger = Ledger(Caps(max_usd=51.0, judge_usd=10.0), spent=judge_spent(0.9))
    with pytest.raises(BudgetError, match=r"the cap of 51\.00 USD"):
        await ledger.reserve("judge", 0.2, "c1")


async def test_an_unpriced_judge_is_refused_under_its_cap_and_an_unpriced_task_model_is_not() -> None:
    ledger = Ledger(Caps(judge_usd=1.0))
    with pytest.raises(BudgetError, match=r"the judge's cap .* cannot be held: the price of this call is unknown"):
        await ledger.reserve("judge", None, "c1")
    ledger.settle(await ledger.reserve("task", None, "c2"), facts(None))


async def test_judges_in_flight_never_pass_the_judges_cap_together() -> None:
    ledger, spent, most = Ledger(Caps(judge_usd=1.0)), 0.0, 0.0

    async def call(number: int) -> None:
        nonlocal spent, most
        reserved = await ledger.reserve("judge", 0.3, f"c{number}")
        await asyncio.sleep(0)
        most = max(most, ledger.spent.get("judge", Spend()).usd_known + 0.3 * ledger.in_flight)
        spent += 0.05
        ledger.settle(reserved, facts(0.05))

    ended = await asyncio.gather(*(call(number) for number in range(32)), return_exceptions=True)
    refused = [error for error in ended if isinstance(error, BudgetError)]
    assert len(refused) == 32 - 15 and spent == pytest.approx(0.75)  # at 0.75 a call of 0.30 could pass the cap
    assert most <= 1.0 + 1e-9
