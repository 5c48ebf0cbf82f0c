"""A file that comes into being only when its bytes are the pinned ones.

Everything is written beside the target and hashed on the way; a wrong file is deleted, never renamed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ceopt_tui.errors import TamperedError

CHUNK_BYTES = 1 << 20


class PinnedWriter:
    """Takes the bytes of one file in order; more than `size_bytes` of them are refused at once."""

    def __init__(self, stream: IO[bytes], size_bytes: int) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self.size_bytes = size_bytes
        self.written = 0

    def write(self, chunk: bytes) -> None:
        """Appends a chunk."""
        self.written += len(chunk)
        if self.written > self.size_bytes:
            raise TamperedError(
                f"The download is larger than the {self.size_bytes:,} bytes it must have; it was deleted."
            )
        self._digest.update(chunk)
        self._stream.write(chunk)

    def hexdigest(self) -> str:
        """SHA-256 of everything written so far."""
        return self._digest.hexdigest()


@contextmanager
def pinned_file(target: Path, size_bytes: int, sha256: str) -> Iterator[PinnedWriter]:
    """Writes `target`; on leaving, the file appears under its name only with exactly this size and digest.

    Raises TamperedError otherwise. An error inside the block also leaves nothing behind.
    """
    partial = target.with_name(f".{target.name}.partial")
    try:
        with partial.open("wb") as stream:
            writer = PinnedWriter(stream, size_bytes)
            yield writer
        if writer.written != size_bytes or writer.hexdigest() != sha256:
            raise TamperedError(
                f"The weights that arrived for {target.name} are not the published ones; they were deleted.",
                f"Expected {size_bytes:,} bytes, SHA-256 {sha256}; got {writer.written:,}, {writer.hexdigest()}.",
            )
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def copy_into(stream: IO[bytes], writer: PinnedWriter) -> Iterator[int]:
    """Copies a stream chunk by chunk and yields the number of bytes written so far after each."""
    while chunk := stream.read(CHUNK_BYTES):
        writer.write(chunk)
        yield writer.written


def is_pinned(path: Path, size_bytes: int, sha256: str) -> bool:
    """Whether the file is there with this size and digest."""
    if not path.is_file() or path.stat().st_size != size_bytes:
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == sha256
