"""ceopt's branches move by themselves and never under anyone's feet."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from real_repositories import NAME, run, users_state

from ceopt_tui.errors import GitError, SetupError
from ceopt_tui.gitops.branches import (
    advance,
    archive_branches,
    branches,
    delete_experiment,
    ensure_branch,
    experiment_branch,
    optimization_branch,
    refuse_clashes,
)
from ceopt_tui.gitops.repository import Repository

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
MAIN = optimization_branch(NAME)


def child(repository: Repository, parent: str, message: str = "next") -> str:
    return run(repository.root, "commit-tree", "-p", parent, "-m", message, f"{parent}^{{tree}}").strip()


def test_names() -> None:
    assert (MAIN, experiment_branch(NAME, 7)) == ("optimize/support-triage", "optimize-exp/support-triage/exp-007")
    assert experiment_branch(NAME, 1234).endswith("/exp-1234")


@pytest.mark.parametrize(
    "other", ["ceopt", "exp-001", "optimized", "optimize/other", "feature/optimize", "optimize-exp/x/y"]
)
def test_branches_of_other_names_are_no_clash(repository: Repository, other: str) -> None:
    run(repository.root, "branch", other)
    refuse_clashes(repository, NAME)
    ensure_branch(repository, MAIN, repository.head())
    assert repository.branch_exists(MAIN)


@pytest.mark.parametrize(
    "other", ["optimize", "optimize-exp", f"optimize-exp/{NAME}", "optimize-archive", f"optimize/{NAME}/mine"]
)
def test_a_branch_in_the_way_is_named_with_what_to_do(repository: Repository, other: str) -> None:
    run(repository.root, "branch", other)
    with pytest.raises(SetupError, match=rf"'{other}' is in the way") as caught:
        refuse_clashes(repository, NAME)
    assert f"git branch -m {other} " in caught.value.hint
    assert repository.branch_exists(other)


def test_creating_into_a_clash_is_refused_before_anything_starts(repository: Repository) -> None:
    run(repository.root, "branch", "optimize")
    with pytest.raises(SetupError, match="cannot be made"):
        ensure_branch(repository, MAIN, repository.head())


def test_an_existing_branch_stays_where_it_is(repository: Repository) -> None:
    first = repository.head()
    ensure_branch(repository, MAIN, first)
    ensure_branch(repository, MAIN, child(repository, first))
    assert repository.resolve(MAIN) == first


def test_advancing_moves_the_branch_and_nothing_else(root: Path, repository: Repository) -> None:
    before = users_state(root)
    first = repository.head()
    second = child(repository, first)
    ensure_branch(repository, MAIN, first)
    advance(repository, MAIN, second, first)
    advance(repository, MAIN, second, first)  # a resume after the move was made but not recorded
    assert repository.resolve(MAIN) == second
    assert users_state(root) == before


def test_a_branch_moved_by_someone_else_is_not_overwritten(repository: Repository) -> None:
    first = repository.head()
    second, other = child(repository, first, "ours"), child(repository, first, "theirs")
    ensure_branch(repository, MAIN, other)
    with pytest.raises(GitError):
        advance(repository, MAIN, second, first)
    assert repository.resolve(MAIN) == other


def test_only_forward_moves_are_made(repository: Repository) -> None:
    first = repository.head()
    second, aside = child(repository, first, "a"), child(repository, first, "b")
    ensure_branch(repository, MAIN, second)
    with pytest.raises(GitError, match="does not follow"):
        advance(repository, MAIN, aside, second)
    assert repository.resolve(MAIN) == second


def test_a_checked_out_branch_is_not_moved_archived_or_deleted(repository: Repository, tmp_path: Path) -> None:
    first = repository.head()
    experiment = experiment_branch(NAME, 1)
    for branch, folder in ((MAIN, "a"), (experiment, "b")):
        run(repository.root, "worktree", "add", "-q", "-b", branch, str(tmp_path / folder))
    with pytest.raises(SetupError, match=f"checked out in {tmp_path}/a"):
        advance(repository, MAIN, child(repository, first), first)
    with pytest.raises(SetupError, match="checked out"):
        archive_branches(repository, NAME, MOMENT)
    with pytest.raises(SetupError, match=f"checked out in {tmp_path}/b"):
        delete_experiment(repository, experiment)
    assert {MAIN, experiment} <= set(branches(repository))


def test_a_fresh_start_renames_every_branch_of_the_run_and_of_no_other(root: Path, repository: Repository) -> None:
    before = users_state(root)
    first = repository.head()
    mine = [MAIN, experiment_branch(NAME, 1), experiment_branch(NAME, 2)]
    for branch in (*mine, optimization_branch("other"), experiment_branch(f"{NAME}-two", 1)):
        ensure_branch(repository, branch, first)
    stem = f"optimize-archive/{NAME}/archived-20260102T030405Z"
    assert archive_branches(repository, NAME, MOMENT) == {
        MAIN: stem,
        mine[1]: f"{stem}-exp-001",
        mine[2]: f"{stem}-exp-002",
    }
    assert not set(mine) & set(branches(repository))
    assert {stem, "optimize/other", f"optimize-exp/{NAME}-two/exp-001"} <= set(branches(repository))
    ensure_branch(repository, MAIN, first)
    assert archive_branches(repository, NAME, MOMENT) == {MAIN: f"{stem}-again"}
    assert archive_branches(repository, NAME, MOMENT) == {}
    assert users_state(root) == before


def test_only_experiment_branches_are_deleted(repository: Repository) -> None:
    branch = experiment_branch(NAME, 1)
    ensure_branch(repository, branch, repository.head())
    delete_experiment(repository, branch)
    delete_experiment(repository, branch)
    assert not repository.branch_exists(branch)
    with pytest.raises(ValueError, match="not an experiment"):
        delete_experiment(repository, "main")
