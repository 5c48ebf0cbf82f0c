"""Where the results of a study are kept: below its folder, hidden from git but for the reports."""

from __future__ import annotations

import re
from pathlib import Path

from ceopt_tui.errors import SetupError
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import storage_error

ARTIFACTS = "artifacts"
DEFAULT_OUTPUT = "run"
_IGNORE = b"*\n!*/\n!report*.md\n!report*.json\n!.gitignore\n"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def output_folder(study: Path, name: str) -> Path:
    """The folder of one output; nothing is created. SetupError for a name that could lead elsewhere."""
    if not _NAME.fullmatch(name):
        raise SetupError(f"{name!r} is no name for an output", "Use letters, digits, dots, hyphens and underscores.")
    return study / ARTIFACTS / name


def make_output(folder: Path) -> None:
    """Creates the folder, and what hides it from git."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(error, folder) from error
    ignore = folder.parent / ".gitignore"
    if not ignore.exists():
        write_atomic(ignore, _IGNORE)


def write_new(folder: Path, stem: str, ending: str, data: bytes) -> Path:
    """Writes a file under a name that is free; one that holds these bytes already is left as it is."""
    path, number = folder / f"{stem}{ending}", 1
    while path.exists():
        if path.read_bytes() == data:
            return path
        number += 1
        path = folder / f"{stem}-{number}{ending}"
    write_atomic(path, data)
    return path
