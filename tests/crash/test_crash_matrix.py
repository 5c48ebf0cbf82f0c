"""A handful of the crash matrix, drawn by a seed; `make crash` tries all of it."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from boundaries import WAYS, Point
from crash_matrix import attempt, make_template, matrix
from whole_run import Template

pytestmark = pytest.mark.crash

HANDFUL = 5


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Template:
    return make_template(tmp_path_factory.mktemp("crash"))


def test_the_matrix_has_every_call_of_a_run_and_every_kind_of_call(template: Template) -> None:
    counts = Counter(kind for kind, _ in template.calls)
    assert set(counts) == set(WAYS)
    points = {(points[0].kind, points[0].nth) for points in matrix(counts, every_way=False, seed=1)}
    assert len(points) == counts.total() == len(template.calls)
    every = {(points[0].kind, points[0].way) for points in matrix(counts, every_way=False, seed=1)}
    assert every == {(kind, way) for kind, ways in WAYS.items() for way in ways}


@pytest.mark.parametrize("turn", range(HANDFUL))
def test_an_interrupted_run_goes_on_to_the_same_end(template: Template, turn: int) -> None:
    counts = Counter(kind for kind, _ in template.calls)
    drawn = random.Random(7).sample(matrix(counts, every_way=False, seed=1), HANDFUL)
    assert attempt(template, drawn[turn]).fault == ""


def test_a_resume_that_is_killed_twice_goes_on_to_the_same_end(template: Template) -> None:
    calls = (Point("journal write", 40, "half"), Point("fsync", 3, "lost"), Point("git", 5, "cut"))
    tried = attempt(template, calls)
    assert (tried.fault, tried.met) == ("", 3)
