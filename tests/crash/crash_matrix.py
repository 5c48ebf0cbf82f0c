"""The crash matrix: every call of a run's boundary is interrupted, and the run that goes on ends as if left alone.

    make crash                        every call once; where calls differ, in every way there is
    make crash ARGS=--every-way       all ways at all calls (hours)
    make crash ARGS="--kind git"      one kind of call

Prints one line per kind of call: points tried, held, failed.
"""

from __future__ import annotations

import argparse
import difflib
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from boundaries import DEADLY, WAYS, Plan, Point
from ceopt_process import Ended, Place, warm
from scenes import SCENES, Scene
from stub_endpoint import StubEndpoint
from whole_run import (
    KILLED,
    RUN,
    Ending,
    Template,
    Whole,
    assert_nothing_lost,
    assert_sound,
    ending,
    journal_bytes,
    of_the_user,
    records,
    state_of,
)

from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.lock import is_held
from ceopt_tui.journal.replay import replay

AGAIN = 0.1  # this part of the resumes is interrupted as well
PARKED = (0, 2, 3)
LOCK = re.compile(r"(/\S+\.lock) exists: another git command is at work, or one was killed")


@dataclass(frozen=True)
class Tried:
    """What came of one point; `fault` is empty where everything held."""

    points: tuple[Point, ...]
    met: int  # how many of the points the run came to
    fault: str


@dataclass(frozen=True)
class Stage:
    """A project to copy and what its run comes to when nobody disturbs it."""

    template: Template
    whole: Whole

    @property
    def scene(self) -> Scene:
        return SCENES[self.template.scene]

    @property
    def counts(self) -> Counter[str]:
        """Boundary calls by kind."""
        return Counter(kind for kind, _ in self.whole.calls)


def make_stage(folder: Path, name: str = "prompt") -> Stage:
    """The project of a scene, approved, and its undisturbed run."""
    scene = SCENES[name]
    with StubEndpoint(respond=scene.respond()) as endpoint:
        place = scene.make(folder / "template", endpoint.api_base)
        assert warm().run(place, "approve", "spec.yaml").status == 0
        template = Template(name, place, of_the_user(place.root))
        left_alone = template.copied(folder / "whole", endpoint.api_base)
        ended = run(left_alone)
        assert (ended.status, ended.last["outcome"], ended.last["kept"]) == (0, "improved", 1), ended.err
        measured = len(records(left_alone, scene.measured))
        return Stage(template, Whole(ending(left_alone, ended), endpoint.posts, measured, tuple(trace(left_alone))))


def run(place: Place, point: Point | None = None) -> Ended:
    """One run or resume, interrupted at the point."""
    plan = Plan(str(place.root.parent), str(place.home / "trace"), point)
    return warm().run(place, *RUN, env=place.environment(**plan.environ()))


def trace(place: Place) -> list[tuple[str, str]]:
    """(kind, what it was done to) of every boundary call so far; an interrupted one begins with `!`."""
    lines = (place.home / "trace").read_text(encoding="utf-8").splitlines()
    return [(line.split("\t")[0].removeprefix(" "), line.split("\t")[1]) for line in lines]


def matrix(stage: Stage, every_way: bool, seed: int) -> list[tuple[Point, ...]]:
    """Every call of every kind; calls that are alike take the ways in turn. Some resumes are interrupted too."""
    draw, counts = random.Random(seed), stage.counts
    found: list[tuple[Point, ...]] = []
    for kind, ways in WAYS.items():
        for nth in range(1, counts[kind] + 1):
            turn = (ways[nth % len(ways)],) if kind in stage.scene.alike and not every_way else ways
            for way in turn:
                again = (_somewhere(draw, counts),) if draw.random() < AGAIN else ()
                found.append((Point(kind, nth, way), *again))
    return found


