"""Files that two commits differ in, as bytes to be put in place one by one. Reads only."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.diffs import changed_paths
from ceopt_tui.gitops.repository import Repository

_ABSENT = "000000"  # git's mode of a file that is not there
_PLAIN, _EXECUTABLE = "100644", "100755"


@dataclass(frozen=True)
class ChangedFiles:
    """Bytes of each changed file on both sides, None where it is not there, and those that are made executable."""

    before: Mapping[str, bytes | None]
    after: Mapping[str, bytes | None]
    executable: frozenset[str]


def files_between(repository: Repository, base: str, tip: str, leave: Collection[str] = ()) -> ChangedFiles:
    """All changed files but those in `leave`. SetupError for what is no mere change of content: git merges that."""
    modes = _modes(repository, base, tip)
    paths = [path for path in changed_paths(repository, base, tip) if path not in leave]
    odd = [path for path in paths if not _is_content(*modes[path])]
    if odd:
        raise SetupError(
            f"{', '.join(odd)}: a link, a submodule or changed permissions, which are not put in place one by one",
            f"Merge it with git: git merge {tip[:10]}",
        )
    return ChangedFiles(
        {path: None if modes[path][0] == _ABSENT else repository.show(base, path) for path in paths},
        {path: None if modes[path][1] == _ABSENT else repository.show(tip, path) for path in paths},
        frozenset(path for path in paths if modes[path][1] == _EXECUTABLE),
    )


def _modes(repository: Repository, base: str, tip: str) -> dict[str, tuple[str, str]]:
    """Git's modes of every changed file before and after."""
    listed = repository.git("diff-tree", "-r", "--no-renames", "--raw", "-z", base, tip).split("\0")[:-1]
    pairs = zip(listed[::2], listed[1::2], strict=True)
    return {path: (facts.split()[0].lstrip(":"), facts.split()[1]) for facts, path in pairs}


def _is_content(before: str, after: str) -> bool:
    """Is a file of its own on both sides where it is there at all, and only its content another?"""
    plain = {before, after} <= {_ABSENT, _PLAIN, _EXECUTABLE}
    return plain and (_ABSENT in {before, after} or before == after)
