"""How large the reply cache is, and emptying it. By SQL on its rows and by its files' own names.

The cache's own clearing would delete whatever file a row names; a row is not believed here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.errors import StorageError

DATABASE = "cache.db"
_BESIDE = ("", "-wal", "-shm")  # a database and what SQLite keeps beside it
_WAIT_S = 5.0


@dataclass(frozen=True)
class CacheSize:
    """What is kept of models' replies."""

    replies: int | None  # None when the database cannot be read
    size_bytes: int


def cache_size(folder: Path) -> CacheSize:
    """Replies and bytes of the cache in `folder`, its damaged predecessors included."""
    database = folder / DATABASE
    size_bytes = sum(path.lstat().st_size for path in (*_files(folder, DATABASE), *_damaged(folder)))
    return CacheSize(_count(database) if _is_plain(database) else 0, size_bytes)


def clear_replies(folder: Path) -> None:
    """Forgets every reply; other processes may go on using the cache. StorageError when that cannot be done."""
    database = folder / DATABASE
    for path in _damaged(folder):
        path.unlink()
    if not _is_plain(database):
        return
    try:
        with closing(sqlite3.connect(database, timeout=_WAIT_S, isolation_level=None)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("DELETE FROM Cache")
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error as error:
        raise StorageError(f"{database} cannot be emptied: {error}", "Is a run using it? Try again later.") from error


def _count(database: Path) -> int | None:
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", timeout=_WAIT_S, uri=True)) as connection:
            found: int = connection.execute("SELECT COUNT(*) FROM Cache").fetchone()[0]
            return found
    except sqlite3.Error:
        return None


def _damaged(folder: Path) -> Iterator[Path]:
    """Databases that were moved aside, in the order they were: the numbers have no gap."""
    number = 1
    while _is_plain(folder / f"{DATABASE}.damaged-{number}"):
        yield from _files(folder, f"{DATABASE}.damaged-{number}")
        number += 1


def _files(folder: Path, name: str) -> list[Path]:
    return [path for suffix in _BESIDE if _is_plain(path := folder / f"{name}{suffix}")]


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
