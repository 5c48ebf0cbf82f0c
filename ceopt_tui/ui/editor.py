"""Hands the terminal to the person's own editor and takes back what they wrote. Knows no screen."""

from __future__ import annotations

import asyncio
import os
import shlex
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from textual.app import SuspendNotSupported

from ceopt_tui.errors import SetupError
from ceopt_tui.shell import in_browser

NO_EDITOR = "Set EDITOR, for example `export EDITOR=nano`, and start ceopt again."
# How editors take a line: `+12 FILE`, `--goto FILE:12`, `FILE:12`; others are given the file alone.
_PLUS = frozenset(
    {"vi", "vim", "nvim", "view", "nano", "pico", "emacs", "emacsclient", "joe", "jed", "mg", "kak", "ne"}
)
_GOTO = frozenset({"code", "codium", "cursor"})
_COLON = frozenset({"hx", "helix", "micro", "subl", "zed"})


class Suspends(Protocol):
    """An app that can leave the terminal to another program for a while."""

    def suspend(self) -> AbstractContextManager[None]: ...


async def edit_text(app: Suspends, text: str, name: str) -> str:
    """What the person made of `text` in $VISUAL or $EDITOR, every byte of it. SetupError when nothing came of it.

    `name` gives the file its ending, by which editors know a syntax.
    """
    command = _editor()
    with tempfile.TemporaryDirectory(prefix="ceopt-edit-") as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(text.encode("utf-8"))
        status = await _run(app, [*command, str(path)])
        if status:
            raise SetupError(f"the editor ended with status {status}, so nothing was taken over")
        try:
            return path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SetupError("what the editor left cannot be read as UTF-8 text") from error


async def open_file(app: Suspends, path: Path, line: int) -> None:
    """Opens the person's own file at a line, where their editor is known to take one. SetupError when it cannot be."""
    command = _editor()
    status = await _run(app, [*command, *_at_line(Path(command[0]).name, path, line)])
    if status:
        raise SetupError(f"the editor ended with status {status}")


def _at_line(editor: str, path: Path, line: int) -> list[str]:
    if editor in _PLUS:
        return [f"+{line}", str(path)]
    if editor in _GOTO:
        return ["--goto", f"{path}:{line}"]
    return [f"{path}:{line}" if editor in _COLON else str(path)]


def _editor() -> list[str]:
    """The command of $VISUAL or $EDITOR. SetupError where there is none, or nothing to show it on."""
    if in_browser():
        raise SetupError("your editor cannot be opened in a browser", "Go on with this run in a terminal to use it.")
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    if not command:
        raise SetupError("no editor is set", NO_EDITOR)
    return command


async def _run(app: Suspends, command: list[str]) -> int:
    """Runs it on the terminal that ceopt was started in; gives its exit status."""
    try:
        with app.suspend():
            process = await asyncio.create_subprocess_exec(*command)
            return await process.wait()
    except SuspendNotSupported as error:
        raise SetupError("this terminal cannot be left to an editor", "Start ceopt in a terminal.") from error
    except OSError as error:
        raise SetupError(f"the editor {command[0]} cannot be started: {error.strerror}", NO_EDITOR) from error
