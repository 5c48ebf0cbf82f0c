"""Replies kept for a person to read, a folder for each target, and which of them were read.

On request alone; nothing is scored from them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from ceopt_tui.core.study.cells import Cell
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import storage_error

OUTPUTS, READ = "outputs", "read.jsonl"


class OutputFiles:
    """The replies of one output."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / OUTPUTS

    def keep(self, cell: Cell, attempt: str, reply: str) -> None:
        """Writes one reply, named by case, text, repeat and attempt."""
        folder = self._folder / cell.target.id
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(error, folder) from error
        name = f"{cell.case.id}.{cell.text}.{cell.repeat}#{attempt.rpartition('#')[2]}.txt"
        write_atomic(folder / name, reply.encode("utf-8", "surrogatepass"))


def kept_outputs(folder: Path) -> Sequence[Path]:
    """The replies kept in an output, by target and case."""
    return sorted(path for path in (folder / OUTPUTS).glob("*/*.txt") if path.is_file())


def mark_read(folder: Path, path: Path) -> None:
    """Puts on record that a person opened this reply; told by its bytes, so that another reply is not taken for it."""
    file = folder / OUTPUTS / READ
    line = json.dumps({"sha256": _sha256(path), "file": path.relative_to(folder / OUTPUTS).as_posix()})
    try:
        known = file.read_text("utf-8") if file.exists() else ""
        if line not in known.splitlines():
            write_atomic(file, f"{known}{line}\n".encode())
    except OSError as error:
        raise storage_error(error, file) from error


def read_replies(folder: Path) -> frozenset[str]:
    """SHA-256 of every reply that a person opened; what cannot be read is nothing."""
    file, found = folder / OUTPUTS / READ, set()
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return frozenset()
    for line in lines:
        try:
            found.add(str(json.loads(line)["sha256"]))
        except (ValueError, KeyError, TypeError):
            continue
    return frozenset(found)


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise storage_error(error, path) from error
