"""Work is monotonic time, the calendar is wall time, and a jump between them is told in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ceopt_tui.core.clocks import Moment, calendar_s, jump_s, spoken, worked_s

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


def after(wall_s: float, monotonic_s: float) -> Moment:
    return Moment(NOON + timedelta(seconds=wall_s), 100.0 + monotonic_s)


START = after(0, 0)


def test_sleep_is_no_work() -> None:
    assert worked_s(START, after(17 * 3600, 1)) == 1.0


@pytest.mark.parametrize(("wall_s", "monotonic_s"), [(-3600, 1), (5, -3)])
def test_no_duration_is_negative(wall_s: float, monotonic_s: float) -> None:
    now = after(wall_s, monotonic_s)
    assert worked_s(START, now) >= 0
    assert calendar_s(START.wall, now.wall) >= 0


@pytest.mark.parametrize(
    ("wall_s", "monotonic_s", "jump"),
    [(10, 10, None), (60, 0, None), (61, 0, 61.0), (17 * 3600 + 1, 1, 17 * 3600.0), (-3600, 0, -3600.0)],
)
def test_only_what_exceeds_a_minute_is_a_jump(wall_s: float, monotonic_s: float, jump: float | None) -> None:
    assert jump_s(START, after(wall_s, monotonic_s)) == jump


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (89, "89 s"), (90, "2 min"), (2700, "45 min"), (5400, "2 h"), (61200, "17 h"), (-3600, "-60 min")],
)
def test_durations_are_read_at_a_glance(seconds: float, words: str) -> None:
    assert spoken(seconds) == words
