"""Paths inside a working tree that may be written: relative, no way out, no link on the way."""

from pathlib import Path, PurePosixPath

from ceopt_tui.errors import SetupError


def check_relative(path: str) -> PurePosixPath:
    """The parts of `path`, or SetupError when it is absolute, leads out with .., or is git's own."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        raise SetupError(f"{path!r} is not a path inside the repository", "Give it relative to the repository's root.")
    if ".git" in (part.lower() for part in parts):
        raise SetupError(f"{path!r} belongs to git itself")
    return PurePosixPath(*parts)


def inside(root: Path, path: str) -> Path:
    """`root`/`path`, or SetupError when that could be somewhere else."""
    place = root
    for part in check_relative(path).parts:
        place = place / part
        if place.is_symlink():
            raise SetupError(f"{path!r} passes through a link, {place}", "Name the file the link points to instead.")
    return place
