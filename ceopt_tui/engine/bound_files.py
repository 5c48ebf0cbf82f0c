"""The files a run is measured by (spec, eval sets, rubric): their copies in its state folder, and putting them back.

Deletes nothing: what a copy replaces is kept in the state folder first.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from ceopt_tui.errors import SetupError, StorageError
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import storage_error

COPIES_NAME = "measured-by.json"
REPLACED = "replaced"  # below the state folder: the user's own, by the time they were replaced


def keep_copies(folder: Path, files: Mapping[str, bytes]) -> None:
    """Keeps what fits the measurements on record; `files` by their place in the repository."""
    text = json.dumps({place: data.decode("utf-8", "surrogateescape") for place, data in files.items()}, indent=0)
    path = folder / COPIES_NAME
    if not path.is_file() or path.read_bytes() != text.encode():
        write_atomic(path, text.encode())


def changed_files(folder: Path, files: Mapping[str, bytes]) -> list[str]:
    """Places of files that are not as they were measured by, also those the spec names no longer."""
    kept = _copies(folder)
    return sorted(place for place in kept.keys() | files.keys() if kept and kept.get(place) != files.get(place))


def put_back(folder: Path, root: Path, now: datetime) -> list[str]:
    """Writes the copies over files that differ, under the repository's `root`; gives their places.

    SetupError where there are no copies.
    """
    kept = _copies(folder)
    if not kept:
        raise SetupError(f"{folder} holds no copies of spec and eval set", "Restore them from git, or use --fresh.")
    beside, changed = folder / REPLACED / f"{now.astimezone(UTC):%Y%m%dT%H%M%S%fZ}", []
    for place, data in kept.items():
        path = root / place
        if not path.resolve().is_relative_to(root.resolve()):
            raise SetupError(f"{place} would be written outside of {root}")
        own = path.read_bytes() if path.is_file() else None
        if own == data:
            continue
        if own is not None:
            _write(beside / place, own)
        _write(path, data)
        changed.append(place)
    return changed


def _copies(folder: Path) -> dict[str, bytes]:
    try:
        kept = json.loads((folder / COPIES_NAME).read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise StorageError(f"{folder / COPIES_NAME} is damaged", "Restore the files from git.") from error
    if not isinstance(kept, dict) or not all(isinstance(text, str) for text in kept.values()):
        raise StorageError(f"{folder / COPIES_NAME} is damaged", "Restore the files from git.")
    return {place: text.encode("utf-8", "surrogateescape") for place, text in kept.items()}


def holds_copy_of(folder: Path, place: str) -> bool:
    """Was a run measured by the file at this place of the repository? A damaged copy says no."""
    try:
        return place in _copies(folder)
    except StorageError:
        return False


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(error, path) from error
    write_atomic(path, data)
