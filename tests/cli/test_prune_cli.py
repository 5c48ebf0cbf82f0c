"""`ceopt prune` from its approval to the user's working tree, by the real command in a real repository."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from ceopt_process import Ended, Place, cold, warm
from stub_endpoint import StubEndpoint
from triage_project import CONTRACT, TriageModel, git, make_project, users_files

from ceopt_tui.journal.folders import state_folder
from ceopt_tui.journal.lock import RunLock

MORE = pytest.mark.exhaustive

KEPT = f"# Triage\n\n- {CONTRACT}: returns, billing, delivery.\n"
PROMPT = f"{KEPT}- Be friendly and professional at all times.\n\n## Background\n\n- The company was founded in 1987.\n"
PRUNE = ("prune", "spec.yaml", "--unattended", "--json")
REPORT = "docs/optimize/triage-prune-report.md"

Pruned = tuple[Place, Ended, dict[str, object]]  # where, how it ended, what was the user's before


OFF = "coverage: off\n"  # the rules that go are those that no case guards


def project(folder: Path, endpoint: StubEndpoint, *, more: str = OFF, **knobs: str) -> Place:
    return make_project(
        folder, endpoint.api_base, cases=24, prompt=PROMPT.encode(), stopping="max_iterations: 9", more=more, **knobs
    )  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel()) as running:
        yield running


@pytest.fixture(scope="module")
def pruned(endpoint: StubEndpoint, tmp_path_factory: pytest.TempPathFactory) -> Pruned:
    """An approved pruning run that has ended; no model has ideas, whatever the spec says."""
    place = project(tmp_path_factory.mktemp("pruned"), endpoint, proposer="llm")
    before = users_files(place.root)
    approved = warm().run(place, "approve", "--prune", "spec.yaml")
    assert approved.status == 0 and "proposer" not in approved.err
    return place, cold(place, *PRUNE), before


@MORE
def test_useless_rules_are_gone_on_a_branch_of_its_own(pruned: Pruned, endpoint: StubEndpoint) -> None:
    place, run, before = pruned
    assert run.status == 0, run.err
    last = run.last
    assert (last["status"], last["outcome"], last["kept"], last["experiments"]) == ("finished", "shortened", 2, 3)
    assert last["characters"] == {"before": len(PROMPT), "after": len(KEPT)}
    assert last["resume"] == f"ceopt prune {place.root}/spec.yaml --unattended --json"
    assert last["calls"] == endpoint.posts
    assert git(place.root, "show", "optimize/triage-prune:prompts/triage.md") == KEPT
    subjects = git(place.root, "log", "--format=%s", "main..optimize/triage-prune").splitlines()
    assert len(subjects) == 3 and "optimize(triage-prune): do without " in subjects[1]
    assert users_files(place.root) == before
    assert not git(place.root, "branch", "--list", "optimize/triage")


@MORE
def test_it_is_told_as_shorter_and_no_worse(pruned: Pruned) -> None:
    place = pruned[0]
    report = warm().run(place, "report", "triage-prune").out
    assert report == git(place.root, "show", f"optimize/triage-prune:{REPORT}")
    assert report.startswith(f"# triage-prune: shortened\n\nThe text is {len(PROMPT) - len(KEPT)} characters shorter")
    assert "a call costs 0.00" in report
    assert "beat the current text" not in report and "interval holds 0" not in report
    status = warm().run(place, "status").out
    assert status.startswith("triage-prune: finished, shortened\n")
    assert "shorter, and no worse on the held-out cases (at worst " in status
    diff = warm().run(place, "diff", "triage-prune").out
    assert "-- Be friendly and professional at all times.\n" in diff and "-## Background\n" in diff


@MORE
def test_run_again_it_costs_nothing_and_says_the_same(pruned: Pruned, endpoint: StubEndpoint) -> None:
    place, first, _ = pruned
    posts = endpoint.posts
    again = warm().run(place, *PRUNE)
    assert (again.status, again.last, endpoint.posts) == (0, first.last, posts)


@MORE
def test_apply_writes_the_shorter_text(pruned: Pruned, tmp_path: Path) -> None:
    place = Place(tmp_path / "repo", tmp_path / "home", pruned[0].environ)
    shutil.copytree(pruned[0].root, place.root)
    place.home.mkdir()
    request = warm().run(place, "apply", "triage-prune", "--pr").out
    assert "characters shorter" in request and "interval holds 0" not in request
    applied = warm().run(place, "apply", "triage-prune")
    assert (applied.status, applied.out) == (0, "written: prompts/triage.md\n")
    assert (place.root / "prompts" / "triage.md").read_text(encoding="utf-8") == KEPT


@MORE
def test_fresh_starts_the_pruning_over_and_leaves_the_other_run_alone(
    pruned: Pruned, endpoint: StubEndpoint, tmp_path: Path
) -> None:
    place = Place(tmp_path / "repo", tmp_path / "home", pruned[0].environ)
    shutil.copytree(pruned[0].root, place.root)
    place.home.mkdir()
    git(place.root, "branch", "optimize/triage")
    fresh = warm().run(place, *PRUNE, "--fresh")
    assert (fresh.status, fresh.last["outcome"]) == (0, "shortened"), "approved before, and nothing of it changed"
    assert git(place.root, "show", "optimize/triage-prune:prompts/triage.md") == KEPT
    branches = git(place.root, "branch", "--format=%(refname:short)").split()
    (archived,) = [branch for branch in branches if branch.startswith("optimize-archive/")]
    assert archived.startswith("optimize-archive/triage-prune/") and "optimize/triage" in branches
    assert git(place.root, "show", f"{archived}:prompts/triage.md") == KEPT


@MORE
def test_an_approval_of_the_run_is_none_of_its_pruning_and_the_way_to_it_is_said(
    endpoint: StubEndpoint, tmp_path: Path
) -> None:
    place = project(tmp_path, endpoint)
    assert warm().run(place, "approve", "spec.yaml").status == 0
    waiting = warm().run(place, "prune", "spec.yaml", "--unattended")
    assert waiting.status == 4 and "ceopt approve --prune SPEC" in waiting.err
    assert "Start taking rules out?" in waiting.err


@MORE
def test_ended_by_hand_its_report_comes_by_the_same_command(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint)
    assert warm().run(place, "prune", "spec.yaml", "--unattended").status == 4
    stopped = warm().run(place, "stop", "triage-prune")
    assert stopped.status == 0 and "to get its report: ceopt prune " in stopped.err
    ended = warm().run(place, *PRUNE)
    assert (ended.status, ended.last["outcome"]) == (0, "person")


@MORE
def test_a_killed_pruning_goes_on_where_it_was(pruned: Pruned, tmp_path: Path) -> None:
    with StubEndpoint(respond=TriageModel(), delay_s=0.01) as endpoint:
        place = project(tmp_path, endpoint)
        assert warm().run(place, "approve", "--prune", "spec.yaml").status == 0
        kills = 0
        for wanted in (30, 80, 130):
            ended = warm().run_until(lambda wanted=wanted: endpoint.posts >= wanted, place, *PRUNE)
            kills += ended.status < 0
        ended = warm().run(place, *PRUNE)
        assert kills == 3 and (ended.status, ended.last["outcome"]) == (0, "shortened")
        assert endpoint.posts <= pruned[1].last["calls"] + kills * 4
    assert git(place.root, "show", "optimize/triage-prune:prompts/triage.md") == KEPT


@MORE
def test_a_second_pruning_is_refused_at_once_and_the_run_itself_is_not(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint)
    folder = state_folder("triage-prune", place.root, state_root=None, environ={})
    with RunLock.acquire(folder, now=lambda: datetime(2026, 1, 2, tzinfo=UTC)):
        second = warm().run(place, *PRUNE)
        assert (second.status, second.last["outcome"]) == (75, "busy")
        assert "in use by process" in second.last["reason"]
        assert warm().run(place, "run", "spec.yaml", "--unattended", "--json").last["outcome"] == "no_headroom"


def test_dry_run_and_config_are_those_of_the_pruning(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place, posts = project(tmp_path, endpoint, proposer="llm"), endpoint.posts
    shown = json.loads(warm().run(place, "prune", "spec.yaml", "--show-config").out)
    assert "triage-prune" in json.dumps(shown)
    dry = warm().run(place, "prune", "spec.yaml", "--dry-run")
    assert dry.status == 0, dry.err
    assert endpoint.posts == posts and not (place.root / ".context").exists()


def test_without_a_map_and_without_a_waiver_it_is_refused_with_the_way_out(
    endpoint: StubEndpoint, tmp_path: Path
) -> None:
    place, posts = project(tmp_path, endpoint, more=""), endpoint.posts
    for command in (("approve", "--prune", "spec.yaml"), PRUNE, ("prune", "spec.yaml", "--dry-run")):
        refused = warm().run(place, *command)
        assert refused.status == 2, command
        assert (
            "no coverage map" in refused.err and "ceopt coverage SPEC" in refused.err and "coverage: off" in refused.err
        )
    assert endpoint.posts == posts and not git(place.root, "branch", "--list", "optimize/*")


@MORE
def test_a_waiver_names_every_rule_that_may_go(endpoint: StubEndpoint, tmp_path: Path) -> None:
    approved = warm().run(project(tmp_path, endpoint), "approve", "--prune", "spec.yaml")
    assert approved.status == 0 and "no rule protected (`coverage: off`)" in approved.err
    assert "line 4: Be friendly and professional" in approved.err and "line 8: The company was founded" in approved.err


@MORE
def test_with_a_map_the_rules_that_no_case_guards_stay(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project(tmp_path, endpoint, more="")
    assert warm().run(place, "coverage", "spec.yaml", "--yes").status == 0
    approved = warm().run(place, "approve", "--prune", "spec.yaml")
    assert "line 8: The company was founded in 1987." in approved.err and "protected: no edit" in approved.err
    ended = warm().run(place, *PRUNE)
    assert ended.status == 0 and ended.last["kept"] == 0, ended.err
    assert git(place.root, "show", "optimize/triage-prune:prompts/triage.md") == PROMPT
