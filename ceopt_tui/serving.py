"""Models made ready to answer: a hosted one has its address, an embedded one gets a server for the length of a tick."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from ceopt_tui.core.ports import ResolvedModel
from ceopt_tui.engine.skin import Skin
from judges.local_binding import bound


async def bind_model(model: ResolvedModel, stack: AsyncExitStack, skin: Skin) -> ResolvedModel:
    """The model with an address; an embedded one gets its server for the length of the tick."""
    loop = asyncio.get_running_loop()

    def progress(done: int, total: int, what: str) -> None:
        loop.call_soon_threadsafe(skin.progress, what, done, total)

    return await stack.enter_async_context(bound(model, progress))
