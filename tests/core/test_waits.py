"""What a run waits for: one answer for the log, the last line and the status."""

from __future__ import annotations

import pytest

from ceopt_tui.core.outcomes import _PARKED
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.waits import AT_ANY_TIME, Wait, pending_waits, wait_for, waits_after
from schemas import records as r
from schemas.command_records import ChangeMade, Dispatched

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
    assert at_once == {"time", "ticks", "busy", "stopped", "calibrated", "scored"}


def test_a_journal_of_before_outcomes_were_written_still_tells_a_person_from_the_next_start() -> None:
    assert pending_waits(fold([TICK, ended("blocked")])) == (Wait("person", "once a person has answered"),)
    assert pending_waits(fold([TICK, ended("waiting")])) == (Wait("next_start", AT_ANY_TIME),)


@pytest.mark.parametrize(("outcome", "until"), [("harness_failed", "put right"), ("no_movement", "with --fresh")])
def test_a_run_that_ended_over_its_checks_waits_for_no_model(outcome: str, until: str) -> None:
    over = fold([TICK, r.Finished(outcome=outcome, exit_status=2, reason="r")])
    (wait,) = waits_after(over, outcome)
    assert wait.on == "setup" and until in wait.until
    assert waits_after(RunState(), "harness_failed")[0].on == "provider"
    assert waits_after(over, "proposer_failed")[0].until == AT_ANY_TIME


def test_nothing_is_waited_for_before_while_or_after() -> None:
    assert pending_waits(fold([])) == () == pending_waits(fold([TICK]))
    again = TICK.model_copy(update={"tick": 2})
    assert pending_waits(fold([TICK, ended("waiting", "time"), again])) == ()
    finished = r.Finished(outcome="improved", exit_status=0, reason="done")
    assert pending_waits(fold([TICK, finished, ended("finished", "improved")])) == ()


def test_a_run_that_was_ended_waits_for_nothing_but_its_report() -> None:
    parked = ended("blocked", "needs_person").model_copy(update={"seq": 2})
    stopped = r.Stopped(outcome="person", reason="you ended the run", seq=3)
    assert pending_waits(fold([TICK, parked, stopped])) == (Wait("next_start", AT_ANY_TIME),)
    assert pending_waits(fold([TICK, stopped.model_copy(update={"seq": 1}), parked]))[0].on == "person"


def handed_out(*numbers: int, due_at: str = "2026-01-02T05:00:30+01:00") -> RunState:
    """Three experiments under way, of which some are with workers elsewhere."""
    records: list[r.AnyRecord] = [TICK]
    for number in (1, 2, 3):
        idea = {"id": f"h{number}", "description": "d", "category": "c", "move": "edit", "source": "llm"}
        records.append(r.HypothesisAdded.model_validate({**idea, "generation": 0}))
        started = {"number": number, "hypothesis_id": f"h{number}", "base_digest": "b", "base_sha": "b", "branch": "e"}
        records.append(r.ExperimentStarted.model_validate(started))
    records += [Dispatched(number=number, base_sha="b", ref=f"exp-{number}", due_at=due_at) for number in numbers]
    return fold(records)


def test_results_that_are_all_there_is_to_wait_for_are_named_with_the_end_of_patience() -> None:
    state = fold([ended("waiting", "time")], handed_out(1, 2, 3))
    names = "one of exp-001, exp-002, exp-003"
    until = f"once workers elsewhere have delivered {names}, or after 2026-01-02 04:00 UTC, when it is given up"
    assert pending_waits(state) == (Wait("workers", until),)
    closed = [r.ExperimentClosed(number=number, outcome="error", reason="") for number in (2, 3)]
    assert pending_waits(fold(closed, state))[0].until.startswith("once workers elsewhere have delivered exp-001, or")


def test_what_can_be_done_here_meanwhile_is_waited_for_beside_it() -> None:
    assert [wait.on for wait in pending_waits(fold([ended("waiting", "time")], handed_out(1)))] == [
        "next_start",
        "workers",
    ]
    assert [wait.on for wait in pending_waits(fold([ended("waiting", "results", "cron")], handed_out(1)))] == [
        "workers"
    ]
    assert [wait.on for wait in pending_waits(fold([ended("waiting", "budget")], handed_out(1)))] == ["cap", "workers"]


def test_a_result_that_came_is_waited_for_no_more() -> None:
    came = ChangeMade(number=1, commit="c", files=("src/a",))
    state = fold([came, ended("waiting", "time")], handed_out(1))
    assert pending_waits(state) == (Wait("next_start", AT_ANY_TIME),)


def test_a_journal_without_an_end_of_patience_names_none() -> None:
    state = fold([ended("waiting", "results")], handed_out(1, due_at=""))
    assert pending_waits(state) == (Wait("workers", "once workers elsewhere have delivered exp-001"),)
