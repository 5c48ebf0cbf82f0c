"""When a request is sent again, and after how long. The only retry layer there is; it sends nothing itself."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 30.0
LONGEST_WAIT_S = 120.0  # asked to wait longer than this, a run parks instead


@dataclass
class Backoff:
    """Delays between the requests of one client; `seed` makes the jitter repeatable."""

    seed: int = 0
    _random: random.Random = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def delay_s(self, failures: int, retry_after_s: float | None) -> float:
        """Seconds before the next request after `failures` (from 1) in a row.

        What the provider asks for is a lower bound; the jitter on top keeps parallel calls from returning together.
        """
        if retry_after_s is not None:
            return retry_after_s * (1.0 + 0.1 * self._random.random())
        longest = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0 ** (failures - 1))
        return longest * (0.5 + 0.5 * self._random.random())


def retry_after_s(value: str | None, now: datetime) -> float | None:
    """Seconds that a `Retry-After` header asks for (a number or an HTTP date); None when it says nothing readable."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _until(value, now)
    return max(0.0, seconds) if seconds == seconds and abs(seconds) != float("inf") else None


def _until(value: str, now: datetime) -> float:
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return float("nan")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - now).total_seconds()
