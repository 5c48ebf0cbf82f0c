"""Replacing a whole file at once: readers see the old bytes or the new ones. Not for the journal, which only grows."""

import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path

from ceopt_tui.errors import StorageError
from ceopt_tui.journal.disk import storage_error, sync_folder

_SUFFIX = ".ceopt-tmp"
_SHARED = len("journal.jsonl.torn")  # characters of a name: what differs after them, such as a time, shares one file


def write_atomic(path: Path, data: bytes) -> None:
    """Writes `data` to `path`, durable and read back, keeping the permissions of a file already there.

    A link at `path` is replaced, not followed. Raises StorageError; the old file is then still in place.
    """
    try:
        found = _replace(path, data)
    except OSError as error:
        raise storage_error(error, path) from error
    if found != data:
        raise StorageError(f"{path} does not hold what was just written to it", "Check the disk it is on.")


def _replace(path: Path, data: bytes) -> bytes:
    """Puts the data in place and gives what the file holds then, whoever has replaced it again meanwhile."""
    temporary, descriptor = _working_file(path)
    with os.fdopen(descriptor, "wb") as stream:  # closing it gives up the lock, so all is done before that
        try:
            os.fchmod(descriptor, _permissions(path))
            stream.write(data)
            stream.flush()
            os.fsync(descriptor)
            temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        found = os.pread(descriptor, len(data) + 1, 0)
    sync_folder(path.parent)
    return found


def working_name(name: str) -> str:
    """What the file is called beside `name` that a killed write may leave."""
    return f".{name[:_SHARED]}{_SUFFIX}"


def _working_file(path: Path) -> tuple[Path, int]:
    """An empty file beside `path`, locked. Always of one name, so that the next writer clears up after a killed one."""
    temporary = path.with_name(working_name(path.name))
    while True:
        descriptor = _opened(temporary)
        try:
            with suppress(OSError):  # a disk without locks has one writer all the same, or the last one wins
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_still(temporary, descriptor):
                os.ftruncate(descriptor, 0)
                return temporary, descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _opened(temporary: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(temporary, flags, 0o600)
    except PermissionError:
        if not os.path.lexists(temporary):
            raise
        temporary.unlink()  # it has the permissions of a read-only file that it was to replace
        return os.open(temporary, flags, 0o600)


def _is_still(path: Path, descriptor: int) -> bool:
    """Is the open file the one at `path`, or has another writer put it in place meanwhile?"""
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _permissions(path: Path) -> int:
    with suppress(FileNotFoundError):
        found = path.lstat()
        if stat.S_ISREG(found.st_mode):
            return stat.S_IMODE(found.st_mode)
    mask = os.umask(0)  # the mask can only be read by setting it
    os.umask(mask)
    return 0o666 & ~mask
