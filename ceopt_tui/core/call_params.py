"""Parameters of a model call over their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_REPLY_LIMITS = frozenset({"max_tokens", "max_completion_tokens"})  # providers refuse a call that carries both


def over_defaults(defaults: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given, and the defaults of what is not; a limit on the reply's tokens goes by either of two names."""
    passed_over = _REPLY_LIMITS if _REPLY_LIMITS & given.keys() else frozenset()
    return {**{name: value for name, value in defaults.items() if name not in passed_over}, **given}
