"""Whole runs on fakes: what is kept, what is not, and what is on record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fakes import FakeClock, terms
from world import World, helps

from ceopt_tui.exits import ExitStatus


async def test_a_change_that_helps_on_unseen_cases_is_kept(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("be kind", "be exact"))
    result = await world.tick()
    assert (result.status, result.outcome, result.exit_status) == ("finished", "improved", ExitStatus.FINISHED)
    assert [keep.number for keep in world.state.keeps] == [2]
    assert world.backend.commits[0][1] == {"prompt.md": "Answer.\nbe exact\n"}
    assert world.state.gain is not None and world.state.gain.after == 1.0 and world.state.gain.low > 0


async def test_a_change_that_helps_nothing_is_not_kept(tmp_path: Path) -> None:
    world = World(tmp_path, helps("never said"), lines=("be kind", "be brief"))
    result = await world.tick()
    assert result.outcome in {"no_improvement", "no_movement"}
    assert not world.backend.commits


def slow(clock: FakeClock, rule: Any, seconds: float = 60.0) -> Any:
    """Every call takes its time, one after the other."""

    def answer(text: str, case: Any, sample: int) -> Any:
        clock.advance(seconds)
        return rule(text, case, sample)

    return answer


async def test_a_tick_ends_in_the_middle_of_a_measurement_when_its_time_is_up(tmp_path: Path) -> None:
    clock = FakeClock()
    world = World(tmp_path, slow(clock, helps("be exact")), clock=clock, terms=terms(max_active_s=1e9, max_wall_s=1e9))
    result = await world.tick(max_active_s=600)
    assert (result.status, result.outcome, result.exit_status) == ("waiting", "time", ExitStatus.WAITING)
    assert len(world.runner.calls) == 10 == world.state.runs.scored  # of the 40 of the baseline
    await world.tick()
    assert world.state.finished is not None and world.state.finished.outcome == "improved"
    assert len(world.runner.calls) == len(set(world.runner.calls))  # nothing was measured twice


async def test_the_hours_of_a_run_end_it_in_the_middle_of_a_measurement(tmp_path: Path) -> None:
    clock = FakeClock()
    world = World(tmp_path, slow(clock, helps("be exact")), clock=clock, terms=terms(max_active_s=360.0))
    result = await world.tick()
    assert world.state.stopped is not None and world.state.stopped.outcome == "max_hours"
    (experiment,) = world.state.experiments.values()
    assert experiment.outcome == "inconclusive" and len(world.runner.calls) == 40 + 6
    assert result.exit_status == ExitStatus.FINISHED and world.state.report is not None
