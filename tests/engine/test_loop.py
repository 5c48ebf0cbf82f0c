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


async def test_a_start_decides_as_many_experiments_as_it_may_and_the_next_goes_on(tmp_path: Path) -> None:
    lines = ("be kind", "be brief", "be exact")
    whole = World(tmp_path / "whole", helps("be exact"), lines=lines)
    await whole.tick()
    world = World(tmp_path / "parts", helps("be exact"), lines=lines)
    ends, decided = [], []
    while world.state.finished is None:
        ends.append(await world.tick(max_experiments=1))
        decided.append(world.state.iterations)
    assert decided == [1, 2, 3]
    assert [(end.status, end.outcome, end.exit_status) for end in ends[:-1]] == [
        ("waiting", "ticks", ExitStatus.WAITING)
    ] * 2
    assert ends[-1].outcome == "improved", "what follows the last experiment belongs to its start"
    assert sorted(world.runner.calls) == sorted(whole.runner.calls)
    assert len(world.proposer.briefs) == len(whole.proposer.briefs), (
        "no idea is paid for in a start that may not try it"
    )


async def test_an_experiment_left_open_counts_in_the_start_that_decides_it(tmp_path: Path) -> None:
    clock = FakeClock()
    unbounded = terms(max_active_s=1e9, max_wall_s=1e9)
    world = World(tmp_path, slow(clock, helps("never said")), lines=("a", "b", "c"), clock=clock, terms=unbounded)
    assert (await world.tick(max_active_s=42 * 60)).outcome == "time" and world.state.current is not None
    assert (await world.tick(max_experiments=1)).reason == "1 experiment decided, as many as this start may"
    assert (len(world.state.experiments), world.state.iterations) == (1, 1)
