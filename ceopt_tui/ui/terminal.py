"""A terminal may vanish while the app writes to it: the window is closed, the connection drops.

Textual writes from a thread that dies of the first failed write; its queue fills, and then the whole app stands still
with the run's lock in its hand. So what cannot be written any more is dropped.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any


class VanishingTerminal:
    """A text stream whose writes never fail; all else is the stream's own."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            return

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def outliving_the_terminal() -> Iterator[None]:
    """While this holds, nothing that writes to the terminal is stopped by its being gone."""
    kept = sys.__stderr__, sys.stderr, sys.stdout
    wrapped: list[Any] = [VanishingTerminal(stream) if stream is not None else None for stream in kept]
    sys.__stderr__, sys.stderr, sys.stdout = wrapped  # type: ignore[misc]
    try:
        yield
    finally:
        sys.__stderr__, sys.stderr, sys.stdout = kept  # type: ignore[misc]
