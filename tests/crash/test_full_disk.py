"""Disks that are full, read-only or damaged: the run stops with words, loses nothing, and goes on once it can."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Ended, Place, Warm, warm
from scenes import PROJECT
from small_disk import fill, read_only, small_disk
from stub_endpoint import Reply, StubEndpoint
from triage_project import TriageModel, git
from whole_run import RUN, approved, assert_nothing_lost, journal_bytes, of_the_user, records, state_of

from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import replay

pytestmark = pytest.mark.crash


def exhaustive(number: int) -> Any:
    """One more of the same, for `make exhaustive` and `make crash`."""
    return pytest.param(number, marks=pytest.mark.exhaustive)


@dataclass
class Until:
    """Answers as the model does, and does something once at the n-th request."""

    nth: int
    what: Callable[[], object]
    model: TriageModel = field(default_factory=TriageModel)
    asked: int = 0

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.asked += 1
        if self.asked == self.nth:
            self.what()
        return self.model(body)


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel()) as running:
        yield running


def assert_stopped_by(ended: Ended, place: Place, words: str) -> bytes:
    """Status 3 with the words, and a journal that parses, which is returned."""
    assert ended.status == 3, ended.err
    assert words in ended.err or words in ended.last["reason"]
    assert "fault of ceopt" not in ended.err
    kept = journal_bytes(place)
    assert kept and replay(state_of(place) / JOURNAL_NAME).records
    assert_nothing_lost(place, kept, ended.out)
    return kept


def assert_goes_on(place: Place, kept: bytes) -> None:
    ended = warm().run(place, *RUN)
    assert (ended.status, ended.last["outcome"], ended.last["kept"]) == (0, "improved", 1), ended.err
    assert_nothing_lost(place, kept, ended.out)


@pytest.mark.parametrize("request_number", [exhaustive(1), exhaustive(20), 60])
def test_a_state_folder_on_a_full_disk_stops_the_run_and_loses_nothing(
    request_number: int, endpoint: StubEndpoint, tmp_path: Path
) -> None:
    place = approved(tmp_path, endpoint, **PROJECT)
    users = of_the_user(place.root)
    elsewhere = state_of(place).rename(tmp_path / "triage")
    with small_disk(state_of(place)) as disk:
        for path in elsewhere.iterdir():
            (disk / path.name).write_bytes(path.read_bytes())
        endpoint.respond = Until(request_number, lambda: fill(disk))
        kept = assert_stopped_by(warm().run(place, *RUN), place, "no space left")
        assert_stopped_by(warm().run(place, *RUN), place, "no space left")  # and again: it is still full
        assert of_the_user(place.root) == users
        (disk / "ballast").unlink()
        assert_goes_on(place, kept)


@pytest.mark.parametrize("request_number", [exhaustive(1), 60])
def test_a_repository_on_a_full_disk_stops_the_run_and_loses_nothing(
    request_number: int, endpoint: StubEndpoint, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk", "4m") as disk:
        place = approved(disk, endpoint, **PROJECT)
        place.environ["CEOPT_STATE_ROOT"] = str(tmp_path / "state")  # what is full is git's disk, not the journal's
        assert warm().run(place, "approve", "spec.yaml").status == 0
        users = of_the_user(place.root)
        endpoint.respond = Until(request_number, lambda: fill(disk))
        ended = warm().run(Place(place.root, tmp_path, place.environ), *RUN)
        assert ended.status == 3, ended.last["reason"]
        assert "no space left" in ended.last["reason"]
        assert of_the_user(place.root) == users
        (disk / "ballast").unlink()
        ended = warm().run(place, *RUN)
        assert (ended.status, ended.last["outcome"], ended.last["kept"]) == (0, "improved", 1), ended.err
        git(place.root, "fsck", "--strict")


def test_a_read_only_state_folder_is_said_and_nothing_is_paid(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = approved(tmp_path, endpoint, **PROJECT)
    kept = journal_bytes(place)
    with read_only(state_of(place)):
        ended = warm().run(place, *RUN)
        assert (ended.status, endpoint.posts) == (3, 0)
        assert "read-only disk" in ended.err
        assert "--state-root" in ended.err
    assert_goes_on(place, kept)


def test_git_objects_that_cannot_be_written_stop_the_run_before_it_pays(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = approved(tmp_path, endpoint, **PROJECT)
    kept, users = journal_bytes(place), of_the_user(place.root)
    with read_only(place.root / ".git"):
        ended = warm().run(place, *RUN)
        assert ended.status in (2, 3)
        assert "read-only disk" in ended.last["reason"]
        assert endpoint.posts == 0
        assert of_the_user(place.root) == users
    assert_goes_on(place, kept)


@pytest.mark.exhaustive
def test_a_cache_that_cannot_be_written_costs_nothing_but_the_cache(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = approved(tmp_path, endpoint, **PROJECT)
    cache = place.home / ".cache" / "ceopt" / "replies"
    cache.mkdir(parents=True)
    with read_only(cache):
        assert_goes_on(place, journal_bytes(place))
    assert any("replies are not cached" in note["text"] for note in records(place, "noted"))


@pytest.mark.exhaustive
def test_a_damaged_cache_is_set_aside_and_the_run_goes_on(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = approved(tmp_path, endpoint, **PROJECT)
    cache = place.home / ".cache" / "ceopt" / "replies"
    cache.mkdir(parents=True)
    (cache / "cache.db").write_bytes(b"no database at all " * 500)
    assert_goes_on(place, journal_bytes(place))
    assert (cache / "cache.db.damaged-1").read_bytes().startswith(b"no database")
    assert any("was damaged" in note["text"] for note in records(place, "noted"))


@pytest.mark.exhaustive
def test_two_runs_at_once_share_a_cache(tmp_path: Path) -> None:
    """Both end as they would alone; what one of them has in the cache the other need not pay for."""
    with StubEndpoint(respond=TriageModel(), delay_s=0.01) as endpoint:
        places = [approved(tmp_path / name, endpoint, **PROJECT) for name in ("one", "two")]
        for place in places:
            place.environ["XDG_CACHE_HOME"] = str(tmp_path / "cache")
        ended = run_side_by_side(places)
        assert [(one.status, one.last["outcome"], one.last["kept"]) for one in ended] == [(0, "improved", 1)] * 2
        assert endpoint.posts <= sum(len(records(place, "case_run")) for place in places)
        alone = endpoint.posts
        third = approved(tmp_path / "three", endpoint, **PROJECT)
        third.environ["XDG_CACHE_HOME"] = str(tmp_path / "cache")
        assert warm().run(third, *RUN).status == 0
        assert endpoint.posts == alone
    assert not any(records(place, "noted") for place in places)


def run_side_by_side(places: list[Place]) -> list[Ended]:
    """One loaded interpreter each."""
    loaded = [Warm() for _ in places]
    try:
        with ThreadPoolExecutor(len(places)) as pool:
            return list(pool.map(lambda pair: pair[0].run(pair[1], *RUN), zip(loaded, places, strict=True)))
    finally:
        for one in loaded:
            one.close()
