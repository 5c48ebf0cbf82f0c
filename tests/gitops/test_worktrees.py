"""Experiment checkouts: only where and what ceopt made, and never the user's own."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from real_repositories import NAME, no_wait, run, users_state

from ceopt_tui.errors import GitError, SetupError, StorageError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.gitops.branches import experiment_branch
from ceopt_tui.gitops.commits import commit_paths
from ceopt_tui.gitops.listing import registered
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.gitops.shared_files import share
from ceopt_tui.gitops.worktrees import Worktree, Worktrees

BRANCH = experiment_branch(NAME, 1)


@pytest.fixture
def worktrees(repository: Repository, tmp_path: Path) -> Worktrees:
    return Worktrees(repository, tmp_path / "state [x] 提示" / "worktrees")


def test_a_checkout_holds_the_committed_text_and_the_users_tree_is_untouched(
    root: Path, repository: Repository, worktrees: Worktrees
) -> None:
    before = users_state(root)
    tree = worktrees.add(BRANCH, repository.head(), 1)
    assert tree.path == worktrees.folder / "exp-001"
    assert (tree.path / "prompt.txt").read_bytes() == b"Old prompt text.\n"
    assert run(tree.path, "branch", "--show-current").strip() == BRANCH
    worktrees.remove(tree)
    assert not tree.path.exists()
    assert len(registered(repository)) == 1
    assert users_state(root) == before


def test_user_hooks_and_line_ending_settings_do_not_reach_a_checkout(make: Callable[..., Repository]) -> None:
    repository = make({"p.md": b"a\nb\n"})
    run(repository.root, "config", "core.autocrlf", "true")
    hook = repository.root / ".git" / "hooks" / "post-checkout"
    hook.write_text("#!/bin/sh\ntouch ../hook-ran; exit 1\n")
    hook.chmod(0o755)
    worktrees = Worktrees(repository, repository.root / ".context" / "worktrees")
    tree = worktrees.add(BRANCH, repository.head(), 1)
    assert (tree.path / "p.md").read_bytes() == b"a\nb\n"
    assert not (worktrees.folder / "hook-ran").exists()


def test_what_a_killed_run_left_is_taken_over(repository: Repository, worktrees: Worktrees) -> None:
    head = repository.head()
    tree = worktrees.add(BRANCH, head, 1)
    (tree.path / "prompt.txt").write_bytes(b"half done")
    commit_paths(tree, ["prompt.txt"], "left over")
    (repository.git_dir / "worktrees" / "exp-001" / "locked").write_text("initializing")
    again = worktrees.add(BRANCH, head, 1)
    assert (again.path / "prompt.txt").read_bytes() == b"Old prompt text.\n"
    assert repository.resolve(BRANCH) == head
    assert not run(repository.root, "branch", "--list", "optimize-archive/*")


def test_a_checkout_whose_folder_was_deleted_is_pruned(repository: Repository, worktrees: Worktrees) -> None:
    tree = worktrees.add(BRANCH, repository.head(), 1)
    shutil.rmtree(worktrees.folder)
    assert worktrees.prune() == [str(tree.path)]
    assert worktrees.add(BRANCH, repository.head(), 1).path.is_dir()


def test_commits_of_others_on_a_left_over_branch_are_kept_under_another_name(repository: Repository) -> None:
    head = repository.head()
    run(repository.root, "branch", BRANCH)
    foreign = run(repository.root, "commit-tree", "-p", head, "-m", "mine", f"{head}^{{tree}}").strip()
    run(repository.root, "update-ref", f"refs/heads/{BRANCH}", foreign)
    worktrees = Worktrees(repository, repository.root.parent / "worktrees")
    worktrees.add(BRANCH, head, 1)
    assert repository.resolve(BRANCH) == head
    assert repository.resolve(f"optimize-archive/{NAME}/exp-001-{foreign[:12]}") == foreign


def test_the_field_case_of_left_overs_is_survived(field: Callable[[str], Path], tmp_path: Path) -> None:
    root = field("B34")
    (root / ".git" / "index.lock").unlink()
    repository = Repository.find(root, wait=no_wait)
    before = users_state(root)
    worktrees = Worktrees(repository, tmp_path / "state" / "worktrees")
    tree = worktrees.add(BRANCH, repository.head(), 1)
    assert (tree.path / "提示 one/café prompt.md").read_bytes() == b"Be kind.\n"
    worktrees.remove(tree)
    assert [tree.path for tree in registered(repository)] == [root]
    assert users_state(root) == before


def test_gone_checkouts_of_the_user_stay_registered(
    repository: Repository, worktrees: Worktrees, tmp_path: Path
) -> None:
    for name, branch in (("moved", "feature"), ("disk/exp", "exp-002"), ("locked", "exp-003")):
        run(repository.root, "worktree", "add", "-q", "-b", branch, str(tmp_path / name))
    run(repository.root, "worktree", "lock", str(tmp_path / "locked"))
    for name in ("moved", "disk", "locked"):
        (tmp_path / name).rename(tmp_path / f"{name}-elsewhere")
    assert worktrees.prune() == []
    assert len(registered(repository)) == 4


def test_where_no_checkout_can_be_made_the_run_stops_before_it_starts(
    root: Path, repository: Repository, tmp_path: Path
) -> None:
    before = users_state(root)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SetupError, match="no separate checkout could be made") as caught:
        Worktrees(repository, tmp_path / "file" / "worktrees").add(BRANCH, repository.head(), 1)
    assert caught.value.exit_status == 2
    assert users_state(root) == before


@pytest.mark.parametrize("hidden", [[], ["evals"]])
def test_a_failing_checkout_filter_stops_with_its_words_and_leaves_nothing(
    make: Callable[..., Repository], hidden: list[str]
) -> None:
    repository = make({".gitattributes": b"*.bin filter=lfs\n", "a.bin": b"x"})
    run(repository.root, "config", "filter.lfs.smudge", "git-lfs-that-is-missing smudge")
    run(repository.root, "config", "filter.lfs.required", "true")
    worktrees = Worktrees(repository, repository.root.parent / "worktrees")
    with pytest.raises(SetupError, match="git-lfs-that-is-missing"):
        worktrees.add(BRANCH, repository.head(), 1, hidden)
    assert len(registered(repository)) == 1
    assert list(worktrees.folder.iterdir()) == []


def test_a_folder_of_unknown_origin_is_not_replaced(repository: Repository, worktrees: Worktrees) -> None:
    mine = worktrees.folder / "exp-001" / "mine.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    with pytest.raises(SetupError, match="git does not know it"):
        worktrees.add(BRANCH, repository.head(), 1)
    assert mine.read_text() == "mine"


def test_a_branch_the_user_has_checked_out_is_not_reset(
    repository: Repository, worktrees: Worktrees, tmp_path: Path
) -> None:
    run(repository.root, "worktree", "add", "-q", "-b", BRANCH, str(tmp_path / "theirs"))
    with pytest.raises(SetupError, match="already"):
        worktrees.add(BRANCH, repository.head(), 1)
    assert (tmp_path / "theirs").is_dir()


def test_only_an_experiments_branch_is_accepted(repository: Repository, worktrees: Worktrees) -> None:
    with pytest.raises(ValueError, match="not an experiment"):
        worktrees.add("main", repository.head(), 1)


@pytest.mark.parametrize("place", ["exp-001/../../outside", "other", "exp-1", "sub/exp-001", "link/exp-001"])
def test_nothing_but_its_own_direct_children_is_removed(
    repository: Repository, worktrees: Worktrees, place: str
) -> None:
    worktrees.folder.mkdir(parents=True)
    (worktrees.folder / "link").symlink_to(repository.root)
    with pytest.raises(GitError, match="so it stays"):
        worktrees.remove(Worktree(repository, worktrees.folder / place, BRANCH, "", 1))


def test_a_link_named_like_a_checkout_is_not_followed(root: Path, repository: Repository, worktrees: Worktrees) -> None:
    before = users_state(root)
    worktrees.folder.mkdir(parents=True)
    (worktrees.folder / "exp-001").symlink_to(root)
    with pytest.raises(GitError, match="so it stays"):
        worktrees.remove(Worktree(repository, worktrees.folder / "exp-001", BRANCH, "", 1))
    with pytest.raises(SetupError):
        worktrees.add(BRANCH, repository.head(), 1)
    assert users_state(root) == before


def test_cleaning_removes_every_own_checkout_and_no_other(
    repository: Repository, worktrees: Worktrees, tmp_path: Path
) -> None:
    run(repository.root, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "theirs"))
    for number in (1, 2, 1000):
        worktrees.add(experiment_branch(NAME, number), repository.head(), number)
    assert worktrees.clean() == []
    assert list(worktrees.folder.iterdir()) == []
    assert (tmp_path / "theirs" / "prompt.txt").exists()


@pytest.mark.parametrize("tie", [None, "gitdir: /somewhere/else\n", "x", "folder", "link"])
def test_a_checkout_cut_off_from_its_repository_goes_like_any_other(
    repository: Repository, worktrees: Worktrees, tmp_path: Path, tie: str | None
) -> None:
    tree = worktrees.add(BRANCH, repository.head(), 1)
    (tree.path / ".git").unlink()
    if tie == "folder":
        run(tree.path, "init", "--quiet")
    elif tie == "link":
        (tmp_path / "kept").write_text("mine")
        (tree.path / ".git").symlink_to(tmp_path / "kept")
    elif tie is not None:
        (tree.path / ".git").write_text(tie)
    worktrees.remove(tree)
    assert not tree.path.exists() and worktrees.own() == []
    assert tie != "link" or (tmp_path / "kept").read_text() == "mine"


def test_a_checkout_that_cannot_be_removed_is_named(
    repository: Repository, worktrees: Worktrees, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no(*args: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    tree = worktrees.add(BRANCH, repository.head(), 1)
    (tree.path / ".git").unlink()
    monkeypatch.setattr(shutil, "rmtree", no)
    assert worktrees.clean() == [str(tree.path)]
    assert tree.path.exists()


def test_hidden_files_are_not_in_the_checkout_and_stay_in_the_commit(make: Callable[..., Repository]) -> None:
    repository = make({"p.md": b"a\n", "evals/triage.yaml": b"secret", "evals/deep/x": b"secret", "q.md": b"q\n"})
    config = (repository.git_dir / "config").read_bytes()
    tree = Worktrees(repository, repository.root.parent / "w").add(BRANCH, repository.head(), 1, hidden=["evals"])
    assert {path.name for path in tree.path.iterdir()} == {".git", "p.md", "q.md"}
    assert run(tree.path, "status", "--porcelain") == ""
    (tree.path / "p.md").write_bytes(b"b\n")
    sha = commit_paths(tree, ["."], "change")
    assert sha is not None
    assert run(repository.root, "diff", "--name-only", "HEAD", sha) == "p.md\n"
    assert (repository.git_dir / "config").read_bytes() == config


def test_shared_files_are_copied_and_ways_out_refused(root: Path, repository: Repository, worktrees: Worktrees) -> None:
    (root / "data").mkdir()
    (root / "data" / "a.bin").write_bytes(b"\x00")
    (root / "out").symlink_to("/etc")
    tree = worktrees.add(BRANCH, repository.head(), 1)
    share(tree, ["data", "untracked-notes.txt"])
    assert (tree.path / "data" / "a.bin").read_bytes() == b"\x00"
    assert (tree.path / "untracked-notes.txt").read_bytes() == b"mine\n"
    (root / "data" / "link").symlink_to("/etc/passwd")
    for refused in ("/etc/passwd", "../x", "data/../../x", "out/passwd", "data", ".git/config", "gone.txt", ""):
        with pytest.raises(SetupError):
            share(tree, [refused])
    (tree.path / "keep.txt").unlink()
    (tree.path / "keep.txt").mkdir()
    (tree.path / "keep.txt" / "keep.txt").mkdir()
    with pytest.raises(StorageError):
        share(tree, ["keep.txt"])


def test_a_lock_of_a_branch_is_named_and_the_same_start_works_once_it_is_gone(
    repository: Repository, tmp_path: Path
) -> None:
    trees = Worktrees(repository, tmp_path / "trees")
    lock = repository.git_dir / "refs" / "heads" / "optimize-exp" / "x" / "exp-001.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    with pytest.raises(GitError, match=r"exp-001\.lock exists") as caught:
        trees.add("optimize-exp/x/exp-001", repository.head(), 1)
    assert caught.value.exit_status == ExitStatus.STOPPED and "delete that file" in str(caught.value)
    lock.unlink()
    assert trees.add("optimize-exp/x/exp-001", repository.head(), 1).path.is_dir()


def test_what_a_git_left_that_was_cut_off_at_its_first_step_is_forgotten(
    repository: Repository, worktrees: Worktrees
) -> None:
    """git lists such an entry nowhere, and never takes the name again."""
    entries = repository.git_common_dir / "worktrees"
    half, placed, young, users = (entries / name for name in ("exp-002", "exp-003", "exp-0001", "feature"))
    for entry in (half, placed, young, users):
        entry.mkdir(parents=True)
        (entry / "locked").write_text("initializing")
    (placed / "gitdir").write_text("/somewhere/exp-003/.git\n")
    for entry in (half, placed, users):
        os.utime(entry, (1, 1))
    worktrees.clean()
    assert not half.exists() and placed.exists() and young.exists() and users.exists()
