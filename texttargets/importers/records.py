"""What an importer reads from (`Source`) and what it yields: rows, lines that are wrong, items left out on purpose.

A format is one module with `looks_like(source)` and `read(source)`; it knows nothing of cases.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ceopt_tui.errors import InputError, Problem
from texttargets.strict_json import loads

_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


@dataclass(frozen=True)
class Row:
    """One record. A key that is absent was not given; `notes` say what of the record was left out."""

    line: int
    values: Mapping[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class BadRow:
    """A record that cannot be read; it stops the import unless bad lines are skipped."""

    line: int
    reason: str


@dataclass(frozen=True)
class LeftOut:
    """A sound record that is no failure of the text, such as an outage of the provider."""

    line: int
    reason: str


Item = Row | BadRow | LeftOut


@dataclass(frozen=True)
class Source:
    """One file as bytes. `encoding` is None when the user named none: then it must be UTF-8."""

    path: Path
    data: bytes
    encoding: str | None = None

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def suffix(self) -> str:
        return self.path.suffix.lower()

    @cached_property
    def text(self) -> str:
        """The whole text without its encoding mark. Raises InputError naming the first byte that does not fit."""
        try:
            return self.data.decode(self.encoding or "utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise self.fault(self.undecodable(error.start), self.data.count(b"\n", 0, error.start) + 1) from None
        except LookupError:
            raise InputError([Problem(self.name, 0, "encoding", f"{self.encoding!r} is no known encoding")]) from None

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON value, or None when it is something else."""
        if self.data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
            return None
        try:
            return loads(self.text)
        except (ValueError, InputError):
            return None

    def undecodable(self, position: int) -> str:
        """The message for a byte that is not part of the encoding."""
        return f"not {(self.encoding or 'UTF-8').upper()}: byte 0x{self.data[position]:02X} at {position}"

    def fault(self, message: str, line: int = 0) -> InputError:
        """An error about this file; names the way out when the encoding is in question."""
        hint = ""
        if message.startswith("not ") and "byte 0x" in message:
            guess = _MARKS.get(self.data[:2], "cp1252")
            hint = f"Name the encoding of the file, for example --encoding {guess}."
        return InputError([Problem(self.name, line, "", message)], hint)
