"""Repositories as they are met: left-over checkouts, locks, branches in the way, odd paths, hooks, signing, no name."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from ceopt_process import Ended, Place, warm
from stub_endpoint import StubEndpoint
from triage_project import KEY, SPEC, TriageModel, label, question
from whole_run import RUN

FIELD = Path(__file__).parents[1] / "data" / "field"
ODD_PATH = "提示 one/café prompt.md"


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=TriageModel()) as running:
        yield running


def project(case: str, target: str, folder: Path, endpoint: StubEndpoint) -> Place:
    """The repository of a field case, with a spec and an eval set that are not committed, approved."""
    home = folder / "home"
    home.mkdir()
    environ = {"CEOPT_MODEL_CHEAP": "openai/gpt-4o-mini", "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.api_base}
    place = Place(folder / case, home, {**environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"})
    subprocess.run(
        ["sh", FIELD / f"{case}_setup.sh", place.root],
        env=place.environment(), stdin=subprocess.DEVNULL, capture_output=True, check=True,
    )  # fmt: skip
    values = {"proposer": "mechanical", "price": "", "stopping": "max_iterations: 1", "more": "", "seed": 7}
    spec = SPEC.format(**values).replace("prompts/triage.md", f'"{target}"')
    (place.root / "spec.yaml").write_text(spec, encoding="utf-8")
    (place.root / "evals").mkdir()
    cases = [
        f"  - {{id: c{number:02d}, input: {question(number)!r}, expected: {label(number)}}}" for number in range(14)
    ]
    (place.root / "evals" / "triage.yaml").write_text("name: triage\ncases:\n" + "\n".join(cases) + "\n")
    assert warm().run(place, "approve", "spec.yaml").status == 0
    return place


def git(place: Place, *args: str) -> str:
    command = ["git", "-c", "core.quotePath=false", *args]
    return subprocess.run(
        command, cwd=place.root, env=place.environment(), capture_output=True, check=True
    ).stdout.decode()


def settings_of(place: Place) -> tuple[bytes, list[tuple[str, bytes]]]:
    """What of the repository's set-up no run may change."""
    hooks = sorted((place.root / ".git" / "hooks").iterdir())
    return (place.root / ".git" / "config").read_bytes(), [(hook.name, hook.read_bytes()) for hook in hooks]


def assert_improved(ended: Ended) -> None:
    assert (ended.status, ended.last["outcome"], ended.last["kept"]) == (0, "improved", 1), ended.err


@pytest.mark.exhaustive
def test_left_overs_do_not_block_a_run_and_a_lock_is_named_and_kept(endpoint: StubEndpoint, tmp_path: Path) -> None:
    place = project("B34", ODD_PATH, tmp_path, endpoint)
    lock = place.root / ".git" / "index.lock"
    assert lock.exists()
    ended = warm().run(place, *RUN)
    assert (ended.status, endpoint.posts) == (3, 0)
    assert str(lock) in ended.last["reason"]
    assert lock.exists()

    lock.unlink()
    before = (place.root / ODD_PATH).read_bytes()
    assert_improved(warm().run(place, *RUN))
    assert (place.root / ODD_PATH).read_bytes() == before
    assert {"main", "ceopt", "exp-001", "optimize/triage"} == set(
        git(place, "branch", "--format=%(refname:short)").split()
    )
    assert git(place, "worktree", "list").count("\n") == 1
    assert git(place, "show", "--format=", "--name-only", "optimize/triage^").strip().strip('"') == ODD_PATH
    assert ODD_PATH in warm().run(place, "report").out
    assert ODD_PATH in warm().run(place, "diff").out


def test_commits_need_no_identity_key_or_hook_but_the_users_own_obeys_them(
    endpoint: StubEndpoint, tmp_path: Path
) -> None:
    place = project("B35", "prompt.txt", tmp_path, endpoint)
    settings, head = settings_of(place), git(place, "rev-parse", "HEAD")
    assert_improved(warm().run(place, *RUN))
    assert (
        git(place, "log", "--format=%an <%ae> %G?", "main..optimize/triage").splitlines()
        == ["ceopt <ceopt@localhost> N"] * 2
    )
    assert (settings_of(place), git(place, "rev-parse", "HEAD")) == (settings, head)

    assert "tell me who you are" in warm().run(place, "apply", "--commit").err
    ada = {f"GIT_{who}_{what}": "ada@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    refused = warm().run(place, "apply", "--commit", env=place.environment(**ada))
    assert refused.status == 3
    assert "hook says no" in refused.err
    assert git(place, "rev-parse", "HEAD") == head
    assert (place.root / "prompt.txt").read_bytes() == git(place, "show", "optimize/triage:prompt.txt").encode()
    assert settings_of(place) == settings
