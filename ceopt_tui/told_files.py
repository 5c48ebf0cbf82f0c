"""Files that a skill or an agent's instructions tell their reader to open, and that are not there for it.

A model without tools cannot open them, and an agent's folder does not hold them: what is measured is then the text
without a part of it. Reads no contents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ceopt_tui.project import Project

READ_WITH_TOOLS = frozenset({"skill", "agents"})
_PATH = re.compile(r"(?<![\w/.-])(?:\./)?[\w.-]+(?:/[\w.-]+)*\.[A-Za-z]{1,5}\b")
_MOST = 40


def unsent_files(project: Project) -> tuple[str, ...]:
    """Paths from the repository's root, in the order in which the texts name them."""
    target = project.spec.target
    if target is None or target.kind not in READ_WITH_TOOLS or project.spec.runner.kind == "command":
        return ()
    known = {*project.texts, *project.references}
    root = project.repository.root
    return tuple(dict.fromkeys(path for path in _named(project, root) if path not in known))[:_MOST]


def _named(project: Project, root: Path) -> Iterator[str]:
    for place, text in project.texts.items():
        folder = PurePosixPath(place).parent
        for match in _PATH.finditer(text):
            path = (folder / match[0]).as_posix()
            if (root / path).is_file():
                yield path
