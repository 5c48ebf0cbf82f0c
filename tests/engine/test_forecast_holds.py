"""What a run takes lies within what was said before it began, the runs against drift among it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import terms
from world import World, helps

from ceopt_tui.core.budget import Caps
from ceopt_tui.core.plan.forecast import forecast
from schemas.records import CaseRun

LINES = ("be exact", "be brief", "be kind", "be exact, please")


def noisy(chance: float, *lines: str) -> Callable[..., str]:
    """Every case passes by chance, and always once the text holds one of `lines`."""

    def answer(text: str, case: object, sample: int) -> str:
        number = int(case.id[1:])  # type: ignore[attr-defined]
        good = any(line in text for line in lines) or random.Random(f"{text}{number}:{sample}").random() < chance
        return f"answer {number}" if good else f"something else {sample}"

    return answer


def task_runs(world: World) -> list[CaseRun]:
    return [record for record in world.skin.records if isinstance(record, CaseRun)]


@pytest.mark.parametrize(
    ("answer", "count", "held_out"),
    [
        (helps("be exact"), 20, 10),
        (helps("be exact", "be kind"), 8, 5),
        (noisy(0.4, "be exact"), 20, 10),
        (noisy(0.5), 20, 10),
        (noisy(0.3, "be exact"), 7, 5),
    ],
    ids=["repeats itself", "repeats itself, few", "noisy", "noisy, nothing helps", "noisy, few"],
)
async def test_calls_stay_within_the_forecast(
    tmp_path: Path, answer: Callable[..., str], count: int, held_out: int
) -> None:
    world = World(tmp_path, answer, lines=LINES, count=count, held_out=held_out, terms=terms(max_iterations=4))
    await world.tick()
    assert world.state.baseline is not None and world.state.split is not None
    low, high = world.state.baseline.calls_per_experiment
    runs = task_runs(world)
    assert any(run.step == "drift" for run in runs)
    taken = Counter(run.experiment for run in runs if run.experiment is not None)
    assert taken and all(low <= calls <= high for calls in taken.values()), (low, high, taken)
    said = forecast(world.state.split, world.terms)
    assert len(runs) == len(world.runner.calls) <= said.task[1]
    assert sum(run.step == "baseline" for run in runs) == said.baseline


async def test_no_change_is_begun_that_the_cap_would_cut_off_before_its_first_sweep(tmp_path: Path) -> None:
    baseline, report = 4 * 10, 2 * 4 * 10
    for room, begun in ((12, 0), (13, 1)):  # ten selection cases and, against drift, three runs of the current text
        budget = Caps(baseline + report + room)
        world = World(tmp_path / str(room), noisy(0.3, "be exact"), terms=terms(budget=budget))
        result = await world.tick()
        assert (result.outcome, len(world.state.experiments)) == ("inconclusive", begun)
        assert sum(run.experiment is not None for run in task_runs(world)) == 13 * begun
