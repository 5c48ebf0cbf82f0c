"""What a person made of the app: their keys and theme from config.yaml, and the theme last chosen in the app.

The config file is theirs and is only read; what the app remembers has a file of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs
from textual.theme import BUILTIN_THEMES

from ceopt_tui.errors import InputError, Problem
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.ui.keymap import keymap_of
from judges.user_config import user_config
from schemas.problems import closest, problem_at

LONGEST_NAME = 100


@dataclass(frozen=True)
class Settings:
    """Keys by binding id; `theme` is "" for the app's own. `memory` is where a chosen theme is kept, if anywhere."""

    keymap: Mapping[str, str] = field(default_factory=dict)
    theme: str = ""
    by_config: bool = False  # the config file names the theme, so it holds again at the next start
    memory: Path | None = None


def theme_file() -> Path:
    """Where the theme that was chosen in the app is remembered."""
    return platformdirs.user_state_path("ceopt") / "theme"


def read_settings(config: Path, memory: Path) -> Settings:
    """The person's settings. Raises InputError with every problem of the config file, each with its line."""
    said, document = user_config(config)
    problems: list[Problem] = []

    def fault(name: str, what: str) -> None:
        problems.append(problem_at(document, ("keys", name), what))

    keymap = keymap_of(said.keys, fault)
    if said.theme and said.theme not in BUILTIN_THEMES:
        near = closest(said.theme, BUILTIN_THEMES)
        meant = f" Did you mean {near}?" if near else ""
        known = ", ".join(sorted(BUILTIN_THEMES))
        problems.append(problem_at(document, ("theme",), f"there is no theme {said.theme}.{meant} There are {known}"))
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line))
    return Settings(keymap, said.theme or remembered_theme(memory), bool(said.theme), memory)


def remembered_theme(memory: Path) -> str:
    """The theme last chosen; "" when none was, or it is not known any more."""
    try:
        name = memory.read_bytes()[:LONGEST_NAME].decode("utf-8", "replace").strip()
    except OSError:
        return ""
    return name if name in BUILTIN_THEMES else ""


def remember_theme(memory: Path, name: str) -> None:
    """Raises StorageError."""
    try:
        memory.parent.mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # where no folder can be made there is nothing to remember in
    write_atomic(memory, f"{name}\n".encode())