def _somewhere(draw: random.Random, counts: Counter[str]) -> Point:
    """A point early in a resume, which is the shorter the later the run was cut."""
    kind = draw.choice([kind for kind in WAYS if counts[kind]])
    deadly = [way for way in WAYS[kind] if way in DEADLY]
    return Point(kind, draw.randint(1, max(1, counts[kind] // 4)), draw.choice(deadly))


def attempt(stage: Stage, points: Sequence[Point]) -> Tried:
    """Copies the project, interrupts its run and resumes at the points, lets it end, and looks at everything."""
    folder = Path(tempfile.mkdtemp(prefix="ceopt-crash-", dir=stage.template.place.root.parent))
    try:
        with StubEndpoint(respond=stage.scene.respond()) as endpoint:
            met, fault = _attempt(stage, points, folder, endpoint)
    finally:
        shutil.rmtree(folder)
    return Tried(tuple(points), met, fault)


def _attempt(stage: Stage, points: Sequence[Point], folder: Path, endpoint: StubEndpoint) -> tuple[int, str]:
    place, met, before = stage.template.copied(folder, endpoint.api_base), 0, b""
    try:
        for point in points:
            ended = run(place, point)
            met += any(kind.startswith("!") for kind, _ in trace(place))
            _check_interrupted(place, point, ended, stage.template)
            before = journal_bytes(place)
            assert_nothing_lost(place, before, ended.out)
            (place.home / "trace").unlink()
        ended = _let_end(place, points)
        assert ended.status == 0, f"the resume ended with {ended.status}: {ended.err[-600:]}"
        assert_nothing_lost(place, before, ended.out)
        came_to = ending(place, ended)
        assert came_to == stage.whole.ending, _difference(came_to, stage.whole.ending)
        assert_sound(place, endpoint, stage.whole, len(points) * stage.scene.concurrency, stage.scene)
    except AssertionError as failed:
        return met, str(failed) or repr(failed)
    return met, ""


def _check_interrupted(place: Place, point: Point, ended: Ended, template: Template) -> None:
    """A run that was cut off, or parked with words, and a disk that is fit to go on from."""
    hit = any(kind.startswith("!") for kind, _ in trace(place))
    wanted = (KILLED,) if hit and point.way in DEADLY else PARKED
    assert ended.status in wanted, f"ended with {ended.status}: {ended.err[-600:]}"
    assert "fault of ceopt" not in ended.err and "Traceback" not in ended.err, ended.err[-600:]
    replay(state_of(place) / JOURNAL_NAME)
    assert not is_held(state_of(place)), "the lock is still held"
    assert of_the_user(place.root) == template.users, "the user's files, index or branches changed"


def _let_end(place: Place, points: Sequence[Point]) -> Ended:
    """The last resume; a lock that a killed git left is removed, as the message asks its reader to."""
    ended = run(place)
    for _ in range(3):
        named = LOCK.search(ended.err + ended.out)
        if ended.status != 3 or named is None or not any(point.way in ("cut", "killed") for point in points):
            break
        Path(named[1]).unlink()
        ended = run(place)
    return ended


def _difference(one: Ending, other: Ending) -> str:
    """What differs between two endings, line by line."""
    sides = (
        [f"{name}: {line}" for name, value in vars(side).items() for line in _lines(value)] for side in (one, other)
    )
    return "\n".join(line for line in difflib.unified_diff(*sides, "came to", "undisturbed", n=0, lineterm=""))


def _lines(value: object) -> list[str]:
    if isinstance(value, str):
        return value.splitlines()
    return [repr(part) for part in (value.items() if isinstance(value, dict) else value)]  # type: ignore[attr-defined]


def tried(stage: Stage, wanted: Sequence[tuple[Point, ...]], workers: int) -> Iterator[Tried]:
    """The outcome of every point, as it comes."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for done in as_completed([pool.submit(attempt, stage, points) for points in wanted]):
            yield done.result()


def table(outcomes: Sequence[Tried]) -> str:
    """One line per kind of call, and the total."""
    lines = [f"{'call':<16}{'tried':>7}{'held':>7}{'failed':>8}"]
    for kind in (*WAYS, "total"):
        of_kind = [one for one in outcomes if kind in ("total", one.points[0].kind)]
        failed = sum(bool(one.fault) for one in of_kind)
        if of_kind:
            lines.append(f"{kind:<16}{len(of_kind):>7}{len(of_kind) - failed:>7}{failed:>8}")
    twice = sum(len(one.points) > 1 for one in outcomes)
    unmet = sum(one.met < len(one.points) for one in outcomes)
    lines.append(f"{twice} of them with the resume interrupted too; {unmet} where the run did not come that far")
    return "\n".join(lines)


def main() -> int:
    options = argparse.ArgumentParser(description="Interrupts a run at every call of its boundary.")
    options.add_argument("--scene", choices=SCENES, action="append", help="only this run")
    options.add_argument("--every-way", action="store_true", help="all ways at all calls, also where they are alike")
    options.add_argument("--kind", choices=WAYS, action="append", help="only this kind of call")
    options.add_argument("--nth", type=int, help="only this call of its kind")
    options.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options.add_argument("--seed", type=int, default=1, help="which resumes are interrupted, and where")
    given = options.parse_args()
    outcomes = [one for name in given.scene or SCENES for one in _scene(name, given)]
    print(f"in all: {len(outcomes)} points tried, {sum(not one.fault for one in outcomes)} held")
    return int(any(one.fault for one in outcomes))


def _scene(name: str, given: argparse.Namespace) -> list[Tried]:
    """Tries all points of one run and prints its table."""
    begun, outcomes = time.monotonic(), []
    with tempfile.TemporaryDirectory(prefix="ceopt-crash-") as folder:
        stage = make_stage(Path(folder), name)
        wanted = [points for points in matrix(stage, given.every_way, given.seed) if _is_wanted(points[0], given)]
        print(f"{name}: {len(stage.whole.calls)} boundary calls in a run, {len(wanted)} points to try", flush=True)
        for one in tried(stage, wanted, given.workers):
            outcomes.append(one)
            if one.fault:
                print(f"FAILED {'; then '.join(map(str, one.points))}: {one.fault}", flush=True)
    print(f"{table(outcomes)}\n{name}: {time.monotonic() - begun:.0f} s", flush=True)
    return outcomes


def _is_wanted(point: Point, given: argparse.Namespace) -> bool:
    return (given.kind is None or point.kind in given.kind) and given.nth in (None, point.nth)


if __name__ == "__main__":
    sys.exit(main())
