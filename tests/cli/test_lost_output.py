"""A run goes on to its end where nobody reads what it prints, the disk under its log is full, a hang-up is ignored."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from ceopt_process import CEOPT, Place, warm
from stub_endpoint import StubEndpoint
from triage_project import TriageModel, make_project

RUN = ("run", "spec.yaml", "--unattended", "--json")
JOURNAL = Path(".context/ceopt/triage/journal.jsonl")


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel()) as running:
        yield running


@pytest.fixture
def place(endpoint: StubEndpoint, tmp_path: Path) -> Place:
    place = make_project(tmp_path, endpoint.api_base)
    warm().run(place, "approve", "spec.yaml")
    for name in ("out", "err"):
        (place.home / name).unlink()
    return place


def assert_came_to_its_end(place: Place, status: int) -> None:
    assert status == 0
    lines = (place.root / JOURNAL).read_text("utf-8").splitlines()
    assert '"kind":"finished"' in lines[-2].replace(" ", "") and '"kind":"tick_ended"' in lines[-1].replace(" ", "")


@pytest.mark.parametrize("as_json", [True, False])
def test_a_full_disk_under_the_output_stops_nothing(place: Place, as_json: bool) -> None:
    for name in ("out", "err"):
        (place.home / name).symlink_to("/dev/full")
    ended = warm().run(place, *(RUN if as_json else RUN[:-1]))
    assert_came_to_its_end(place, ended.status)


def test_a_reader_that_leaves_stops_nothing(place: Place) -> None:
    pipe = place.home / "out"
    os.mkfifo(pipe)
    read: list[str] = []

    def head() -> None:
        with pipe.open(encoding="utf-8") as lines:
            read.append(lines.readline())

    reader = threading.Thread(target=head)
    reader.start()
    ended = warm().run(place, *RUN)
    reader.join(10)
    assert_came_to_its_end(place, ended.status)
    assert read[0].startswith('{"event":') and "Broken pipe" not in ended.err


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGHUP, 129), pytest.param(signal.SIGINT, 130, marks=pytest.mark.exhaustive)]
)
def test_a_signal_that_was_ignored_at_the_start_stays_ignored(
    place: Place, endpoint: StubEndpoint, number: int, status: int
) -> None:
    def at_work() -> bool:
        return endpoint.posts > 3

    endpoint.delay_s = 0.02
    assert warm().run_until(at_work, place, *RUN, number=number).status == status
    posts = endpoint.posts
    ended = warm().run_until(lambda: endpoint.posts > posts, place, *RUN, number=number, ignored=[number])
    assert_came_to_its_end(place, ended.status)


def test_other_output_that_finds_a_full_disk_is_said(place: Place) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [CEOPT, "status"], cwd=place.root, env=place.environment(), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (
        3,
        b"ceopt: no space left on device; what was to be written is not all there\n",
    )
