"""Replacing a whole file at once: readers see the old bytes or the new ones. Not for the journal, which only grows."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from ceopt_tui.errors import StorageError
from ceopt_tui.journal.disk import storage_error, sync_folder


def write_atomic(path: Path, data: bytes) -> None:
    """Writes `data` to `path`, durable and read back, keeping the permissions of a file already there.

    A link at `path` is replaced, not followed. Raises StorageError; the old file is then still in place.
    """
    try:
        _replace(path, data)
        found = path.read_bytes()
    except OSError as error:
        raise storage_error(error, path) from error
    if found != data:
        raise StorageError(f"{path} does not hold what was just written to it", "Check the disk it is on.")


def _replace(path: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            os.fchmod(stream.fileno(), _permissions(path))
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)


def _permissions(path: Path) -> int:
    with suppress(FileNotFoundError):
        found = path.lstat()
        if stat.S_ISREG(found.st_mode):
            return stat.S_IMODE(found.st_mode)
    mask = os.umask(0)  # the mask can only be read by setting it
    os.umask(mask)
    return 0o666 & ~mask
