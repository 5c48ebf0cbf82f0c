"""The real local models: skipped where their weights cannot be had, failed where they are not the published ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ceopt_tui.errors import SetupError, StorageError, TamperedError
from judges.local_model.weights import ensure_weights

SMALL = "local/qwen2.5-coder-0.5b"
LARGER = "local/qwen2.5-coder-1.5b"


def weights_or_skip(name: str) -> Path:
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    try:
        return ensure_weights(name)
    except TamperedError:
        raise
    except (SetupError, StorageError) as error:
        pytest.skip(error.message)


@pytest.fixture(scope="session")
def small_weights() -> Path:
    return weights_or_skip(SMALL)


@pytest.fixture(scope="session")
def larger_weights() -> Path:
    return weights_or_skip(LARGER)


@pytest.fixture(autouse=True)
def _gentle_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cores that others use too: the model's threads must not spin."""
    monkeypatch.setenv("CI", os.environ.get("CI") or "true")
