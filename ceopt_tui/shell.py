"""What a process owes the shell that started it: signals it was told to ignore stay ignored, its streams may vanish.

A window is closed, a reader of a pipe leaves, the disk under a log is full: none of it may stop a run that was paid
for, so what cannot be written is dropped. Textual in addition writes from a thread that dies of the first failed write;
its queue fills, and then the whole app stands still with the run's lock in its hand.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

WEB_DRIVER = "ceopt_tui.ui.web_driver:ServedDriver"  # how `ceopt serve` has the app speak to a page


def in_browser() -> bool:
    """Was this process started for a tab of `ceopt serve`?"""
    return os.environ.get("TEXTUAL_DRIVER") == WEB_DRIVER


def has_screen() -> bool:
    """Can a person see the app and press its keys: on a terminal, or in a browser?"""
    return in_browser() or (sys.stdin.isatty() and sys.stdout.isatty())


class VanishingStream:
    """A text stream whose writes never fail; all else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except UnicodeEncodeError:  # a terminal of another script
            encoding = self._stream.encoding
            return self.write(text.encode(encoding, "backslashreplace").decode(encoding))
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
def outliving_its_streams() -> Iterator[None]:
    """While this holds, nothing that writes to the terminal, a pipe or a log is stopped by its being gone or full."""
    kept = sys.__stderr__, sys.stderr, sys.stdout
    wrapped: list[Any] = [VanishingStream(stream) if stream is not None else None for stream in kept]
    sys.__stderr__, sys.stderr, sys.stdout = wrapped  # type: ignore[misc]
    try:
        yield
    finally:
        sys.__stderr__, sys.stderr, sys.stdout = kept  # type: ignore[misc]
        for stream in (sys.stdout, sys.stderr):
            if stream is not None and not flushed(stream):
                drop(stream)


def flushed(stream: TextIO) -> bool:
    """Is all that was written to the stream where it belongs?"""
    try:
        stream.flush()
    except OSError:
        return False
    return True


def drop(stream: TextIO) -> None:
    """Lets what the stream still holds go: the interpreter would try it again as it ends, and fail with a status."""
    with suppress(OSError, ValueError):  # some streams have no file behind them
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        stream.flush()


def heeded(numbers: Iterable[signal.Signals]) -> list[signal.Signals]:
    """Those signals that this process was not started to ignore, as under `nohup` or in a shell's background."""
    return [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
