"""Where a local model gets its address from."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

import pytest

from ceopt_tui.core.ports import ResolvedModel
from judges import local_binding
from judges.local_binding import bound


class Server:
    alive = 0

    def __init__(self, weights: Path, *, slots: int) -> None:
        assert slots == 1, "answers that repeat"
        self.api_base, self.api_key = f"http://served/{weights.name}", "key"

    async def __aenter__(self) -> Self:
        Server.alive += 1
        return self

    async def __aexit__(self, *_exc: object) -> None:
        Server.alive -= 1

    async def revived(self) -> bool:
        return False


async def test_other_models_need_no_server() -> None:
    model = ResolvedModel("cheap", "openai/x", "openai")
    async with bound(model) as same:
        assert same is model


async def test_a_local_model_is_served_while_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def weights(name: str, progress: Any) -> Path:
        return Path(f"{name.rpartition('/')[2]}.gguf")

    monkeypatch.setattr(local_binding, "LocalServer", Server)
    monkeypatch.setattr(local_binding, "ensure_weights", weights)
    async with bound(ResolvedModel("cheap", "local/tiny", "local")) as model:
        assert (model.api_base, model.endpoint, model.model) == ("http://served/tiny.gguf", "local", "local/tiny")
        assert model.revived is not None and not await model.revived()
        assert Server.alive == 1
    assert Server.alive == 0
