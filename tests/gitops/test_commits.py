"""ceopt's commits: exact bytes, only the scope, whatever the user's settings, hooks and identity are."""

from collections.abc import Callable
from pathlib import Path

import pytest
from real_repositories import NAME, no_wait, run, users_state

from ceopt_tui.errors import GitError, SetupError
from ceopt_tui.gitops.branches import ensure_branch, experiment_branch, optimization_branch
from ceopt_tui.gitops.commits import changed_in, cherry_pick, commit_files, commit_paths
from ceopt_tui.gitops.diffs import FileChange, changed_paths, diff, numstat
from ceopt_tui.gitops.exactness import refuse_altered
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.gitops.worktrees import Worktree, Worktrees

BRANCH = experiment_branch(NAME, 1)
MAIN = optimization_branch(NAME)
BOM_CRLF = b"\xef\xbb\xbfone\r\ntwo\n\r\n\x00\xff"


def checkout(repository: Repository, number: int = 1) -> Worktree:
    worktrees = Worktrees(repository, repository.root.parent / "state" / "worktrees")
    return worktrees.add(experiment_branch(NAME, number), repository.head(), number)


def test_a_commit_needs_no_identity_hook_or_key(field: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Someone Else")
    root = field("B35")
    repository = Repository.find(root, wait=no_wait)
    before = users_state(root)
    tree = checkout(repository)
    (tree.path / "prompt.txt").write_bytes(b"Be kind and brief.\n")
    sha = commit_paths(tree, ["prompt.txt"], "optimize(x): brief\n\n提示 [/x]")
    assert sha is not None
    who = run(root, "log", "-1", "--format=%an <%ae> %cn <%ce>%n%B", BRANCH).strip()
    assert who == "ceopt <ceopt@localhost> ceopt <ceopt@localhost>\noptimize(x): brief\n\n提示 [/x]"
    assert repository.resolve(BRANCH) == sha
    assert users_state(root) == before


def test_nothing_changed_is_no_commit(repository: Repository) -> None:
    tree = checkout(repository)
    assert commit_paths(tree, ["prompt.txt"], "x") is None
    assert commit_paths(tree, [], "x") is None
    (tree.path / "keep.txt").write_bytes(b"out of scope")
    assert commit_paths(tree, ["prompt.txt"], "x") is None
    assert repository.resolve(BRANCH) == tree.base_sha


def test_only_the_scope_is_committed_whatever_was_staged_or_committed_in_the_checkout(repository: Repository) -> None:
    tree = checkout(repository)
    (tree.path / "keep.txt").write_bytes(b"out of scope")
    run(tree.path, "add", "keep.txt")
    run(tree.path, "commit", "-qm", "an agent's own")
    (tree.path / "prompt.txt").write_bytes(b"in scope\n")
    (tree.path / "left-over.log").write_bytes(b"of a measurement")
    assert changed_in(tree) == ["keep.txt", "left-over.log", "prompt.txt"]
    sha = commit_paths(tree, ["prompt.txt"], "x")
    assert sha is not None
    assert changed_paths(repository, tree.base_sha, sha) == ["prompt.txt"]
    assert repository.resolve(f"{sha}^") == tree.base_sha
    assert repository.resolve(BRANCH) == sha


def test_a_checkout_that_points_elsewhere_cannot_redirect_the_commit(root: Path, repository: Repository) -> None:
    tree = checkout(repository)
    (tree.path / "prompt.txt").write_bytes(b"new\n")
    (tree.path / ".git").write_text("gitdir: /nowhere\n")
    assert commit_paths(tree, ["prompt.txt"], "x") is not None


def test_new_deleted_and_executable_files_below_a_folder_are_committed(make: Callable[..., Repository]) -> None:
    repository = make({"p/a.md": b"a", "p/gone.md": b"g", "p/d": b"file", ".gitignore": b"*.log\n"})
    tree = checkout(repository)
    (tree.path / "p/gone.md").unlink()
    (tree.path / "p/d").unlink()
    (tree.path / "p/d").mkdir()
    (tree.path / "p/d/提示 one.md").write_bytes(BOM_CRLF)
    (tree.path / "p/run.log").write_bytes(b"ignored")
    (tree.path / "p/a.md").chmod(0o755)
    sha = commit_paths(tree, ["p", "no/such/path"], "x")
    assert sha is not None
    assert changed_paths(repository, tree.base_sha, sha) == ["p/a.md", "p/d", "p/d/提示 one.md", "p/gone.md"]
    assert repository.show(sha, "p/d/提示 one.md") == BOM_CRLF
    assert run(repository.root, "ls-tree", sha, "p/a.md").startswith("100755")


def test_links_are_refused(repository: Repository) -> None:
    tree = checkout(repository)
    (tree.path / "prompt.txt").unlink()
    (tree.path / "prompt.txt").symlink_to("/etc/passwd")
    with pytest.raises(GitError, match="passes through a link"):
        commit_paths(tree, ["prompt.txt"], "x")
    assert repository.resolve(BRANCH) == tree.base_sha


@pytest.mark.parametrize("autocrlf", ["true", "input", "false"])
def test_bytes_are_committed_as_measured_whatever_the_line_ending_setting(
    make: Callable[..., Repository], autocrlf: str
) -> None:
    repository = make({"p.md": b"a\n"})
    for setting in (f"core.autocrlf={autocrlf}", "core.safecrlf=true", "core.splitIndex=true"):
        run(repository.root, "config", *setting.split("="))
    tree = checkout(repository)
    (tree.path / "p.md").write_bytes(BOM_CRLF)
    sha = commit_paths(tree, ["p.md"], "x")
    assert sha is not None
    assert repository.show(sha, "p.md") == BOM_CRLF


def test_a_commit_that_git_would_alter_is_refused(make: Callable[..., Repository]) -> None:
    repository = make({"p.md": b"a\n", ".gitattributes": b"*.md text\n"})
    tree = checkout(repository)
    (tree.path / "p.md").write_bytes(b"a\r\nb\r\n")
    with pytest.raises(GitError, match=r"git would change the bytes of p\.md"):
        commit_paths(tree, ["p.md"], "x")
    assert repository.resolve(BRANCH) == tree.base_sha
    (tree.path / "p.md").write_bytes(b"a\nb\n")
    assert commit_paths(tree, ["p.md"], "x") is not None


@pytest.mark.parametrize(
    ("attributes", "content", "exact"),
    [
        (b"", BOM_CRLF, True),
        (b"*.md -text\n", b"a\r\n", True),
        (b"* text=auto\n", b"a\n", True),
        (b"*.md text eol=lf\n", b"a\n", True),
        (b"*.md eol=crlf\n", b"a\r\n", False),
        (b"*.md ident\n", b"$Id$\n", False),
        (b"*.md working-tree-encoding=UTF-16LE\n", "a\n".encode("utf-16-le"), False),
    ],
)
def test_a_text_that_git_converts_is_refused_before_the_run(
    make: Callable[..., Repository], attributes: bytes, content: bytes, exact: bool
) -> None:
    repository = make({".gitattributes": attributes, "p.md": content})
    if exact:
        refuse_altered(repository, ["p.md"])
        return
    with pytest.raises(SetupError, match=r"git changes the bytes of p\.md"):
        refuse_altered(repository, ["p.md"])


def test_a_text_on_disk_that_differs_from_the_commit_only_in_line_endings_is_refused(
    make: Callable[..., Repository],
) -> None:
    repository = make({"p.md": b"a\r\n"}, ["core.autocrlf=true"])
    assert repository.dirty(["p.md"]) == []
    with pytest.raises(SetupError, match=r"p\.md"):
        refuse_altered(repository, ["p.md"])


@pytest.mark.parametrize("path", ["new.md", "a.bin"])
def test_a_text_git_does_not_have_or_cannot_convert_is_refused_before_the_run(
    make: Callable[..., Repository], path: str
) -> None:
    repository = make({".gitattributes": b"*.bin filter=lfs\n", "a.bin": b"x"})
    for key, value in (("smudge", "git-lfs-that-is-missing"), ("required", "true")):
        run(repository.root, "config", f"filter.lfs.{key}", value)
    (repository.root / "new.md").write_bytes(b"not committed")
    with pytest.raises(SetupError, match=r"new\.md is not a file in HEAD|git-lfs-that-is-missing") as caught:
        refuse_altered(repository, [path])
    assert caught.value.exit_status == 2


def test_a_text_committed_before_its_attribute_is_refused(make: Callable[..., Repository]) -> None:
    repository = make({"p.md": b"a\r\n"})
    (repository.git_dir / "info" / "attributes").write_text("*.md text\n")
    with pytest.raises(SetupError, match=r"p\.md"):
        refuse_altered(repository, ["p.md"])


def test_files_are_committed_without_a_checkout(root: Path, repository: Repository) -> None:
    before = users_state(root)
    ensure_branch(repository, MAIN, repository.head())
    sha = commit_files(repository, MAIN, {"docs/optimize/報告 [x].md": BOM_CRLF, "keep.txt": None}, "report")
    assert repository.resolve(MAIN) == sha
    assert repository.show(sha, "docs/optimize/報告 [x].md") == BOM_CRLF
    assert changed_paths(repository, "HEAD", sha) == ["docs/optimize/報告 [x].md", "keep.txt"]
    assert commit_files(repository, MAIN, {"docs/optimize/報告 [x].md": BOM_CRLF}, "again") == sha
    assert users_state(root) == before


def test_a_file_keeps_its_mode_and_a_link_is_not_written_through(make: Callable[..., Repository]) -> None:
    repository = make({"run.sh": b"a"})
    (repository.root / "run.sh").chmod(0o755)
    (repository.root / "link").symlink_to("run.sh")
    run(repository.root, "add", "-A")
    run(repository.root, "commit", "-qm", "modes")
    ensure_branch(repository, MAIN, repository.head())
    sha = commit_files(repository, MAIN, {"run.sh": b"b"}, "x")
    assert run(repository.root, "ls-tree", sha, "run.sh").startswith("100755")
    with pytest.raises(GitError, match="link is a link"):
        commit_files(repository, MAIN, {"link": b"x"}, "x")


@pytest.mark.parametrize("path", ["../x", "/x", "", ".git/config", "a/../../x", "a/.GIT/x"])
def test_paths_out_of_the_repository_are_refused(repository: Repository, path: str) -> None:
    ensure_branch(repository, MAIN, repository.head())
    with pytest.raises(SetupError):
        commit_files(repository, MAIN, {path: b"x"}, "x")


def test_a_report_is_not_committed_under_a_checked_out_branch(make: Callable[..., Repository]) -> None:
    repository = make({"p.md": b"a"})
    run(repository.root, "checkout", "-qb", MAIN)
    with pytest.raises(SetupError, match="checked out"):
        commit_files(repository, MAIN, {"r.md": b"x"}, "x")
    assert run(repository.root, "status", "--porcelain") == ""


def test_a_change_is_repeated_on_a_newer_base_unless_both_touch_a_file(make: Callable[..., Repository]) -> None:
    repository = make({"a.md": b"a", "b.md": b"b", "c 提.md": b"c"})
    base = repository.head()
    one, two = checkout(repository, 1), checkout(repository, 2)
    (one.path / "a.md").write_bytes(b"A")
    (two.path / "b.md").write_bytes(BOM_CRLF)
    (two.path / "c 提.md").unlink()
    first, second = commit_paths(one, ["."], "one"), commit_paths(two, ["."], "two")
    assert first is not None
    assert second is not None
    both = cherry_pick(repository, base, second, first, "two")
    assert both is not None
    assert repository.show(both, "a.md") == b"A"
    assert repository.show(both, "b.md") == BOM_CRLF
    assert changed_paths(repository, first, both) == ["b.md", "c 提.md"]
    with pytest.raises(GitError, match=r"both changes touch b\.md"):
        cherry_pick(repository, base, second, both, "two")
    assert cherry_pick(repository, base, base, first, "nothing") is None


def test_differences_do_not_depend_on_the_users_settings(make: Callable[..., Repository]) -> None:
    repository = make({"提 [x].md": b"one\ntwo\n", "b.bin": b"\x00\x01", "c.md": b"c\n"})
    for setting in ("diff.external=false", "diff.noprefix=true", "color.ui=always", "diff.renames=copies"):
        run(repository.root, "config", *setting.split("="))
    ensure_branch(repository, MAIN, repository.head())
    files = {"提 [x].md": b"one\nTWO\nthree\n", "b.bin": b"\x00\x02", "d.md": b"c\n", "c.md": None}
    sha = commit_files(repository, MAIN, files, "x")
    assert numstat(repository, "HEAD", sha) == [
        FileChange("b.bin", None, None),
        FileChange("c.md", 0, 1),
        FileChange("d.md", 1, 0),
        FileChange("提 [x].md", 2, 1),
    ]
    assert numstat(repository, "HEAD", sha, ["d.md"]) == [FileChange("d.md", 1, 0)]
    shown = diff(repository, "HEAD", sha, ["提 [x].md"])
    assert "--- a/提 [x].md" in shown
    assert shown.endswith("@@ -1,2 +1,3 @@\n one\n-two\n+TWO\n+three\n")
    with pytest.raises(GitError):
        diff(repository, "nowhere", sha)
