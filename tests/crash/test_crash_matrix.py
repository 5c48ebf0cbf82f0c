"""A handful of the crash matrix, drawn by a seed; `make crash` tries all of it."""

from __future__ import annotations

import random

import pytest
from boundaries import WAYS, Point
from crash_matrix import Stage, attempt, make_stage, matrix

pytestmark = pytest.mark.crash

HANDFUL = 3


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    return make_stage(tmp_path_factory.mktemp("crash"))


def test_the_matrix_has_every_call_of_a_run_in_every_way(stage: Stage) -> None:
    points = [points[0] for points in matrix(stage, every_way=False, seed=1)]
    assert len({(point.kind, point.nth) for point in points}) == stage.counts.total() == len(stage.whole.calls)
    known = {(kind, way) for kind, ways in WAYS.items() for way in ways if kind in stage.counts}
    assert {(point.kind, point.way) for point in points} == known
    assert set(WAYS) - set(stage.counts) <= {"program"}


@pytest.mark.parametrize("turn", range(HANDFUL))
def test_an_interrupted_run_goes_on_to_the_same_end(stage: Stage, turn: int) -> None:
    drawn = random.Random(7).sample(matrix(stage, every_way=False, seed=1), HANDFUL)
    assert attempt(stage, drawn[turn]).fault == ""


def test_a_resume_that_is_killed_twice_goes_on_to_the_same_end(stage: Stage) -> None:
    calls = (Point("journal write", 40, "half"), Point("fsync", 3, "lost"), Point("git", 5, "cut"))
    tried = attempt(stage, calls)
    assert (tried.fault, tried.met) == ("", 3)


@pytest.mark.exhaustive
def test_a_run_that_a_command_measures_goes_on_to_the_same_end(tmp_path_factory: pytest.TempPathFactory) -> None:
    stage = make_stage(tmp_path_factory.mktemp("command"), "command")
    assert stage.counts["program"] > 0
    at_the_very_end = [(Point(kind, stage.counts[kind], "before"),) for kind in ("journal write", "file created")]
    for points in (*random.Random(7).sample(matrix(stage, every_way=False, seed=1), HANDFUL), *at_the_very_end):
        assert attempt(stage, points).fault == ""
