"""Paths of a spec stay inside the repository, and cover what lies below them."""

from __future__ import annotations

import pytest

from schemas.paths import command_files, covers, repository_path


@pytest.mark.parametrize("path", ["a", "a/b.md", "./a", "a b/日本.md", "..a", "a/..b"])
def test_paths_inside(path: str) -> None:
    assert repository_path(path) == path


@pytest.mark.parametrize("path", ["/etc", "~/x", "../x", "a/../../x", "C:/x", "C:\\x", "a\\b", ".git/hooks", "a/.git"])
def test_paths_that_leave(path: str) -> None:
    with pytest.raises(ValueError, match=r"must"):
        repository_path(path)


@pytest.mark.parametrize(
    ("folder", "path", "covered"),
    [
        ("src", "src/a.py", True), ("src/", "src", True), ("./src", "src/a/b", True), ("src", "src2/a", False),
        ("src/a", "src", False), (".", "x", True), ("a.py", "a.py", True),
    ],
)  # fmt: skip
def test_a_folder_covers_what_is_below_it(folder: str, path: str, covered: bool) -> None:
    assert covers(folder, path) is covered


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("python evals/run.py --cases evals/x.jsonl", ("evals/run.py", "evals/x.jsonl")),
        ("./run.sh --limit 0.5", ("run.sh",)),
        ("run-cases", ()),
        ("python /usr/bin/x.py ../up.py", ()),
        ("sh -c 'unclosed", ()),
    ],
)
def test_files_a_command_names(command: str, files: tuple[str, ...]) -> None:
    assert command_files(command) == files


def test_files_of_a_command_are_found_from_its_folder() -> None:
    assert command_files("python run.py", "tools/eval") == ("tools/eval/run.py",)
