"""Unit files of systemd's user manager: read, written, removed where they bear a job's mark; and telling systemd."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ceopt_tui.errors import SetupError
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import storage_error, sync_folder

_LIMIT_S = 30.0


def units_folder(environ: Mapping[str, str]) -> Path:
    """Where the user manager looks for units of the user."""
    config = environ.get("XDG_CONFIG_HOME", "")
    base = Path(config) if config.startswith("/") else Path(environ.get("HOME") or Path.home()) / ".config"
    return base / "systemd" / "user"


def read_units(folder: Path, names: Sequence[str], mark: str) -> dict[str, str]:
    """Those of the units that are there. SetupError for a link, and for a file that does not begin with `mark`."""
    found = {}
    for name in names:
        path = folder / name
        if not path.is_symlink() and not path.exists():
            continue
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() and not path.is_symlink() else ""
        if text.partition("\n")[0] != mark:
            raise SetupError(f"{path} was not made by this command, so it stays as it is", "Move it away.")
        found[name] = text
    return found


def write_units(folder: Path, texts: Mapping[str, str]) -> None:
    """Writes the unit files, each whole."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(error, folder) from error
    for name, text in texts.items():
        write_atomic(folder / name, text.encode("utf-8", "surrogateescape"))


def remove_units(folder: Path, names: Sequence[str]) -> None:
    """Removes unit files that `read_units` has vouched for."""
    for name in names:
        with suppress(FileNotFoundError):
            (folder / name).unlink()
    sync_folder(folder)


def systemctl(environ: Mapping[str, str], *arguments: str) -> str:
    """Runs `systemctl --user`; gives why it failed, or nothing when it did not."""
    command = ["systemctl", "--user", *arguments]
    try:
        done = subprocess.run(
            command, env=dict(environ), stdin=subprocess.DEVNULL, capture_output=True, timeout=_LIMIT_S, check=False
        )
    except FileNotFoundError:
        return "there is no systemctl here"
    except subprocess.TimeoutExpired:
        return f"systemctl did not answer for {_LIMIT_S:.0f} s"
    return done.stderr.decode("utf-8", "replace").strip() or "systemctl failed" if done.returncode else ""
