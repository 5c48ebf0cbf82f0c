"""What lies beside a skill in its folder: scripts and references an agent opens by itself. Reads, and edits nothing.

Bytes that are no text are kept as halves of surrogate pairs, so that they can be written again as they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ceopt_tui.errors import InputError, Problem
from ceopt_tui.runner_agent import runner_agent
from schemas.spec import Spec

SKILL_FILE = "SKILL.md"
MOST_FILES, MOST_BYTES = 300, 5_000_000
_NOT_PART = frozenset({".git", "__pycache__", "node_modules", ".DS_Store"})


def skill_files(spec: Spec, texts: Mapping[str, str], root: Path) -> dict[str, str]:
    """Place in the repository -> content, of all that lies in the folders of the target's skills and is no target.

    Nothing where no agent runs the text. InputError past the limits of number and size.
    """
    if runner_agent(spec) is None or spec.target is None or spec.target.kind != "skill":
        return {}
    found: dict[str, str] = {}
    size = 0
    for folder in sorted({(root / place).parent for place in texts if Path(place).name == SKILL_FILE}):
        for path in _files(folder, root):
            place = path.relative_to(root).as_posix()
            if place in texts:
                continue
            data = path.read_bytes()
            found[place], size = data.decode("utf-8", "surrogateescape"), size + len(data)
            if len(found) > MOST_FILES or size > MOST_BYTES:
                limit = f"{MOST_FILES} files and {MOST_BYTES // 1_000_000} MB"
                where = folder.relative_to(root).as_posix()
                what = f"holds more than {limit}, and all of it would go into every case's folder"
                raise InputError([Problem(where, 0, "", what)], "Give the skill a folder of its own.")
    return found


def _files(folder: Path, root: Path) -> Iterator[Path]:
    """Regular files in a fixed order; a link is followed where it stays in the repository."""
    if folder == root:
        return  # the whole repository is no skill's folder
    for path in sorted(folder.rglob("*")):
        inside = path.is_file() and path.resolve().is_relative_to(root.resolve())
        if inside and not _NOT_PART & set(path.relative_to(folder).parts):
            yield path
