"""Is there somebody to ask? For commands that change something only after a yes."""

from __future__ import annotations

import sys


def has_terminal() -> bool:
    """Whether a question on stderr would be seen and could be answered."""
    return sys.stdin.isatty() and sys.stderr.isatty()
