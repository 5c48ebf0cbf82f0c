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

# Longest first: the mark of UTF-32 begins with that of UTF-16.
_MARKS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
          (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_SAMPLE = 4096  # bytes, a whole number of characters in every encoding
_MOSTLY = 0.4
_HEAD = 40  # records


@dataclass(frozen=True)
class Row:
    """One record. A key that is absent was not given; `notes` say what of the record was left out."""

    line: int
    values: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    why_passed: str = "passed"
    """What is said when the record is left out because it is no failure."""
    of_run: bool = False
    """Whether it records an output of a run; then it is said when nothing tells whether that was right."""


@dataclass(frozen=True)
class BadRow:
    """A record that cannot be read; it stops the import unless bad lines are skipped."""

    line: int
    reason: str


@dataclass(frozen=True)
class LeftOut:
    """A sound record that is no failure of the text, such as an outage of the provider.

    `cause` is the reason in a few words that records share; `filtered` whether the user's own filter left it aside.
    """

    line: int
    reason: str
    cause: str = ""
    filtered: bool = False

    @property
    def kind_of_reason(self) -> str:
        """By what it is counted: the cause, else the reason without the name of the record before it."""
        return self.cause or self.reason.rpartition(": ")[2]


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
        wide = None if self.encoding else _wide_encoding(self.data)
        if wide:
            raise self.fault(f"not UTF-8: it looks like {wide.upper()}", 1)
        try:
            return self.data.decode(self.encoding or "utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise self.fault(self.undecodable(error.start), self.data.count(b"\n", 0, error.start) + 1) from None
        except LookupError:
            raise InputError([Problem(self.name, 0, "encoding", f"{self.encoding!r} is no known encoding")]) from None

    @cached_property
    def _opening(self) -> str:
        """The first character that is not blank."""
        if self.encoding is not None:
            return self.text.lstrip()[:1]
        return self.data[:_SAMPLE].lstrip(b"\xef\xbb\xbf \t\r\n\0")[:1].decode("latin-1")

    @cached_property
    def document(self) -> Any:
        """The whole file as one JSON value, or None when it is something else."""
        if self._opening not in ("{", "["):
            return None
        try:
            return loads(self.text)
        except (ValueError, InputError):
            return None

    @cached_property
    def head(self) -> tuple[Mapping[str, Any], ...]:
        """The first objects of a JSON list or of JSON Lines, or the one object the file is; empty for everything else.

        Only for telling the format: what cannot be read is passed over.
        """
        found = self.document
        if found is None and self._opening == "{":
            lines = self.data.split(b"\n", _HEAD) if self.encoding is None else self.text.encode().split(b"\n", _HEAD)
            found = [_object(line) for line in lines[:_HEAD]]
        objects = found[:_HEAD] if isinstance(found, list) else [found]
        return tuple(item for item in objects if isinstance(item, dict))

    def undecodable(self, position: int) -> str:
        """The message for a byte that is not part of the encoding."""
        return f"not {(self.encoding or 'UTF-8').upper()}: byte 0x{self.data[position]:02X} at {position}"

    def fault(self, message: str, line: int = 0) -> InputError:
        """An error about this file; names the way out when the encoding is in question."""
        hint = ""
        if message.startswith("not UTF") or (message.startswith("not ") and "byte 0x" in message):
            guess = _wide_encoding(self.data) or "cp1252"
            hint = f"Name the encoding of the file, for example --encoding {guess}."
        return InputError([Problem(self.name, line, "", message)], hint)


def _object(line: bytes) -> Any:
    try:
        return loads(line.decode("utf-8-sig").strip(" \t\r"))
    except ValueError:
        return None


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32, told by its mark or by where its NUL bytes stand; None for everything else."""
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    if marked:
        return marked
    sample = data[: min(_SAMPLE, len(data) // 4 * 4)]
    often = _MOSTLY * len(sample) / 4
    first, second, third, last = (sample[at::4].count(0) for at in range(4))
    if min(second, third) > often > min(first, last):  # NULs everywhere are a write that was never finished
        return "utf-32-le" if last > first else "utf-32-be"
    if min(second, last) > often and not first + third:
        return "utf-16-le"
    if min(first, third) > often and not second + last:
        return "utf-16-be"
    return None
