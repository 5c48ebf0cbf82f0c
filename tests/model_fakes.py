"""Clock, sleep and model for tests that call the stub endpoint through the real client."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from stub_endpoint import StubEndpoint

from ceopt_tui.core.ports import Message, ModelRequest, Price, ResolvedModel, Role

KEY = "sk-FAKE-ABCDEFGH12345678"


class ManualClock:
    """A clock that only moves when it is told to, or when something sleeps by it."""

    def __init__(self) -> None:
        self._wall = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
        self._monotonic_s = 1000.0
        self.sleeps_s: list[float] = []

    def now(self) -> datetime:
        return self._wall

    def monotonic(self) -> float:
        return self._monotonic_s

    def advance(self, seconds: float, *, wall_s: float | None = None) -> None:
        self._monotonic_s += seconds
        self._wall += timedelta(seconds=seconds if wall_s is None else wall_s)

    async def sleep(self, seconds: float) -> None:
        self.sleeps_s.append(seconds)
        self.advance(seconds)


def model_at(
    endpoint: StubEndpoint,
    model: str = "openai/acme-judge-9",
    *,
    key: str | None = KEY,
    price: Price | None = None,
    concurrency: int = 8,
) -> ResolvedModel:
    """A model that the stub endpoint answers for."""
    return ResolvedModel(
        "cheap", model, endpoint.api_base, endpoint.api_base, key, price=price, concurrency=concurrency
    )


def request_to(
    model: ResolvedModel,
    text: str = "How good is this?",
    *,
    role: Role = "judge",
    params: Mapping[str, Any] | None = None,
    **fields: Any,
) -> ModelRequest:
    """A one-message request."""
    return ModelRequest(role, model, (Message("user", text),), params or {}, **fields)
