"""What ceopt reads of the user's repository."""

from collections.abc import Callable
from pathlib import Path

import pytest
from real_repositories import no_wait, run, users_state

from ceopt_tui.errors import GitError, SetupError
from ceopt_tui.gitops.repository import Repository

ODD_PATHS = ["提示 one/café prompt.md", 'quo"te.md', "back\\slash.md", "[x] *.md", "tab\t.md", ":(top)x.md", "-dash.md"]


def test_a_repository_is_found_from_any_path_in_it_even_one_not_made_yet(root: Path) -> None:
    for path in (root, root / "prompt.txt", root / "new" / "deep" / "file.md"):
        found = Repository.find(path)
        assert (found.root, found.git_dir, found.git_common_dir) == (root, root / ".git", root / ".git")
    assert found.head() == run(root, "rev-parse", "HEAD").strip()
    assert found.current_branch() == "main"


def test_a_linked_working_tree_shares_the_common_folder(root: Path, tmp_path: Path) -> None:
    run(root, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    found = Repository.find(tmp_path / "linked")
    assert found.root == tmp_path / "linked"
    assert found.git_common_dir == root / ".git"
    assert found.git_dir == root / ".git" / "worktrees" / "linked"
    assert found.current_branch() is None


@pytest.mark.parametrize("kind", ["none", "bare", "inside"])
def test_a_place_without_a_working_tree_is_refused(tmp_path: Path, kind: str) -> None:
    run(tmp_path, "init", "-q", *(["--bare"] if kind == "bare" else []), "r")
    place = {"none": tmp_path, "bare": tmp_path / "r", "inside": tmp_path / "r" / ".git"}[kind]
    with pytest.raises(SetupError, match="not in a git repository ceopt can use"):
        Repository.find(place)


def test_a_repository_without_a_commit_is_refused(tmp_path: Path) -> None:
    run(tmp_path, "init", "-q")
    with pytest.raises(SetupError, match="no commit yet"):
        Repository.find(tmp_path)


def test_uncommitted_work_is_named_and_nothing_is_touched(root: Path, repository: Repository) -> None:
    before = users_state(root)
    assert repository.dirty(["prompt.txt"]) == ["prompt.txt"]
    assert repository.dirty(["keep.txt"]) == []
    assert repository.dirty([]) == []
    assert repository.dirty(["."]) == ["prompt.txt", "untracked-notes.txt"]
    assert repository.dirty(["untracked-notes.txt", "prompt.txt"]) == ["prompt.txt", "untracked-notes.txt"]
    assert users_state(root) == before


def test_staged_deleted_and_untracked_files_below_a_folder_are_dirty(make: Callable[..., Repository]) -> None:
    repository = make({"p/a.md": b"a", "p/b.md": b"b", "p/c.md": b"c", "q/d.md": b"d"})
    (repository.root / "p/a.md").write_bytes(b"changed")
    run(repository.root, "add", "p/a.md")
    (repository.root / "p/b.md").unlink()
    (repository.root / "p/new").mkdir()
    (repository.root / "p/new/e.md").write_bytes(b"e")
    (repository.root / "q/d.md").write_bytes(b"not asked about")
    assert repository.dirty(["p"]) == ["p/a.md", "p/b.md", "p/new/e.md"]


@pytest.mark.parametrize("path", ODD_PATHS)
def test_paths_are_taken_and_given_as_written(make: Callable[..., Repository], path: str) -> None:
    repository = make({path: b"one", "x.md": b"x"})
    assert repository.tracked(path)
    assert repository.dirty([path]) == []
    (repository.root / path).write_bytes(b"two")
    (repository.root / "x.md").write_bytes(b"y")
    assert repository.dirty([path]) == [path]
    assert repository.show("HEAD", path) == b"one"


def test_the_users_line_ending_setting_decides_what_is_clean(make: Callable[..., Repository]) -> None:
    repository = make({"p.md": b"a\r\n"}, ["core.autocrlf=true"])
    (repository.root / "p.md").write_bytes(b"a\r\n")
    assert repository.dirty(["p.md"]) == []


def test_a_stale_index_lock_is_waited_for_then_named(field: Callable[[str], Path]) -> None:
    root = field("B34")
    repository = Repository.find(root, wait=no_wait)
    with pytest.raises(GitError, match=r"index\.lock exists") as caught:
        repository.dirty(["提示 one/café prompt.md"])
    assert caught.value.exit_status == 3
    assert (root / ".git" / "index.lock").exists()
    (root / ".git" / "index.lock").unlink()
    assert repository.dirty(["提示 one/café prompt.md"]) == []


def test_committed_bytes_are_shown_exactly(make: Callable[..., Repository]) -> None:
    odd = b"\xef\xbb\xbf\xff\x00 a\r\n"
    repository = make({"p.md": odd})
    assert repository.show("HEAD", "p.md") == odd
    with pytest.raises(GitError, match=r"gone\.md is not a file in HEAD"):
        repository.show("HEAD", "gone.md")


def test_branches_and_tracked_files_are_told_apart_from_missing_ones(repository: Repository) -> None:
    assert repository.branch_exists("main")
    assert not repository.branch_exists("mai")
    assert repository.tracked("prompt.txt")
    assert not repository.tracked("untracked-notes.txt")
    head = repository.head()
    assert repository.is_ancestor(head, head)
    with pytest.raises(GitError):
        repository.is_ancestor("nowhere", head)
