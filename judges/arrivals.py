"""Results of calls in the order they come in, none of them lost to another call's error."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import TypeVar

from ceopt_tui.errors import BudgetError

T = TypeVar("T")


async def as_they_come(tasks: Sequence[asyncio.Task[T]]) -> AsyncGenerator[tuple[int, T], None]:
    """Number and result of every task, then the first error if there was one.

    After an error the tasks that were started earlier still finish, since they are paid for; later ones are cancelled.
    Where a cap was reached all may finish: those that would send anything more end by themselves. Closing cancels all.
    """
    ready: asyncio.Queue[int] = asyncio.Queue()
    waiting = dict(enumerate(tasks))
    for number, task in waiting.items():
        task.add_done_callback(lambda _, number=number: ready.put_nowait(number))  # type: ignore[misc]
    error: BaseException | None = None
    try:
        while waiting:
            number = await ready.get()
            finished = waiting.pop(number, None)
            if finished is None:
                continue
            fault = finished.exception()
            if fault is None:
                yield number, finished.result()
                continue
            error = error or fault
            if not isinstance(fault, BudgetError):
                _cancel_later(waiting, number)
        if error is not None:
            raise error
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _cancel_later(waiting: dict[int, asyncio.Task[T]], number: int) -> None:
    for later in [other for other, task in waiting.items() if other > number and not task.done()]:
        waiting.pop(later).cancel()
