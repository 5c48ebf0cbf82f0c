"""The files an editor of code may change, as a model is shown them: whole where they fit, by name where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LARGEST_FILE = 100_000  # characters; a larger one is named and not shown
MOST_SHOWN = 240_000  # characters of all files together
MOST_FILES = 200


@dataclass(frozen=True)
class CodeFiles:
    """Texts by path, and what is there and could not be shown, with the reason."""

    texts: dict[str, str]
    left_out: tuple[str, ...] = ()


def code_files(folder: Path, mutable: Sequence[str]) -> CodeFiles:
    """Reads what lies at or below the mutable paths, small files first; links and binary files are never shown."""
    texts: dict[str, str] = {}
    left_out: list[str] = []
    shown = 0
    found = sorted({path for scope in mutable for path in _below(folder, scope)}, key=lambda path: _size(folder, path))
    for path in found:
        reason, text = _text(folder / path)
        if not reason and (len(texts) >= MOST_FILES or shown + len(text) > MOST_SHOWN):
            reason = "no room"
        if reason:
            left_out.append(f"{path} ({reason})")
            continue
        texts[path] = text
        shown += len(text)
    return CodeFiles(dict(sorted(texts.items())), tuple(sorted(left_out)))


def _below(folder: Path, scope: str) -> list[str]:
    place = folder / scope
    if not place.resolve().is_relative_to(folder.resolve()):
        return []  # a link leads out of the checkout: what lies there is nobody's to show
    if place.is_file():
        return [Path(scope).as_posix()]
    root = folder.resolve()
    files = (
        path
        for path in place.rglob("*")
        if path.is_file()
        and ".git" not in path.relative_to(folder).parts
        and (path.is_symlink() or path.resolve().is_relative_to(root))
    )
    return [path.relative_to(folder).as_posix() for path in files]


def _size(folder: Path, path: str) -> tuple[int, str]:
    return (folder / path).lstat().st_size, path


def _text(path: Path) -> tuple[str, str]:
    """(why it is not shown, its exact text)."""
    if path.is_symlink():
        return "a link", ""
    if path.stat().st_size > LARGEST_FILE:
        return "too large", ""
    data = path.read_bytes()
    if b"\0" in data:
        return "binary", ""
    try:
        return "", data.decode("utf-8")
    except UnicodeDecodeError:
        return "not UTF-8", ""
