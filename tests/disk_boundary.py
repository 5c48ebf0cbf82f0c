"""The disk calls of a process, wrapped so that a `Boundary` can count and interrupt them."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from boundaries import Boundary, die

JOURNAL = "journal.jsonl"
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Memory:
    """What a power cut would take: bytes and names since the last fsync."""

    def __init__(self) -> None:
        self._durable_bytes: dict[Path, int] = {}
        self._renamed: dict[Path, tuple[Path, bytes | None]] = {}

    def opened(self, path: Path) -> None:
        self._durable_bytes.setdefault(path, path.stat().st_size)

    def renames(self, target: Path) -> None:
        self._renamed[target.parent] = (target, target.read_bytes() if target.is_file() else None)

    def synced(self, path: Path) -> None:
        if path.is_dir():
            self._renamed.pop(path, None)
        else:
            self._durable_bytes[path] = path.stat().st_size

    def lose(self, path: Path) -> None:
        """Takes away what an fsync of the file or folder would have made durable."""
        if not path.is_dir():
            os.truncate(path, min(self._durable_bytes.get(path, 0), path.stat().st_size))
        elif path in self._renamed:
            target, before = self._renamed[path]
            if before is None:
                target.unlink()
            else:
                target.write_bytes(before)


class Disk:
    """Stands in for the functions of `os` and `io` that change a disk, below the root of the boundary."""

    def __init__(self, boundary: Boundary) -> None:
        self._boundary = boundary
        self._memory = Memory()
        self._real_write, self._real_fsync, self._real_ftruncate = os.write, os.fsync, os.ftruncate
        self._real_open, self._real_fdopen, self._real_io_open = os.open, os.fdopen, io.open

    def install(self) -> None:
        os.write, os.fsync, os.ftruncate = self.write, self.fsync, self.ftruncate
        os.open, os.fdopen, io.open = self.open, self.fdopen, self.io_open
        os.rename, os.replace = self._renaming(os.rename), self._renaming(os.replace)
        os.mkdir = self._naming("folder made", os.mkdir)
        os.unlink, os.rmdir = self._naming("removal", os.unlink), self._naming("removal", os.rmdir)

    def write(self, descriptor: int, data: Any) -> int:
        path = self._named(descriptor)
        if path is None:
            return self._real_write(descriptor, data)
        kind = "journal write" if path.name == JOURNAL else "file write"
        half = bytes(data)[: len(data) // 2]
        written: int = self._boundary.disk(
            kind, path, lambda: self._real_write(descriptor, data), lambda: self._real_write(descriptor, half)
        )
        return written

    def fsync(self, descriptor: int) -> None:
        path = self._named(descriptor)
        if path is None:
            return self._real_fsync(descriptor)
        way = self._boundary.meets("fsync", path.name)
        if way == "lost":
            self._memory.lose(path)
        if way in ("before", "lost"):
            die()
        if way == "broken":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self._real_fsync(descriptor)
        self._memory.synced(path)
        return None

    def ftruncate(self, descriptor: int, length: int) -> None:
        path = self._named(descriptor)
        if path is None:
            self._real_ftruncate(descriptor, length)
        else:
            self._boundary.disk("truncation", path, lambda: self._real_ftruncate(descriptor, length))

    def open(self, path: Any, flags: int, *more: Any, **named: Any) -> int:
        inside = None if isinstance(path, int) else self._boundary.below(path)
        if inside is None or not flags & _WRITES:
            return self._real_open(path, flags, *more, **named)

        def really() -> int:
            return self._real_open(path, flags, *more, **named)

        if flags & os.O_CREAT and not inside.exists():
            descriptor: int = self._boundary.disk("file created", inside, really)
        elif self._boundary.read_only:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        else:
            descriptor = really()
        self._memory.opened(inside)
        return descriptor

    def fdopen(self, descriptor: int, mode: str = "r", *more: Any, **named: Any) -> Any:
        if mode != "wb" or self._named(descriptor) is None:
            return self._real_fdopen(descriptor, mode, *more, **named)
        return io.BufferedWriter(Raw(descriptor, self.write))

    def io_open(self, file: Any, mode: str = "r", *more: Any, **named: Any) -> Any:
        if mode != "wb" or isinstance(file, int) or self._boundary.below(file) is None:
            return self._real_io_open(file, mode, *more, **named)
        descriptor = self.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        return io.BufferedWriter(Raw(descriptor, self.write))

    def _named(self, descriptor: int) -> Path | None:
        """The path of an open file or folder below the root."""
        if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            return None
        return self._boundary.below(os.readlink(f"/proc/self/fd/{descriptor}"))  # noqa: PTH115 - may be no path

    def _naming(self, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        """A call that makes or removes one name; one that would find nothing to do is let through."""

        def wrapped(path: Any, *more: Any, **named: Any) -> Any:
            inside = self._boundary.below(path) if "dir_fd" not in named else None
            if inside is None or (kind == "folder made") == os.path.lexists(path):
                return real(path, *more, **named)
            return self._boundary.disk(kind, inside, lambda: real(path, *more, **named))

        return wrapped

    def _renaming(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(source: Any, target: Any, **named: Any) -> Any:
            inside = self._boundary.below(target)
            if inside is None:
                return real(source, target, **named)
            self._memory.renames(inside)
            return self._boundary.disk("rename", inside, lambda: real(source, target, **named))

        return wrapped


class Raw(io.FileIO):
    """The unbuffered end of a file object whose writes go through the disk above."""

    def __init__(self, descriptor: int, write: Callable[[int, Any], int]) -> None:
        super().__init__(descriptor, "wb")
        self._write = write

    def write(self, data: Any) -> int:
        return self._write(self.fileno(), data)
