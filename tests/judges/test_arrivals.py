"""Results in the order they come in, and what an error leaves of the others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import aclosing

import pytest

from ceopt_tui.errors import AuthError, BudgetError
from judges.arrivals import as_they_come


async def after(turns: int, result: str | Exception, done: list[str]) -> str:
    for _ in range(turns):
        await asyncio.sleep(0)
    if isinstance(result, Exception):
        raise result
    done.append(result)
    return result


async def gathered(*works: Awaitable[str], into: list[tuple[int, str]]) -> None:
    tasks = [asyncio.ensure_future(work) for work in works]
    async for arrival in as_they_come(tasks):
        into.append(arrival)


async def test_the_quick_come_first() -> None:
    got: list[tuple[int, str]] = []
    await gathered(after(9, "a", []), after(1, "b", []), after(4, "c", []), into=got)
    assert got == [(1, "b"), (2, "c"), (0, "a")]


async def test_an_error_lets_those_before_it_finish_and_cancels_those_after_it() -> None:
    got: list[tuple[int, str]] = []
    done: list[str] = []
    with pytest.raises(AuthError):
        await gathered(after(9, "a", done), after(2, AuthError("no key"), done), after(9, "c", done), into=got)
    assert (got, done) == ([(0, "a")], ["a"])


async def test_a_result_that_was_in_already_is_not_lost() -> None:
    got: list[tuple[int, str]] = []
    with pytest.raises(AuthError):
        await gathered(after(3, AuthError("no key"), []), after(3, "b", []), into=got)
    assert got == [(1, "b")]


async def test_where_money_ends_what_is_on_its_way_is_waited_for() -> None:
    got: list[tuple[int, str]] = []
    with pytest.raises(BudgetError):
        await gathered(after(1, BudgetError("cap"), []), after(9, "b", []), into=got)
    assert got == [(1, "b")]


async def test_the_first_error_is_the_one_that_is_raised() -> None:
    with pytest.raises(BudgetError, match="first"):
        await gathered(after(5, AuthError("second"), []), after(1, BudgetError("first"), []), into=[])


async def test_leaving_early_cancels_the_rest() -> None:
    done: list[str] = []
    tasks = [asyncio.ensure_future(after(turns, str(turns), done)) for turns in (1, 50)]
    async with aclosing(as_they_come(tasks)) as arrivals:
        await anext(arrivals)
    assert tasks[1].cancelled()
    assert done == ["1"]
