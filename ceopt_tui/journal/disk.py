"""What a refusing disk means, and making a folder's entries durable. Knows nothing of what is written."""

import errno
import os
from pathlib import Path

from ceopt_tui.errors import StorageError

JOURNAL_NAME = "journal.jsonl"  # beside what reads nothing, since asking who holds a run must be quick
FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_SMALL_FILE_BYTES = 1 << 16
ROOM = "What was on the disk before is intact. Make room, then resume the run."


def storage_error(error: OSError, path: Path) -> StorageError:
    """The StorageError for an operating system error met while reading or writing `path`."""
    if error.errno in FULL_DISK:
        return StorageError(f"no space left while writing {path}", ROOM)
    if error.errno == errno.EROFS:
        return StorageError(f"{path} is on a read-only disk", "Choose another folder with --state-root.")
    if error.errno in {errno.EACCES, errno.EPERM}:
        return StorageError(f"not allowed to write {path}", "Check who owns it, or choose another --state-root.")
    return StorageError(f"{path}: {error.strerror or error}")


def is_full(folder: Path) -> bool:
    """Has the disk of `folder` no room for even a small file? For programs that do not say why they failed."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize < _SMALL_FILE_BYTES


def is_read_only(folder: Path) -> bool:
    """Is the disk of `folder` one that nobody can write?"""
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def sync_folder(folder: Path) -> None:
    """Makes names created, renamed or removed in `folder` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
