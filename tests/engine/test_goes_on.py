"""Runs that had ended and go on, runs that may not, and whose time counts as work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeClock, FakeRunner, FakeSkin, terms
from mortal_world import Power
from world import World, helps

from ceopt_tui.core.ports import Question, RunResult
from ceopt_tui.core.state.fold import fold
from ceopt_tui.exits import ExitStatus
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import replay
from schemas.records import ModelBound


async def test_a_raised_limit_lets_a_finished_run_go_on(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("be kind", "be exact"), terms=terms(max_iterations=1))
    first = await world.tick()
    assert first.outcome == "no_improvement"
    calls = len(world.runner.calls)
    assert (await world.tick()).outcome == "no_improvement"
    assert len(world.runner.calls) == calls, "the limit still holds: nothing is run"
    world.terms = replace(world.terms, max_iterations=5)
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("improved", ExitStatus.FINISHED)
    assert world.state.gain is not None
    assert [keep.number for keep in world.state.keeps] == [2]
    assert sum(record.kind == "reopened" for record in world.skin.records) == 1
    assert fold(replay(tmp_path / JOURNAL_NAME).records).finished == world.state.finished


async def test_a_proposer_that_gave_nothing_is_asked_again(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("a", "b", "be exact"))
    world.proposer.fail = True
    failed = await world.tick()
    assert (failed.outcome, failed.exit_status) == ("proposer_failed", ExitStatus.STOPPED)
    world.proposer.fail = False
    result = await world.tick()
    assert result.outcome != "proposer_failed"
    assert world.state.experiments


def bound(model: str) -> ModelBound:
    return ModelBound(role="task", name="cheap", model=model, endpoint="openai")


async def test_another_task_model_blocks_a_run_that_has_ideas(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("be kind", "be exact"), terms=terms(max_iterations=1))
    await world.tick(models=(bound("openai/a"),))
    calls = len(world.runner.calls)
    world.terms = replace(world.terms, max_iterations=5)
    result = await world.tick(models=(bound("openai/b"),))
    assert (result.status, result.exit_status) == ("blocked", ExitStatus.NEEDS_PERSON)
    assert "openai/a" in result.reason and "openai/b" in result.reason
    assert len(world.runner.calls) == calls
    assert (await world.tick(models=(bound("openai/a"),))).outcome == "improved"


async def test_another_task_model_blocks_a_run_in_the_middle_of_its_loop(tmp_path: Path) -> None:
    """Scores of two models are never compared."""
    world = World(tmp_path, helps("be exact"), lines=("be kind", "be exact"))
    await world.tick(models=(bound("openai/a"),), max_experiments=1)
    calls = len(world.runner.calls)
    assert world.state.hypotheses and world.state.finished is None
    for _ in range(2):
        result = await world.tick(models=(bound("openai/b"),))
        assert (result.status, result.exit_status) == ("blocked", ExitStatus.NEEDS_PERSON)
        assert "openai/a" in result.reason and "openai/b" in result.reason
    assert len(world.runner.calls) == calls and world.state.models["task"].model == "openai/a"
    assert (await world.tick(models=(bound("openai/a"),))).outcome == "improved"


async def test_a_model_is_on_record_once_while_it_stays_the_same(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("be kind", "be exact"))
    for _ in range(3):
        await world.tick(models=(bound("openai/a"),), max_experiments=1)
    assert sum(record.kind == "model_bound" for record in replay(tmp_path / JOURNAL_NAME).records) == 1


async def test_another_task_model_before_the_first_idea_measures_afresh(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), approved=False)
    await world.tick(models=(bound("openai/a"),))
    calls = len(world.runner.calls)
    assert calls == 40
    await world.tick(models=(bound("openai/b"),))
    assert len(world.runner.calls) == 2 * calls
    assert any("the baseline is measured afresh" in note.text for note in world.state.notes)


@dataclass
class SleepsThenDies:
    """The laptop's lid is closed in the middle of a sweep; some calls after it is opened, the process is killed."""

    inner: FakeRunner
    clock: FakeClock
    calls: int = 0

    async def run(self, texts: Mapping[str, str], case: Any, sample: int) -> RunResult:
        self.calls += 1
        self.clock.advance(1)
        if self.calls == 9:
            self.clock.wall += timedelta(hours=17)
        if self.calls == 20:
            raise Power
        return await self.inner.run(texts, case, sample)


async def test_a_sleep_in_the_middle_of_a_sweep_is_no_work_though_the_process_was_killed(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"))
    with pytest.raises(Power):
        await world.tick(runner=SleepsThenDies(world.runner, world.clock))
    slept = [record for record in replay(tmp_path / JOURNAL_NAME).records if record.kind == "noted" and record.jump_s]
    assert [note.jump_s for note in slept] == [pytest.approx(17 * 3600)]
    await world.tick()
    assert world.state.active_s < 60


@dataclass
class SlowPerson(FakeSkin):
    """Thinks for an hour about every question."""

    world: World | None = None

    async def ask(self, question: Question) -> str:
        assert self.world is not None
        self.world.clock.advance(3600)
        return await super().ask(question)


async def test_a_person_who_thinks_uses_up_no_work_time(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), approved=False, terms=terms(attended=True, max_active_s=1800.0))
    world.skin = SlowPerson(answers=["proceed", "proceed", "keep"], world=world)
    result = await world.tick()
    assert result.outcome == "improved"
    assert world.state.active_s == pytest.approx(0.0)
