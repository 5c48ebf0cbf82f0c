"""What a run waits for: one answer for the log, the last line and the status."""

from __future__ import annotations

import pytest

from ceopt_tui.core.outcomes import _PARKED
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.waits import AT_ANY_TIME, Wait, pending_waits, wait_for
from schemas import records as r

TICK = r.TickStarted(tick=1, pid=1, host="h")


def ended(status: str, outcome: str = "", wake: str = "") -> r.TickEnded:
    values = {"tick": 1, "active_s": 9, "status": status, "reason": "why", "outcome": outcome, "wake": wake}
    return r.TickEnded.model_validate(values)


@pytest.mark.parametrize(
    ("outcome", "on"),
    [("time", "next_start"), ("interrupted", "next_start"), ("calibrated", "next_start"), ("outage", "provider"),
     ("budget", "cap"), ("quota", "account"), ("auth", "key"), ("storage", "disk"), ("needs_person", "person")],
)  # fmt: skip
def test_the_end_of_a_start_says_what_the_next_one_waits_for(outcome: str, on: str) -> None:
    assert wait_for(outcome).on == on
    assert (wait_for(outcome).until == AT_ANY_TIME) is (on == "next_start")
    assert pending_waits(fold([TICK, ended("waiting", outcome, "cron, every 30m")])) == (
        wait_for(outcome, "cron, every 30m"),
    )


def test_every_word_for_a_parked_run_has_a_wait() -> None:
    at_once = {word for word in _PARKED if wait_for(word).on == "next_start"}
    assert at_once == {"time", "ticks", "stopped", "calibrated", "scored"}


def test_a_journal_of_before_outcomes_were_written_still_tells_a_person_from_the_next_start() -> None:
    assert pending_waits(fold([TICK, ended("blocked")])) == (Wait("person", "once a person has answered"),)
    assert pending_waits(fold([TICK, ended("waiting")])) == (Wait("next_start", AT_ANY_TIME),)


def test_nothing_is_waited_for_before_while_or_after() -> None:
    assert pending_waits(fold([])) == () == pending_waits(fold([TICK]))
    again = TICK.model_copy(update={"tick": 2})
    assert pending_waits(fold([TICK, ended("waiting", "time"), again])) == ()
    finished = r.Finished(outcome="improved", exit_status=0, reason="done")
    assert pending_waits(fold([TICK, finished, ended("finished", "improved")])) == ()
