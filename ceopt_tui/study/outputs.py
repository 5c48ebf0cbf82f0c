"""Replies kept for a person to read, a folder for each target. On request alone; nothing is scored from them."""

from __future__ import annotations

from pathlib import Path

from ceopt_tui.core.study.cells import Cell
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import storage_error

OUTPUTS = "outputs"


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
