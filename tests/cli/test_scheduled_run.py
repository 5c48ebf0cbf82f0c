"""A run that a scheduler starts again and again: by cron's own line and environment, and from clone to clone."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from ceopt_process import LIMIT_S, Place, warm
from stub_endpoint import StubEndpoint
from triage_project import CONTRACT, KEY, TriageModel, git, make_project, users_files

pytestmark = pytest.mark.exhaustive

RUN = ("run", "spec.yaml", "--unattended", "--json")


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel()) as running:
        yield running


def start(line: str, place: Place) -> int:
    """What cron does at the line's time: nothing of the user's environment but HOME, nobody to answer."""
    command = re.sub(r"^(\S+ ){5}", "", line).replace(r"\%", "%")
    done = subprocess.run(
        ["/bin/sh", "-c", command], env={"HOME": str(place.home)}, cwd=place.home, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=LIMIT_S, start_new_session=True, check=False,
    )  # fmt: skip
    assert done.stdout + done.stderr == b"", "cron would send it as mail"
    return done.returncode


def test_a_run_comes_to_its_end_by_the_line_in_the_crontab_alone(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = make_project(tmp_path, endpoint.api_base)
    before = users_files(place.root)
    printed = warm().run(place, "schedule", "spec.yaml")
    assert printed.status == 0 and KEY not in printed.out + printed.err
    warm().run(place, "approve", "spec.yaml")
    keys = place.home / ".config" / "ceopt" / "environment"
    assert start(printed.out, place) == 2, "without its keys it refuses"
    keys.parent.mkdir(parents=True)
    keys.write_text("".join(f"{name}='{value}'\n" for name, value in place.environ.items()), "utf-8")
    assert start(printed.out, place) == 0
    assert CONTRACT in git(place.root, "show", "optimize/triage:prompts/triage.md")
    log = (place.root / ".context" / "ceopt" / "triage" / "schedule.log").read_text("utf-8")
    assert log.count(" UTC ") == 2, "each start under its date"
    assert "no model is configured" in log and log.count("finished: improved") == 1
    assert KEY not in log and "\x1b" not in log
    assert users_files(place.root) == before


def test_state_and_branch_are_all_that_one_start_needs_of_another(endpoint: StubEndpoint, tmp_path: Path) -> None:
    """The steps of a CI job: each start in a clone of its own, on a machine that has seen nothing."""
    origin = make_project(tmp_path / "origin", endpoint.api_base, stopping="max_iterations: 3, target_reached: false")
    digest = warm().run(origin, "run", "spec.yaml", "--dry-run").out.split("digest to approve: ")[1].split()[0]
    state, statuses = tmp_path / "cache", []
    for number in range(1, 5):
        home = tmp_path / f"runner-{number}"
        home.mkdir()
        subprocess.run(["git", "clone", "--quiet", str(origin.root), str(home / "repo")], check=True)
        place = Place(home / "repo", home, origin.environ)
        git(place.root, "fetch", "--quiet", "origin", "+refs/heads/optimize/*:refs/heads/optimize/*")
        if state.exists():
            shutil.copytree(state, place.root / ".context" / "ceopt")
        minutes = "0.003" if number < 4 else "9"
        ended = warm().run(place, *RUN, "--max-minutes", minutes, "--approve", digest)
        statuses.append(ended.status)
        shutil.rmtree(state, ignore_errors=True)
        shutil.copytree(place.root / ".context" / "ceopt", state)
        if "optimize/triage" in git(place.root, "branch", "--list"):
            git(place.root, "push", "--quiet", "origin", "refs/heads/optimize/triage")
        if ended.status != 75:
            break
    assert statuses[-1] == 0 and len(statuses) > 1 and set(statuses[:-1]) == {75}, ended.err
    assert ended.last["outcome"] == "improved" and ended.last["calls"] == endpoint.posts
    assert CONTRACT in git(origin.root, "show", "optimize/triage:prompts/triage.md")
