"""Says at once that a run is in use, before a second of imports. A guess: whoever opens a run takes its lock.

Must stay light: nothing here may load pydantic, litellm or git.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from ceopt_tui.errors import CeoptError
from ceopt_tui.journal.folders import state_folder
from ceopt_tui.journal.lock import refuse_if_held

_NAME = re.compile(rb"""^["']?name["']?[ \t]*:[ \t]*["']?([a-z0-9-]+)["']?[ \t]*(?:#.*)?\r?$""", re.MULTILINE)


PRUNE_SUFFIX = "-prune"  # of a pruning run's name: it has a state and a branch of its own


def refuse_if_busy(spec: Path, state_root: Path | None, environ: Mapping[str, str], *, suffix: str = "") -> None:
    """BusyError when the run of `spec` is held. Says nothing of a spec it cannot read; the real reading does."""
    folder = likely_folder(spec, state_root, environ, suffix=suffix)
    if folder is not None:
        refuse_if_held(folder)


def likely_folder(spec: Path, state_root: Path | None, environ: Mapping[str, str], *, suffix: str = "") -> Path | None:
    """The state folder of the run that `spec` names, by that line alone: the rest of the spec may be broken."""
    try:
        found = _NAME.search(spec.read_bytes())
        root = _repository_root(spec.resolve().parent)
        name = f"{found[1].decode()}{suffix}" if found else ""
        return state_folder(name, root, state_root=state_root, environ=environ) if name and root else None
    except (OSError, CeoptError):
        return None


def _repository_root(folder: Path) -> Path | None:
    return next((above for above in (folder, *folder.parents) if (above / ".git").exists()), None)
