"""Weights from the model hub, fetched by a child process that is given up after five silent seconds.

The hub's client is heavy, retries by itself and has no overall deadline; in a child it costs the app nothing.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ceopt_tui.errors import SetupError
from judges.local_model.catalogue import LocalModel

ANSWER_TIMEOUT_S = 5.0
STALL_TIMEOUT_S = 60.0
POLL_S = 0.5

Progress = Callable[[int, int, str], None]


def download_from_hub(
    model: LocalModel,
    folder: Path,
    progress: Progress,
    command: Sequence[str] = (sys.executable, "-m", "judges.local_model.hub_process"),
    answer_timeout_s: float = ANSWER_TIMEOUT_S,
) -> Path:
    """The downloaded file, not yet verified; SetupError when the hub does not answer or stops sending."""
    progress(0, model.size_bytes, "asking the model hub")
    with _child([*command, model.hub_repository, model.hub_file, str(folder)]) as lines:
        message = _next_message(lines, answer_timeout_s)
        if message is None:
            raise SetupError(f"The model hub did not answer within {answer_timeout_s:g} s.")
        deadline, arrived = time.monotonic() + STALL_TIMEOUT_S, 0
        while message is None or "file" not in message:
            if message is not None and "found" not in message:
                raise SetupError(f"The model hub cannot be used: {message.get('error', 'its download broke off')}")
            if (size := _bytes_in(folder)) > arrived:
                deadline, arrived = time.monotonic() + STALL_TIMEOUT_S, size
            if time.monotonic() > deadline:
                raise SetupError(f"The model hub sent nothing for {STALL_TIMEOUT_S:g} s.")
            progress(min(arrived, model.size_bytes), model.size_bytes, "from the model hub")
            message = _next_message(lines, POLL_S)
        return Path(str(message["file"]))


@contextmanager
def _child(command: Sequence[str]) -> Iterator[queue.Queue[str]]:
    """Runs a child whose lines arrive on a queue, an empty one last; it never outlives the block."""
    lines: queue.Queue[str] = queue.Queue()
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as child:
        assert child.stdout is not None
        stream = child.stdout

        def pump() -> None:
            for line in stream:
                lines.put(line)
            lines.put("")

        reader = threading.Thread(target=pump, daemon=True)
        reader.start()
        try:
            yield lines
        finally:
            child.kill()
            reader.join()


def _next_message(lines: queue.Queue[str], timeout_s: float) -> dict[str, object] | None:
    """The child's next message, {} when it ended or said something else, None when it said nothing in time."""
    try:
        message = json.loads(lines.get(timeout=timeout_s))
    except queue.Empty:
        return None
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}


def _bytes_in(folder: Path) -> int:
    sizes = 0
    for path in folder.rglob("*"):
        try:
            sizes += path.stat().st_size if path.is_file() else 0
        except OSError:  # renamed between listing and asking
            continue
    return sizes
