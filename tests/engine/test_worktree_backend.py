"""The worktree backend against a real repository: a branch that is not where a run needs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from triage_project import git, make_project

from ceopt_tui.engine.backends.worktree import WorktreeBackend
from ceopt_tui.errors import GitError, SetupError
from ceopt_tui.gitops.repository import Repository

PROMPT = "prompts/triage.md"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.find(make_project(tmp_path, "http://127.0.0.1:9/v1").root)


def further(repository: Repository) -> str:
    git(repository.root, "commit", "--quiet", "--allow-empty", "--message", "further")
    return repository.head()


def test_a_new_run_refuses_a_branch_that_is_elsewhere(repository: Repository, tmp_path: Path) -> None:
    backend = WorktreeBackend(repository, tmp_path / "trees", "triage")
    git(repository.root, "branch", backend.branch)
    backend.prepare(repository.head(), [PROMPT])  # at its base it is as good as made by this run
    with pytest.raises(SetupError, match="exists and is at") as caught:
        backend.prepare(further(repository), [PROMPT])
    assert "--fresh" in caught.value.hint


def test_a_branch_at_the_first_commit_is_no_keep_of_this_run(repository: Repository, tmp_path: Path) -> None:
    backend = WorktreeBackend(repository, tmp_path / "trees", "triage")
    git(repository.root, "branch", backend.branch)
    with pytest.raises(GitError, match="refs/heads/optimize/triage"):
        backend.keep(1, "optimize-exp/triage/exp-001", further(repository), {PROMPT: "new\n"}, "keep")


def test_a_keep_goes_on_top_of_a_report_and_is_found_again(repository: Repository, tmp_path: Path) -> None:
    backend = WorktreeBackend(repository, tmp_path / "trees", "triage")
    base = repository.head()
    backend.prepare(base, [PROMPT])
    report = backend.publish({"docs/optimize/triage-report.md": b"# report\n"}, "report")
    kept = backend.keep(1, "optimize-exp/triage/exp-001", base, {PROMPT: "new\n"}, "keep")
    assert repository.resolve(f"{kept}^") == report and repository.resolve(backend.branch) == kept
    assert backend.keep(1, "optimize-exp/triage/exp-001", base, {PROMPT: "new\n"}, "keep") == kept
    assert repository.show(kept, PROMPT) == b"new\n"


def test_a_commit_of_somebody_elses_on_the_branch_is_not_built_upon(repository: Repository, tmp_path: Path) -> None:
    backend = WorktreeBackend(repository, tmp_path / "trees", "triage")
    base = repository.head()
    backend.prepare(base, [PROMPT])
    backend.publish({PROMPT: b"theirs\n"}, "edited by hand")
    with pytest.raises(GitError, match="refs/heads/optimize/triage"):
        backend.keep(1, "optimize-exp/triage/exp-001", base, {PROMPT: "new\n"}, "keep")
