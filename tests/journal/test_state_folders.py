"""State folders: where they are, whose they are, and that git does not see them."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ceopt_tui.errors import SetupError, StorageError
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.folders import archive, check_name, claim, runs, runs_folder, state_folder

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "shop 提示 [x]"
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


def status(root: Path) -> str:
    return subprocess.run(
        ["git", "-C", root, "status", "--porcelain"], capture_output=True, text=True, check=True
    ).stdout


def exclude(root: Path) -> bytes:
    return (root / ".git" / "info" / "exclude").read_bytes()


def hold(folder: Path, root: Path) -> None:
    claim(folder, repository_root=root, git_common_dir=root / ".git")
    (folder / JOURNAL_NAME).touch()


@pytest.mark.parametrize("name", ["a", "support-triage", "v2", "2024-prompts", "x" * 64])
def test_kebab_case_names_are_accepted(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "a/b", "/etc", "A", "a_b", "a--b", "-a", "a-", "a b", "a\n", "é", "a.lock", "~", "x" * 65],
)
def test_any_other_name_is_refused_before_a_path_is_composed(name: str) -> None:
    with pytest.raises(SetupError, match="kebab-case"):
        state_folder(name, Path("/r"), state_root=None, environ={})


def test_the_state_root_is_the_option_then_the_variable_then_the_repository() -> None:
    repository, environ = Path("/r"), {"CEOPT_STATE_ROOT": "/var/state"}
    assert state_folder("n", repository, state_root=Path("/given"), environ=environ) == Path("/given/n")
    assert state_folder("n", repository, state_root=None, environ=environ) == Path("/var/state/ceopt/n")
    assert state_folder("n", repository, state_root=None, environ={"CEOPT_STATE_ROOT": ""}) == Path(
        "/r/.context/ceopt/n"
    )
    assert runs_folder(repository, state_root=None, environ={}) == Path("/r/.context/ceopt")


def test_a_relative_state_root_does_not_depend_on_later_folder_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert state_folder("n", Path("/r"), state_root=Path("s"), environ={}) == tmp_path / "s" / "n"


def test_state_in_the_repository_is_hidden_from_git_once(root: Path) -> None:
    folder = state_folder("one", root, state_root=None, environ={})
    before = exclude(root)
    hold(folder, root)
    hold(folder, root)
    hold(folder.with_name("two"), root)
    assert exclude(root) == before + b"/.context/ceopt/\n"
    assert status(root) == ""
    (root / ".context" / "mine.txt").touch()
    assert status(root) == "?? .context/\n", "only ceopt's part is hidden"


def test_an_exclude_file_without_a_last_newline_keeps_its_last_pattern(root: Path) -> None:
    (root / ".git" / "info" / "exclude").write_bytes(b"*.tmp")
    hold(root / ".context" / "ceopt" / "one", root)
    assert exclude(root) == b"*.tmp\n/.context/ceopt/\n"


def test_a_missing_info_folder_is_made(root: Path) -> None:
    (root / ".git" / "info" / "exclude").unlink()
    (root / ".git" / "info").rmdir()
    hold(root / ".context" / "ceopt" / "one", root)
    assert exclude(root) == b"/.context/ceopt/\n"


def test_a_state_root_with_odd_characters_inside_the_repository_is_hidden(root: Path) -> None:
    hold(root / "my [state] *" / "one", root)
    assert status(root) == ""


def test_a_state_root_outside_leaves_the_repository_alone(root: Path, tmp_path: Path) -> None:
    before = exclude(root)
    hold(tmp_path / "elsewhere" / "one", root)
    assert exclude(root) == before


def test_a_folder_of_another_repository_is_refused_and_named(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shared" / "one"
    hold(folder, root)
    other = tmp_path / "other"
    with pytest.raises(SetupError, match="another repository") as caught:
        claim(folder, repository_root=other, git_common_dir=other / ".git")
    assert str(root / ".git") in str(caught.value)


def test_state_inside_a_moved_repository_still_belongs_to_it(root: Path, tmp_path: Path) -> None:
    hold(root / ".context" / "ceopt" / "one", root)
    moved = root.rename(tmp_path / "moved")
    hold(moved / ".context" / "ceopt" / "one", moved)
    assert (moved / ".context" / "ceopt" / "one" / "repository").read_text() == f"{moved}/.git\n"


def test_a_file_in_place_of_the_folder_is_named(root: Path, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("mine")
    with pytest.raises(SetupError, match="not a folder"):
        claim(tmp_path / "one", repository_root=root, git_common_dir=root / ".git")
    with pytest.raises(StorageError):
        claim(tmp_path / "one" / "two", repository_root=root, git_common_dir=root / ".git")


def test_archiving_moves_the_folder_beside_itself_and_deletes_nothing(root: Path) -> None:
    folder = root / ".context" / "ceopt" / "one"
    kept = []
    for content in ("first", "second"):
        hold(folder, root)
        (folder / "spec.yaml").write_text(content)
        kept.append(archive(folder, MOMENT))
    assert [path.name for path in kept] == ["one.archived-20260102T030405Z", "one.archived-20260102T030405Z-2"]
    assert [(path / "spec.yaml").read_text() for path in kept] == ["first", "second"]
    assert runs(folder.parent) == []


def test_archiving_what_is_not_there_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        archive(tmp_path / "gone", MOMENT)


def test_runs_are_the_folders_with_a_journal_by_name(root: Path, tmp_path: Path) -> None:
    parent = root / ".context" / "ceopt"
    for name in ("b", "a"):
        hold(parent / name, root)
    (parent / "no-journal").mkdir()
    (parent / "file").touch()
    (parent / "link").symlink_to(parent / "a")
    assert [path.name for path in runs(parent)] == ["a", "b"]
    assert runs(tmp_path / "nothing") == []
