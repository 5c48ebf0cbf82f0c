"""Intervals: only those that cron and systemd keep evenly, and each of them written right for both."""

from __future__ import annotations

import pytest

from ceopt_tui.errors import SetupError
from ceopt_tui.schedule.interval import EXACT, Interval


@pytest.mark.parametrize(
    ("text", "cron", "calendar", "work"),
    [
        ("1m", "* * * * *", "*:0/1", 1),
        ("30m", "*/30 * * * *", "*:0/30", 25),
        (" 15 min", "*/15 * * * *", "*:0/15", 12),
        ("60m", "0 * * * *", "*-*-* *:00:00", 50),
        ("2H", "0 */2 * * *", "*-*-* 0/2:00:00", 100),
        ("24h", "0 0 * * *", "*-*-* 0:00:00", 1200),
        ("1d", "0 0 * * *", "*-*-* 0:00:00", 1200),
    ],
)
def test_an_interval_in_the_words_of_both(text: str, cron: str, calendar: str, work: int) -> None:
    interval = Interval.parse(text)
    assert (interval.cron_fields, interval.calendar, interval.work_minutes) == (cron, calendar, work)


@pytest.mark.parametrize(("text", "nearest"), [("7m", "6m"), ("45m", "30m"), ("5h", "4h"), ("90m", "1h"), ("3d", "1d")])
def test_what_cron_cannot_keep_is_refused_with_the_nearest_it_can(text: str, nearest: str) -> None:
    with pytest.raises(SetupError, match=f"nearest it can is {nearest}"):
        Interval.parse(text)


@pytest.mark.parametrize("text", ["", "30", "0m", "-5m", "1.5h", "30s", "m", "٣m"])
def test_anything_else_is_no_interval(text: str) -> None:
    with pytest.raises(SetupError, match="not an interval"):
        Interval.parse(text)


def test_an_interval_reads_back_as_it_is_written() -> None:
    assert [Interval.parse(str(Interval(minutes))).minutes for minutes in EXACT] == list(EXACT)


def test_a_start_has_ended_before_the_next_one_comes() -> None:
    assert all(Interval(minutes).work_minutes < minutes for minutes in EXACT if minutes > 1)
