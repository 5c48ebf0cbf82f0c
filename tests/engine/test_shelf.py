"""Changes put on top of others, kept and forgotten: on branches alone, and the same again after a kill."""

from __future__ import annotations

from pathlib import Path

import pytest
from code_repository import code_repository

from ceopt_tui.engine.backends.shelf import GitShelf
from ceopt_tui.errors import GitError, SetupError
from ceopt_tui.gitops.branches import ensure_branch, experiment_branch
from ceopt_tui.gitops.commits import commit_files
from ceopt_tui.gitops.repository import Repository

BRANCH = "optimize/fast"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = code_repository(tmp_path)
    ensure_branch(made, BRANCH, made.head())
    return made


@pytest.fixture
def shelf(repository: Repository) -> GitShelf:
    return GitShelf(repository, "fast")


def change(repository: Repository, number: int, **files: bytes | None) -> str:
    """An experiment's commit on main; `sort` stands for src/sort.py."""
    branch = experiment_branch("fast", number)
    ensure_branch(repository, branch, repository.resolve("main"))
    paths = {f"src/{name}.py": content for name, content in files.items()}
    return commit_files(repository, branch, paths, f"optimize(fast): idea {number}\n\nwith a body")


def test_disjoint_changes_are_combined_and_overlapping_ones_are_not(repository: Repository, shelf: GitShelf) -> None:
    base = repository.head()
    best, other = change(repository, 1, sort=b"fast\n"), change(repository, 2, more=None, new=b"new\n")
    combined = shelf.combine(base, other, best, "both")
    assert combined is not None and repository.resolve(f"{combined}^") == best
    assert repository.show(combined, "src/sort.py") == b"fast\n" and repository.show(combined, "src/new.py") == b"new\n"
    with pytest.raises(GitError, match=r"more\.py"):
        repository.show(combined, "src/more.py")
    assert shelf.combine(base, change(repository, 3, sort=b"faster\n"), best, "no") is None
    assert shelf.combine(base, change(repository, 4, sort=b"fast\n"), best, "the same bytes") is None
    assert repository.resolve(BRANCH) == base


def test_a_failure_of_git_is_no_overlap(repository: Repository, shelf: GitShelf) -> None:
    with pytest.raises(GitError):
        shelf.combine(repository.head(), "0" * 40, repository.head(), "gone")


def test_a_keep_moves_the_branch_and_again_changes_nothing(repository: Repository, shelf: GitShelf) -> None:
    base, best = repository.head(), change(repository, 1, sort=b"fast\n")
    assert [shelf.keep(best, base) for _ in range(2)] == [best, best]
    assert repository.resolve(BRANCH) == best and repository.head() == base


def test_a_keep_after_a_report_goes_on_top_and_again_changes_nothing(repository: Repository, shelf: GitShelf) -> None:
    base, best = repository.head(), change(repository, 1, sort=b"fast\n", more=None)
    report = commit_files(repository, BRANCH, {"docs/report.md": b"# report\n"}, "report")
    kept = shelf.keep(best, base)
    assert repository.resolve(f"{kept}^") == report and repository.show(kept, "src/sort.py") == b"fast\n"
    assert repository.git("log", "-1", "--format=%B", kept).strip() == "optimize(fast): idea 1\n\nwith a body"
    assert shelf.keep(best, base) == kept == repository.resolve(BRANCH)
    second = commit_files(repository, BRANCH, {"docs/report.md": b"# again\n"}, "report")
    assert shelf.keep(best, base) == second  # still there below the next report


def test_a_branch_that_somebody_else_changed_in_the_same_files_is_left_alone(
    repository: Repository, shelf: GitShelf
) -> None:
    base, best = repository.head(), change(repository, 1, sort=b"fast\n")
    theirs = commit_files(repository, BRANCH, {"src/sort.py": b"theirs\n"}, "theirs")
    with pytest.raises(GitError, match=r"sort\.py"):
        shelf.keep(best, base)
    assert repository.resolve(BRANCH) == theirs


def test_an_experiments_branch_is_dropped_unless_somebody_works_on_it(repository: Repository, shelf: GitShelf) -> None:
    change(repository, 1, sort=b"fast\n")
    branch = experiment_branch("fast", 1)
    repository.git("worktree", "add", "--quiet", str(repository.root.parent / "looking"), branch)
    shelf.drop(1, branch)
    assert repository.branch_exists(branch)
    repository.git("worktree", "remove", str(repository.root.parent / "looking"))
    for _ in range(2):
        shelf.drop(1, branch)
        assert not repository.branch_exists(branch)
    with pytest.raises(ValueError, match="not an experiment's branch"):
        shelf.drop(1, BRANCH)


def test_what_was_kept_is_put_into_the_users_files_and_the_report_stays_out(
    repository: Repository, shelf: GitShelf
) -> None:
    base = repository.head()
    files = {"src/sort.py": b"fast\n", "src/more.py": None, "src/new/a.py": b"a\n", "docs/r.md": b"report\n"}
    tip = commit_files(repository, BRANCH, files, "kept")
    assert shelf.apply(base, tip, ["docs/r.md"]) == ["src/more.py", "src/new/a.py", "src/sort.py"]
    root = repository.root
    assert (root / "src/sort.py").read_bytes() == b"fast\n" and (root / "src/new/a.py").read_bytes() == b"a\n"
    assert not (root / "src/more.py").exists() and not (root / "docs").exists()
    assert repository.head() == base and shelf.apply(base, tip, ["docs/r.md"])  # once more changes nothing


def test_nothing_is_put_in_place_over_a_file_that_was_changed_since(repository: Repository, shelf: GitShelf) -> None:
    base = repository.head()
    tip = commit_files(repository, BRANCH, {"src/sort.py": b"fast\n", "src/more.py": b"much\n"}, "kept")
    (repository.root / "src/sort.py").write_text("mine\n")
    with pytest.raises(SetupError, match=r"src/sort\.py: changed since"):
        shelf.apply(base, tip, [])
    assert (repository.root / "src/more.py").read_text() == "more\n"
