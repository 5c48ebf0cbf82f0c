"""Two clocks side by side: monotonic time is work, wall time is the calendar. Pure arithmetic on both."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

JUMP_S = 60.0  # the two clocks of a machine that slept or was set differ by more than this


@dataclass(frozen=True)
class Moment:
    """One reading of both clocks."""

    wall: datetime
    monotonic_s: float


def worked_s(start: Moment, now: Moment) -> float:
    """Seconds of work between two readings, never negative, untouched by clock changes."""
    return max(0.0, now.monotonic_s - start.monotonic_s)


def calendar_s(start: datetime, now: datetime) -> float:
    """Seconds by the calendar, never negative."""
    return max(0.0, (now - start).total_seconds())


def jump_s(before: Moment, now: Moment) -> float | None:
    """How far wall time moved beyond the work done (negative: it was set back); None within the ordinary."""
    moved = (now.wall - before.wall).total_seconds() - (now.monotonic_s - before.monotonic_s)
    return moved if abs(moved) > JUMP_S else None


def spoken(seconds: float) -> str:
    """A duration in words a person reads at a glance: 45 s, 12 min, 17 h."""
    size = abs(seconds)
    if size < 90:
        return f"{seconds:.0f} s"
    if size < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"
