"""`kill -9` at many moments of a real run, and of its resumes: the end is the one of a run nobody disturbed."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Ended, Place, warm
from stub_endpoint import StubEndpoint
from triage_project import TriageModel, git, make_project, users_files

pytestmark = pytest.mark.crash

RUN = ("run", "spec.yaml", "--unattended", "--json")
KILLED = -9
CONCURRENCY = 4


@dataclass(frozen=True)
class Ending:
    """What a run came to, times and costs aside."""

    outcome: Any
    kept: str
    report: str
    log: tuple[Any, ...]
    branch: tuple[str, ...]
    users: dict[str, object]


def journal(place: Place) -> str:
    path = place.root / ".context" / "ceopt" / "triage" / "journal.jsonl"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def records(place: Place, kind: str) -> list[dict[str, Any]]:
    return [record for record in map(json.loads, journal(place).splitlines()) if record["kind"] == kind]


def ending(place: Place, ended: Ended) -> Ending:
    figures = {key: ended.last[key] for key in ("status", "outcome", "reason", "baseline", "final", "held_out", "kept")}
    report = git(place.root, "show", "optimize/triage:docs/optimize/triage-report.md")
    closed = records(place, "experiment_closed")
    return Ending(
        figures,
        git(place.root, "show", "optimize/triage:prompts/triage.md"),
        re.sub(r"## Cost by role.*?(?=## )|\([0-9a-f]{10}\)", "", report, flags=re.S),
        tuple((one["number"], one["outcome"], one["reason"], one["fixed"], one["regressions"]) for one in closed),
        tuple(git(place.root, "log", "--format=%s", "main..optimize/triage").splitlines()),
        users_files(place.root),
    )


def assert_sound(place: Place, endpoint: StubEndpoint, whole_posts: int, kills: int) -> None:
    """Nothing is measured twice, nothing is paid twice but what was in flight, nothing is left lying about."""
    runs = Counter((run["text_digest"], run["case_id"], run["sample"]) for run in records(place, "case_run"))
    assert set(runs.values()) == {1} and len(runs) == whole_posts
    assert endpoint.posts <= whole_posts + kills * CONCURRENCY
    numbers = Counter(record["number"] for record in records(place, "experiment_started"))
    assert set(numbers.values()) == {1} and sorted(numbers) == list(range(1, len(numbers) + 1))
    log = warm().run(place, "log").out
    assert all(log.count(f"id: exp-{number:03d}\n") == 1 for number in numbers)
    assert git(place.root, "worktree", "list").count("\n") == 1
    assert not git(place.root, "branch", "--list", "optimize-exp/*")


def approved(folder: Path, endpoint: StubEndpoint) -> Place:
    place = make_project(folder, endpoint.api_base)
    assert warm().run(place, "approve", "spec.yaml").status == 0
    return place


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel(), delay_s=0.01) as running:
        yield running


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ending, int]:
    """The ending of a run that was left alone, and the requests it took."""
    with StubEndpoint(respond=TriageModel()) as endpoint:
        place = approved(tmp_path_factory.mktemp("whole"), endpoint)
        ended = warm().run(place, *RUN)
        assert (ended.status, ended.last["outcome"], ended.last["kept"]) == (0, "improved", 1)
        return ending(place, ended), endpoint.posts


def resumed(place: Place, moments: Iterator[Callable[[], bool]]) -> tuple[Ended, int]:
    """Runs and kills at each moment in turn until a run ends by itself; gives that end and the number of kills."""
    kills = 0
    for moment in moments:
        ended = warm().run_until(moment, place, *RUN)
        if ended.status != KILLED:
            return ended, kills
        kills += 1
    return warm().run(place, *RUN), kills


def test_a_run_killed_again_and_again_ends_as_if_left_alone(
    endpoint: StubEndpoint, undisturbed: tuple[Ending, int], tmp_path: Path
) -> None:
    expected, whole_posts = undisturbed
    place, draw = approved(tmp_path, endpoint), random.Random(1)

    def after_some_requests() -> Iterator[Callable[[], bool]]:
        for _ in range(10):
            wanted = endpoint.posts + draw.randint(3, 16)
            yield lambda wanted=wanted: endpoint.posts >= wanted

    ended, kills = resumed(place, after_some_requests())
    assert ended.status == 0 and kills >= 6
    assert ending(place, ended) == expected
    assert_sound(place, endpoint, whole_posts, kills)


def test_a_run_killed_at_every_checkpoint_ends_as_if_left_alone(
    endpoint: StubEndpoint, undisturbed: tuple[Ending, int], tmp_path: Path
) -> None:
    expected, whole_posts = undisturbed
    endpoint.delay_s = 0
    place = approved(tmp_path, endpoint)
    kinds = ("run_started", "baseline_measured", "backlog_closed", "candidate_made", "looked", "committed", "stopped",
             "gain_reported", "report_written")  # fmt: skip
    ended, kills = resumed(place, iter([partial(reached, place, kind) for kind in kinds]))
    assert ended.status == 0 and kills >= 7
    assert ending(place, ended) == expected
    assert_sound(place, endpoint, whole_posts, kills)


def reached(place: Place, kind: str) -> bool:
    return f'"kind":"{kind}"' in journal(place)


def test_a_kill_while_git_works_leaves_a_run_that_goes_on(
    endpoint: StubEndpoint, undisturbed: tuple[Ending, int], tmp_path: Path
) -> None:
    """Between git and the journal: a checkout is half made, or the branch has moved, and no record says so."""
    expected, whole_posts = undisturbed
    endpoint.delay_s = 0
    place = approved(tmp_path, endpoint)
    checkouts = place.root / ".context" / "ceopt" / "triage" / "worktrees"
    branch, start = place.root / ".git" / "refs" / "heads" / "optimize" / "triage", git(place.root, "rev-parse", "HEAD")

    def half_made() -> bool:
        return endpoint.posts > 50 and checkouts.is_dir() and any(checkouts.iterdir())

    def moved() -> bool:
        return branch.is_file() and branch.read_text() != start

    def reported() -> bool:
        return moved() and git(place.root, "log", "--format=%s", "-1", "optimize/triage").endswith("report\n")

    ended, kills = resumed(place, iter([half_made, moved, reported]))
    assert ended.status == 0 and kills >= 2
    assert ending(place, ended) == expected
    assert_sound(place, endpoint, whole_posts, kills)


def test_twenty_items_killed_twice_cost_at_most_what_was_in_flight(tmp_path: Path) -> None:
    """Five selection cases, four runs each: kill after 8 replies, resume, kill the resume, resume."""
    with StubEndpoint(respond=TriageModel(), delay_s=0.2) as endpoint:
        place = make_project(tmp_path, endpoint.api_base, cases=10)

        def scored() -> int:
            return journal(place).count('"kind":"case_run"')

        assert warm().run_until(lambda: scored() >= 8, place, *RUN).status == KILLED
        assert 8 <= scored() < 20
        assert warm().run_until(lambda: scored() >= 13, place, *RUN).status == KILLED
        ended = warm().run(place, *RUN)
        assert (ended.status, ended.last["outcome"], ended.last["scored"]) == (4, "needs_person", 20)
        assert endpoint.posts <= 20 + 4 + 4
        assert endpoint.most_in_flight <= CONCURRENCY + 4  # those of a killed process may still be answered
    runs = Counter((run["case_id"], run["sample"]) for run in records(place, "case_run"))
    assert len(runs) == 20 and set(runs.values()) == {1}
    assert ended.last["calls"] <= 28 and ended.last["baseline"] is not None
