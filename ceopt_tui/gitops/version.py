"""Which git is installed, and whether it is new enough."""

import re
from pathlib import Path

from ceopt_tui.errors import SetupError
from ceopt_tui.gitops.git import git

MINIMUM = (2, 36)  # the first that lists working trees with paths as they are


def git_version(cwd: Path) -> tuple[int, int]:
    """Major and minor version of the git on the PATH."""
    said = git(["--version"], cwd)
    found = re.search(r"(\d+)\.(\d+)", said)
    if found is None:
        raise SetupError(f"git does not say its version: {said.strip()!r}")
    return int(found[1]), int(found[2])


def require_git(cwd: Path) -> None:
    """Raises SetupError when git is missing or too old."""
    version = git_version(cwd)
    if version < MINIMUM:
        raise SetupError("git {}.{} is too old: ceopt needs {}.{}".format(*version, *MINIMUM), "Install a newer git.")
