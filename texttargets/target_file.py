"""The text under test as it lies on disk: exact characters in, exact bytes out.

Nothing here may normalise: mark, line ends, tabs, trailing spaces and a missing last newline belong to the user.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.errors import InputError, Problem

BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True)
class TargetFile:
    """One target file; `path` is the name the spec gives it."""

    path: str
    text: str

    @property
    def for_model(self) -> str:
        """The text as a model may see it: the same, without byte-order marks."""
        return for_model(self.text)

    @property
    def data(self) -> bytes:
        """The bytes that belong on disk."""
        return self.text.encode("utf-8")


def for_model(text: str) -> str:
    """Text without U+FEFF, everything else as it is."""
    return text.replace(BYTE_ORDER_MARK, "")


def read_target(path: Path, name: str | None = None) -> TargetFile:
    """Read a target file exactly.

    Raises InputError when it is missing, unreadable or not UTF-8; the message gives the offset of the first wrong byte.
    """
    shown = name if name is not None else str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError([Problem(shown, 0, "", f"cannot be read: {error.strerror or error}")]) from error
    return TargetFile(shown, decode_text(data, shown))


def decode_text(data: bytes, shown: str) -> str:
    """Decode strictly as UTF-8; InputError names the file, line, first wrong byte and its offset from 0."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"not UTF-8: byte 0x{data[error.start]:02X} at {error.start}"
        problem = Problem(shown, line, "", message)
        raise InputError([problem], hint="Save the file as UTF-8 and try again.") from error


def text_digest(texts: Mapping[str, str]) -> str:
    """SHA-256 over all paths and their exact bytes, whatever the order of the mapping."""
    digest = hashlib.sha256()
    for path in sorted(texts):
        for part in (path, texts[path]):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
    return digest.hexdigest()
