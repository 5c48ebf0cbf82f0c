"""Pictures and screens are the same on every machine: no animation, no colours of the user's terminal."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _calm_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textual.constants.TEXTUAL_ANIMATIONS", "none")
    for name in ("NO_COLOR", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
