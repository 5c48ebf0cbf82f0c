"""The machine's own clock. Everything below takes a `Clock`; only the outermost layer uses this one."""

import time
from datetime import UTC, datetime


class SystemClock:
    """Real time."""

    def now(self) -> datetime:
        """Wall time in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since some moment, never going back."""
        return time.monotonic()
