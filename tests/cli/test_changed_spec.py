"""A spec or eval set that changed under a run, by the real command: blocked, put back, or started over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from ceopt_process import Place, warm
from stub_endpoint import StubEndpoint
from triage_project import TriageModel, git, make_project

RUN = ("run", "spec.yaml", "--unattended", "--json")
STATE = Path(".context/ceopt/triage")


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel(opening=True)) as running:
        yield running


def under_way(folder: Path, endpoint: StubEndpoint) -> Place:
    """A run that is approved and has decided one experiment of three."""
    place = make_project(folder, endpoint.api_base, stopping="max_iterations: 3, target_reached: false")
    warm().run(place, "approve", "spec.yaml")
    ended = warm().run(place, *RUN, "--max-ticks", "1")
    assert (ended.status, ended.last["status"], ended.last["outcome"]) == (75, "waiting", "ticks")
    assert ended.last["experiments"] == 1
    resume = f"ceopt run {place.root}/spec.yaml --unattended --json --max-ticks 1"
    assert ended.last["resume"] == resume
    return place


@pytest.mark.exhaustive
def test_what_the_run_was_measured_by_is_put_back_and_it_ends_as_approved(
    endpoint: StubEndpoint, tmp_path: Path
) -> None:
    place = under_way(tmp_path, endpoint)
    spec, evalset = place.root / "spec.yaml", place.root / "evals" / "triage.yaml"
    before = spec.read_bytes(), evalset.read_bytes()
    evalset.write_bytes(before[1] + b"  - {id: extra, input: A new one, expected: returns}\n")
    posts = endpoint.posts
    blocked = warm().run(place, *RUN)
    assert (blocked.status, blocked.last["status"], blocked.last["outcome"]) == (4, "blocked", "changed")
    assert blocked.last["reason"].startswith("evals/triage.yaml changed") and endpoint.posts == posts
    assert blocked.last["pending_waits"] == [{"on": "person", "until": "with --restore or --fresh", "wake": ""}]
    spec.write_text("name: triage\ndescription: [broken\n", "utf-8")
    assert warm().run(place, *RUN).status == 2
    ended = warm().run(place, *RUN, "--restore")
    assert (ended.status, ended.last["status"]) == (0, "finished"), ended.err
    assert "put back: spec.yaml" in ended.err and "put back: evals/triage.yaml" in ended.err
    assert (spec.read_bytes(), evalset.read_bytes()) == before
    kept = {path.name: path.read_bytes() for path in (place.root / STATE / "replaced").rglob("*.yaml")}
    assert kept["triage.yaml"].endswith(b"expected: returns}\n") and b"[broken" in kept["spec.yaml"]
    kinds = [json.loads(line)["kind"] for line in (place.root / STATE / "journal.jsonl").read_text().splitlines()]
    assert kinds.count("approved") == 2 and kinds.count("baseline_measured") == 1, "nobody was asked again"


@pytest.mark.exhaustive
def test_starting_over_archives_branch_and_state_whole(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = under_way(tmp_path, endpoint)
    journal = (place.root / STATE / "journal.jsonl").read_bytes()
    tip = git(place.root, "rev-parse", "optimize/triage")
    spec = place.root / "spec.yaml"
    spec.write_text(spec.read_text("utf-8").replace("seed: 7", "seed: 8"), "utf-8")
    assert warm().run(place, *RUN).last["outcome"] == "changed"
    before = (place.root / STATE / "journal.jsonl").read_bytes()
    assert before.startswith(journal) and git(place.root, "rev-parse", "optimize/triage") == tip
    fresh = warm().run(place, *RUN, "--fresh")
    assert (fresh.status, fresh.last["outcome"], fresh.last["experiments"]) == (4, "needs_person", 0)
    (archived,) = (place.root / STATE.parent).glob("triage.archived-*")
    assert (archived / "journal.jsonl").read_bytes() == before
    (branch,) = git(place.root, "branch", "--list", "optimize-archive/triage/*", "--format=%(refname:short)").split()
    assert git(place.root, "rev-parse", branch) == tip
    warm().run(place, "approve", "spec.yaml")
    assert warm().run(place, *RUN).status == 0


def test_a_start_afresh_that_is_refused_archives_nothing(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = under_way(tmp_path, endpoint)
    journal, tip = place.root / STATE / "journal.jsonl", git(place.root, "rev-parse", "optimize/triage")
    before, posts = journal.read_bytes(), endpoint.posts
    wrong = warm().run(place, *RUN, "--fresh", "--approve", "deadbeef" * 8)
    assert (wrong.status, wrong.last["outcome"]) == (2, "refused") and "is not the digest" in wrong.last["reason"]
    text = place.root / "prompts" / "triage.md"
    text.write_text(text.read_text("utf-8") + "unfinished\n", "utf-8")
    dirty = warm().run(place, *RUN, "--fresh")
    assert dirty.status == 2 and "has changes that are not committed" in dirty.last["reason"]
    assert not list((place.root / STATE.parent).glob("triage.archived-*"))
    assert (journal.read_bytes(), endpoint.posts) == (before, posts)
    assert git(place.root, "rev-parse", "optimize/triage") == tip


@pytest.mark.exhaustive
def test_an_approval_by_digest_is_recorded_once_and_parks_when_the_spec_is_another(
    endpoint: StubEndpoint, tmp_path: Path
) -> None:
    """As a scheduled line gives it, the same at every wake."""
    place = make_project(tmp_path, endpoint.api_base, stopping="max_iterations: 3, target_reached: false")
    digest = warm().run(place, "run", "spec.yaml", "--dry-run").out.split()[-1]
    warm().run(place, *RUN, "--approve", digest, "--max-ticks", "1")
    spec, posts = place.root / "spec.yaml", endpoint.posts
    approved = spec.read_text("utf-8")
    spec.write_text(approved.replace("max_iterations: 3", "max_iterations: 9"), "utf-8")
    parked = warm().run(place, *RUN, "--approve", digest)
    assert (parked.status, parked.last["status"], parked.last["outcome"]) == (4, "blocked", "needs_person")
    assert "not as you approved" in parked.last["reason"] and endpoint.posts == posts
    assert "not as you approved" in warm().run(place, "status", "spec.yaml").out
    spec.write_text(approved, "utf-8")
    for _ in range(2):
        assert warm().run(place, *RUN, "--approve", digest).status == 0
    lines = (place.root / STATE / "journal.jsonl").read_text().splitlines()
    assert [json.loads(line)["kind"] for line in lines].count("approved") == 2


@pytest.mark.parametrize(
    "left",
    [None, pytest.param('"name": "triage"\ndescription: [broken\n', marks=pytest.mark.exhaustive), "name: other\n"],
)
def test_a_spec_that_is_gone_or_names_another_run_is_put_back(
    left: str | None, endpoint: StubEndpoint, tmp_path: Path
) -> None:
    place = under_way(tmp_path, endpoint)
    spec = place.root / "spec.yaml"
    before = spec.read_bytes()
    spec.unlink() if left is None else spec.write_text(left, "utf-8")
    ended = warm().run(place, *RUN, "--restore", "--max-ticks", "1")
    assert "put back: spec.yaml" in ended.err and spec.read_bytes() == before
    assert ended.status in {0, 75}


@pytest.mark.parametrize("amount", ["nan", "inf"])
def test_a_limit_that_limits_nothing_is_refused(amount: str, endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    refused = warm().run(place, *RUN, "--max-minutes", amount)
    assert refused.status == 2 and "is no amount" in refused.err and endpoint.posts == 0


def test_a_run_that_is_not_there_cannot_be_put_back(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    refused = warm().run(place, *RUN, "--restore")
    assert (refused.status, refused.last["outcome"]) == (2, "refused") and "names no run" in refused.last["reason"]
    both = warm().run(place, *RUN, "--restore", "--fresh")
    assert both.status == 2 and "exclude each other" in both.err
    assert endpoint.posts == 0 and not (place.root / ".context").exists()
