"""`kill -9` at random moments of a real run and of its resumes: the end is the one of a run nobody disturbed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ceopt_process import Ended, Place, warm
from scenes import SCENES
from stub_endpoint import StubEndpoint
from triage_project import TriageModel, make_project
from whole_run import CONCURRENCY, KILLED, RUN, Whole, approved, assert_sound, ending, journal, records

pytestmark = pytest.mark.crash


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel(), delay_s=0.01) as running:
        yield running


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """What a run comes to that is left alone."""
    with StubEndpoint(respond=TriageModel()) as endpoint:
        place = approved(tmp_path_factory.mktemp("whole"), endpoint)
        ended = warm().run(place, *RUN)
        assert (ended.status, ended.last["outcome"], ended.last["kept"]) == (0, "improved", 1)
        return Whole(ending(place, ended), endpoint.posts, endpoint.posts)


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
    endpoint: StubEndpoint, undisturbed: Whole, tmp_path: Path
) -> None:
    place, draw = approved(tmp_path, endpoint), random.Random(1)

    def after_some_requests() -> Iterator[Callable[[], bool]]:
        for _ in range(10):
            wanted = endpoint.posts + draw.randint(3, 16)
            yield lambda wanted=wanted: endpoint.posts >= wanted

    ended, kills = resumed(place, after_some_requests())
    assert ended.status == 0 and kills >= 6
    assert ending(place, ended) == undisturbed.ending
    assert_sound(place, endpoint, undisturbed, kills * CONCURRENCY, SCENES["prompt"])


@pytest.mark.exhaustive
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
