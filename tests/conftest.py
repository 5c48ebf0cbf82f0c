"""Shared by all tests: where the fakes are, and a quiet environment."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

settings.register_profile("any machine", deadline=None)  # a busy machine is no fault of the code
settings.load_profile("any machine")

# A shell's background, `nohup` and some CI runners start us deaf to these; what we start would be deaf as well.
for number, heard in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, heard)


@pytest.fixture(autouse=True)
def _no_keys_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine's own configuration reaches a test."""
    for name in ("CEOPT_MODEL_CHEAP", "CEOPT_MODEL_STRONG", "CEOPT_STATE_ROOT", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
