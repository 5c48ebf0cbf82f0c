"""How often a job starts, and how cron and systemd write it. Only intervals that both can keep exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ceopt_tui.errors import SetupError

HOUR, DAY = 60, 24 * 60
_WRITTEN = re.compile(r"([1-9][0-9]{0,3})\s*(m|min|h|d)")
_MINUTES = {"m": 1, "min": 1, "h": HOUR, "d": DAY}
EXACT = (*(minutes for minutes in range(1, HOUR) if HOUR % minutes == 0),
         *(HOUR * hours for hours in range(1, 25) if 24 % hours == 0))  # fmt: skip
SHARE_OF_WORK = 5 / 6  # of an interval, so that one start has ended before the next one comes


@dataclass(frozen=True)
class Interval:
    """Minutes between two starts: a divisor of an hour, or of a day in whole hours."""

    minutes: int

    @classmethod
    def parse(cls, text: str) -> Interval:
        """Reads `30m`, `2h` or `1d`. SetupError when cron could not keep it evenly, naming the nearest that it can."""
        found = _WRITTEN.fullmatch(text.strip().lower())
        if found is None:
            raise SetupError(f"{text!r} is not an interval", "Write it like 30m, 2h or 1d.")
        minutes = int(found[1]) * _MINUTES[found[2]]
        if minutes not in EXACT:
            nearest = min(EXACT, key=lambda exact: (abs(exact - minutes), exact))
            raise SetupError(
                f"cron cannot start a job every {text.strip()} evenly: minutes have to divide an hour, hours a day",
                f"The nearest it can is {cls(nearest)}.",
            )
        return cls(minutes)

    def __str__(self) -> str:
        if self.minutes == DAY:
            return "1d"
        return f"{self.minutes}m" if self.minutes < HOUR else f"{self.minutes // HOUR}h"

    @property
    def work_minutes(self) -> int:
        """How long one start may work when nobody said."""
        return max(1, int(self.minutes * SHARE_OF_WORK))

    @property
    def cron_fields(self) -> str:
        """Minute, hour, day, month, weekday."""
        if self.minutes < HOUR:
            return f"*/{self.minutes} * * * *" if self.minutes > 1 else "* * * * *"
        hours = self.minutes // HOUR
        every = {1: "*", 24: "0"}.get(hours, f"*/{hours}")
        return f"0 {every} * * *"

    @property
    def calendar(self) -> str:
        """systemd's OnCalendar."""
        if self.minutes < HOUR:
            return f"*:0/{self.minutes}"
        hours = self.minutes // HOUR
        every = {1: "*", 24: "0"}.get(hours, f"0/{hours}")
        return f"*-*-* {every}:00:00"
