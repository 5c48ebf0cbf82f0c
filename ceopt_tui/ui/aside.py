"""Long work beside the event loop that nobody waits for when the app ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def aside(work: Callable[[], T]) -> T:
    """What `work` gives, or its exception. It runs in a thread of its own that ends with the process."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[T] = loop.create_future()

    def tell(settle: Callable[[], None]) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda: None if result.done() else settle())

    def run() -> None:
        try:
            value = work()
        except BaseException as error:
            fault = error
            tell(lambda: result.set_exception(fault))
        else:
            tell(lambda: result.set_result(value))

    threading.Thread(target=run, name="aside", daemon=True).start()
    return await result
