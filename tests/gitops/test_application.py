"""Applying the winner: the only writes to the user's files, all or none, and a commit as the user would make it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from real_repositories import no_wait, run, users_state

from ceopt_tui.errors import GitError, SetupError, StorageError
from ceopt_tui.gitops.application import apply_to_working_tree, commit_as_user
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.atomic import write_atomic

OLD = {"p/one 提.md": b"\xef\xbb\xbfold\r\n", "two.md": b"old two\n"}
NEW = {"p/one 提.md": b"\xef\xbb\xbfnew\r\n", "two.md": b"new two\n"}


@pytest.fixture
def shop(make: Callable[..., Repository]) -> Repository:
    return make({**OLD, "other.md": b"other\n"})


def content(repository: Repository) -> dict[str, bytes]:
    return {path: (repository.root / path).read_bytes() for path in OLD}


def test_the_new_text_replaces_the_old_and_nothing_else_changes(shop: Repository) -> None:
    before = users_state(shop.root)
    apply_to_working_tree(shop, OLD, NEW)
    apply_to_working_tree(shop, OLD, NEW)
    assert content(shop) == NEW
    after = users_state(shop.root)
    assert after.pop("files") != before.pop("files")
    assert after == before


@pytest.mark.parametrize("change", ["edited", "staged", "committed", "deleted"])
def test_a_file_changed_since_is_named_and_nothing_is_written(shop: Repository, change: str) -> None:
    place = shop.root / "two.md"
    place.write_bytes(b"mine\n")
    if change in ("staged", "committed"):
        run(shop.root, "add", "-A")
    if change == "committed":
        run(shop.root, "commit", "-qm", "mine")
    if change == "deleted":
        place.unlink()
    before = users_state(shop.root)
    with pytest.raises(SetupError, match=r"^two\.md: changed since"):
        apply_to_working_tree(shop, OLD, NEW)
    assert users_state(shop.root) == before


def test_staged_work_under_old_bytes_on_disk_is_not_overwritten(shop: Repository) -> None:
    (shop.root / "two.md").write_bytes(b"mine\n")
    run(shop.root, "add", "two.md")
    (shop.root / "two.md").write_bytes(OLD["two.md"])
    with pytest.raises(SetupError, match=r"two\.md"):
        apply_to_working_tree(shop, OLD, NEW)


def test_a_half_done_application_is_finished(shop: Repository) -> None:
    (shop.root / "two.md").write_bytes(NEW["two.md"])
    apply_to_working_tree(shop, OLD, NEW)
    assert content(shop) == NEW


def test_a_full_disk_midway_restores_what_was_written(shop: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(path: Path, data: bytes) -> None:
        if data == NEW["two.md"]:
            raise StorageError("no space left")
        write_atomic(path, data)

    monkeypatch.setattr("ceopt_tui.gitops.application.write_atomic", failing)
    with pytest.raises(StorageError):
        apply_to_working_tree(shop, OLD, NEW)
    assert content(shop) == OLD


def test_links_are_not_written_through(shop: Repository) -> None:
    (shop.root / "two.md").unlink()
    (shop.root / "two.md").symlink_to("other.md")
    with pytest.raises(SetupError, match="passes through a link"):
        apply_to_working_tree(shop, OLD, NEW)
    assert (shop.root / "other.md").read_bytes() == b"other\n"


def test_the_users_commit_is_theirs_and_leaves_other_staged_work_staged(shop: Repository) -> None:
    (shop.root / "other.md").write_bytes(b"staged\n")
    run(shop.root, "add", "other.md")
    apply_to_working_tree(shop, OLD, NEW)
    sha = commit_as_user(shop, list(NEW), "Better text\n\n[/x] 提")
    assert sha == shop.head()
    assert run(shop.root, "log", "-1", "--format=%an %ae %B").strip() == "Ada ada@example.com Better text\n\n[/x] 提"
    assert shop.show("HEAD", "p/one 提.md") == NEW["p/one 提.md"]
    assert run(shop.root, "status", "--porcelain") == "M  other.md\n"
    assert commit_as_user(shop, list(NEW), "again") is None


def test_a_refusing_hook_is_quoted_and_the_text_stays(
    field: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository.find(field("B35"), wait=no_wait)
    for name, value in (("NAME", "Ada"), ("EMAIL", "ada@example.com")):
        monkeypatch.setenv(f"GIT_AUTHOR_{name}", value)
        monkeypatch.setenv(f"GIT_COMMITTER_{name}", value)
    apply_to_working_tree(repository, {"prompt.txt": b"Be kind.\n"}, {"prompt.txt": b"Be brief.\n"})
    head = repository.head()
    with pytest.raises(GitError, match="hook says no") as caught:
        commit_as_user(repository, ["prompt.txt"], "x")
    assert caught.value.exit_status == 3
    assert repository.head() == head
    assert (repository.root / "prompt.txt").read_bytes() == b"Be brief.\n"


def test_a_users_hook_sees_the_users_world(shop: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    hook = shop.root / ".git" / "hooks" / "pre-commit"
    hook.write_text('#!/bin/sh\nenv | grep -c "^OPENAI_API_KEY=k\\|^GIT_LITERAL_PATHSPECS\\|^GIT_OPTIONAL" > seen\n')
    hook.chmod(0o755)
    apply_to_working_tree(shop, OLD, NEW)
    commit_as_user(shop, list(NEW), "x")
    assert (shop.root / "seen").read_text() == "1\n"


def test_a_missing_identity_is_said_in_gits_words(field: Callable[[str], Path]) -> None:
    repository = Repository.find(field("B35"), wait=no_wait)
    (repository.root / ".git" / "hooks" / "pre-commit").unlink()
    (repository.root / "prompt.txt").write_bytes(b"Be brief.\n")
    with pytest.raises(GitError, match="user"):
        commit_as_user(repository, ["prompt.txt"], "x")
