"""The reply cache on disk: JSON text by the hash of a logical request. The only module that imports diskcache.

Rows are text and nothing else. diskcache would unpickle what it finds, so a row of any other kind is refused unread.
The cache never fails a run: whatever is wrong with it costs calls, and is said once.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import diskcache

CACHE_VERSION = 1
LOCK_WAIT_S = 2.0  # another process may hold the file; the event loop waits with us
_BYTES_IN_ONE_ROW = 2**31 - 1  # above any reply: values never go to files of their own
_UNLIMITED = 2**62

_FAULTS = (OSError, sqlite3.Error, diskcache.Timeout)


class RefusedRow(Exception):
    """A row that is not plain text; reading it any further could run code."""


class TextDisk(diskcache.Disk):  # type: ignore[misc]
    """Stores text in the database itself and refuses every other kind of row, pickles first of all."""

    def store(self, value: Any, read: bool, key: Any = diskcache.UNKNOWN) -> Any:
        if read or not isinstance(value, str):
            raise RefusedRow("only text is stored")
        return super().store(value, read, key)

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> str:
        if mode != diskcache.core.MODE_RAW or filename is not None or not isinstance(value, str):
            raise RefusedRow("a row is not plain text")
        return value

    def put(self, key: Any) -> tuple[Any, bool]:
        if not isinstance(key, str):
            raise RefusedRow("only text keys are stored")
        return key, True

    def get(self, key: Any, raw: bool) -> Any:
        if not raw:
            raise RefusedRow("a key is not plain text")
        return key


def canonical_key(value: Any) -> str:
    """SHA-256 of canonical JSON: equal values give equal keys whatever the order of their fields."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


class ReplyCache:
    """JSON objects by key in `folder`, without expiry or eviction; several processes may share it.

    `warn` hears at most one message of each kind. After a fault the cache is off for the rest of the process.
    """

    def __init__(self, folder: Path, warn: Callable[[str], None] | None = None) -> None:
        self.folder = folder
        self._warn = warn or (lambda message: None)
        self._said: set[str] = set()
        self._writable = True
        self._cache: diskcache.Cache | None = self._open()

    def get(self, key: str) -> dict[str, Any] | None:
        """The stored object, or None: absent, damaged and refused rows are all misses."""
        if self._cache is None:
            return None
        try:
            text = self._cache.get(key)
        except RefusedRow:
            self._say("refused", f"the cache at {self.folder} holds rows that ceopt did not write; they are ignored")
            return None
        except _FAULTS as error:
            self._give_up(error)
            return None
        if not isinstance(text, str):
            return None
        with suppress(ValueError):
            value = json.loads(text)
            if isinstance(value, dict):
                return value
        return None

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Store one object; a failure costs a later call and nothing else."""
        if self._cache is None or not self._writable:
            return
        try:
            self._cache.set(key, json.dumps(value, ensure_ascii=True, allow_nan=False))
        except diskcache.Timeout:
            return
        except (OSError, sqlite3.Error) as error:
            self._writable = False
            self._say("read-only", f"replies are not cached: {self.folder} cannot be written ({error})")

    def close(self) -> None:
        """Close the database; later look-ups are misses."""
        if self._cache is not None:
            self._cache.close()
            self._cache = None

    def _open(self) -> diskcache.Cache | None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.chmod(0o700)
        except OSError as error:
            self._say("read-only", f"replies are not cached: {self.folder} cannot be used ({error.strerror})")
            return None
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            return self._reopen(error)
        except _FAULTS as error:
            self._say("read-only", f"replies are not cached: {self.folder} cannot be used ({error})")
            return None

    def _connect(self) -> diskcache.Cache:
        cache = diskcache.Cache(
            str(self.folder),
            timeout=LOCK_WAIT_S,
            disk=TextDisk,
            disk_min_file_size=_BYTES_IN_ONE_ROW,
            eviction_policy="none",
            size_limit=_UNLIMITED,
            cull_limit=0,
            statistics=0,
            tag_index=0,
        )
        with cache.transact(retry=False):  # reads the header for certain, and finds out whether writing is possible
            cache.get("")
        return cache

    def _reopen(self, error: sqlite3.DatabaseError) -> diskcache.Cache | None:
        """A damaged database is moved aside for whoever wants to look at it; a locked or read-only one is not."""
        if isinstance(error, sqlite3.OperationalError):
            self._say("read-only", f"replies are not cached: {self.folder} cannot be used ({error})")
            return None
        aside = _free_name(self.folder)
        try:
            for suffix in ("", "-wal", "-shm"):
                source = self.folder / f"cache.db{suffix}"
                if source.exists():
                    source.rename(aside.with_name(aside.name + suffix))
            self._say("damaged", f"the reply cache was damaged; it was moved to {aside} and a new one begun")
            return self._connect()
        except _FAULTS as second:
            self._say("read-only", f"replies are not cached: {self.folder} cannot be used ({second})")
            return None

    def _give_up(self, error: Exception) -> None:
        self._say("fault", f"replies are not cached any more: {self.folder} cannot be read ({error})")
        self.close()

    def _say(self, kind: str, message: str) -> None:
        if kind not in self._said:
            self._said.add(kind)
            self._warn(message)


def _free_name(folder: Path) -> Path:
    number = 1
    while (folder / f"cache.db.damaged-{number}").exists():
        number += 1
    return folder / f"cache.db.damaged-{number}"
