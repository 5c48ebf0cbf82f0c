"""Gives a `local/…` model the server it runs on, for as long as it is used."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from ceopt_tui.core.ports import ResolvedModel
from judges.local_model.server import LocalServer
from judges.local_model.weights import Progress, ensure_weights, ignore_progress
from judges.tiers import is_local, with_endpoint


@asynccontextmanager
async def bound(model: ResolvedModel, progress: Progress = ignore_progress) -> AsyncGenerator[ResolvedModel, None]:
    """The model with an address: itself, or with a local server that lives inside the context.

    Fetches missing weights first, since a local model runs only where somebody named it. Raises SetupError.
    """
    if not is_local(model):
        yield model
        return
    weights = await asyncio.to_thread(ensure_weights, model.model, progress)
    # One slot repeats itself exactly, and a runner that repeats itself needs a quarter of the runs; four slots on two
    # cores are only a fifth faster.
    async with LocalServer(weights, slots=1) as server:
        served = with_endpoint(model, server.api_base, server.api_key)
        yield replace(served, concurrency=1, revived=server.revived)
