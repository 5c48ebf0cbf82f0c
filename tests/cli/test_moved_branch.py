"""Between two starts the run's branch was deleted or moved, or the text edited: said before the second one pays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ceopt_process import Place, warm
from stub_endpoint import StubEndpoint
from triage_project import TriageModel, git, make_project

RUN = ("run", "spec.yaml", "--unattended", "--json")
BRANCH = "optimize/triage"


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel(opening=True)) as running:
        yield running


@pytest.fixture
def place(endpoint: StubEndpoint, tmp_path: Path) -> Place:
    """A run that is approved and has decided one experiment."""
    place = make_project(tmp_path, endpoint.api_base, stopping="max_iterations: 3, target_reached: false")
    warm().run(place, "approve", "spec.yaml")
    assert warm().run(place, *RUN, "--max-ticks", "1").last["experiments"] == 1
    return place


def test_a_deleted_branch_is_put_back_and_an_edit_is_noted(place: Place) -> None:
    tip = git(place.root, "rev-parse", BRANCH).strip()
    git(place.root, "update-ref", "-d", f"refs/heads/{BRANCH}")
    text = place.root / "prompts" / "triage.md"
    text.write_text(text.read_text("utf-8") + "Mine.\n", "utf-8")
    ended = warm().run(place, *RUN)
    assert (ended.status, ended.last["status"]) == (0, "finished"), ended.err
    notes = [event["text"] for event in ended.events if event["event"] == "noted"]
    assert f"the branch {BRANCH} was gone and is put back at {tip[:10]}, the last commit on record" in notes
    assert any(note.startswith("prompts/triage.md was edited since this run began") for note in notes)
    assert git(place.root, "merge-base", tip, BRANCH).strip() == tip


def test_a_moved_branch_costs_nothing_and_names_the_way_out(place: Place, endpoint: StubEndpoint) -> None:
    left_at, posts = git(place.root, "rev-parse", BRANCH).strip(), endpoint.posts
    foreign = git(place.root, "commit-tree", "-m", "something else", "main^{tree}").strip()
    git(place.root, "update-ref", f"refs/heads/{BRANCH}", foreign)
    for _ in range(2):
        ended = warm().run(place, *RUN)
        assert (ended.status, ended.last["outcome"], endpoint.posts) == (2, "setup", posts)
        assert f"git branch -f {BRANCH} {left_at}" in ended.last["reason"]
    git(place.root, "branch", "-f", BRANCH, left_at)
    assert warm().run(place, *RUN).status == 0
