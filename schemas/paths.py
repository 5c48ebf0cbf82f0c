"""Paths as a spec writes them: relative to the repository, with forward slashes, never leaving it."""

from __future__ import annotations

import posixpath
import re
import shlex
from pathlib import PurePosixPath

_DRIVE = re.compile(r"[A-Za-z]:")


def repository_path(text: str) -> str:
    """`text` itself. Raises ValueError for a path that is absolute, leaves the repository or reaches into .git."""
    if text.startswith(("/", "~")) or _DRIVE.match(text):
        raise ValueError(f'must be relative to the repository, not "{text}"')
    if "\\" in text:
        raise ValueError(f'must use forward slashes, not "{text}"')
    parts = PurePosixPath(text).parts
    if ".." in parts:
        raise ValueError(f'must stay inside the repository; ".." is not allowed in "{text}"')
    if any(part.lower() == ".git" for part in parts):  # some disks do not tell .GIT from it
        raise ValueError(f'must not reach into .git: "{text}"')
    return text


def covers(folder: str, path: str) -> bool:
    """Whether `path` is `folder` or lies below it."""
    outer, inner = PurePosixPath(posixpath.normpath(folder)), PurePosixPath(posixpath.normpath(path))
    return outer == PurePosixPath(".") or outer == inner or outer in inner.parents


def command_files(command: str, working_directory: str = ".") -> tuple[str, ...]:
    """The words of a shell command that look like files of the repository, as paths from its root."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    found = [word for word in words if _looks_like_file(word)]
    return tuple(dict.fromkeys(posixpath.normpath(posixpath.join(working_directory, word)) for word in found))


def _looks_like_file(word: str) -> bool:
    if not re.fullmatch(r"[\w./-]+\.\w+|[\w.-]+(/[\w.-]+)+/?", word) or word.startswith(("-", "/")):
        return False
    return ".." not in PurePosixPath(word).parts and not re.fullmatch(r"[-+]?[0-9.]+", word)
