"""What a cleaning would take away and what it leaves, each thing by its own name with the reason. Removes nothing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.core.figures import rounded


@dataclass(frozen=True)
class Thing:
    """One file, folder or branch, named in full; `why` it goes or stays."""

    name: str
    why: str
    size_bytes: int | None = None

    def __str__(self) -> str:
        size = "" if self.size_bytes is None else f" ({size_words(self.size_bytes)})"
        return f"{self.name}{size}: {self.why}"


@dataclass(frozen=True)
class Inventory:
    """Everything that was looked at."""

    goes: Sequence[Thing]
    stays: Sequence[Thing]


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files below a folder; nothing behind a link is counted."""
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum(
        (Path(folder) / name).lstat().st_size for folder, _, names in os.walk(path, followlinks=False) for name in names
    )


def size_words(size_bytes: int) -> str:
    """A size as people read it: 812 bytes, 4.1 kB, 23 MB."""
    if size_bytes < 1000:
        return f"{size_bytes} byte{'' if size_bytes == 1 else 's'}"
    power = next((power for power in (1, 2, 3) if size_bytes < 999.5 * 1000**power), 4)
    size = size_bytes / 1000**power
    return f"{rounded(size, 1 if size < 9.95 else 0)} {('kB', 'MB', 'GB', 'TB')[power - 1]}"
