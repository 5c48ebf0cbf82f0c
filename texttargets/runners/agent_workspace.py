"""The folder an agent finds on a case: the texts under test where it looks for such texts, and nothing else.

Placing is arithmetic on paths; `write_snapshot` alone touches the disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Literal

from ceopt_tui.agent_clis.dialect import Dialect
from ceopt_tui.errors import SetupError

TextKind = Literal["prompt", "template", "skill", "agents"]
SKILL_FILE = "SKILL.md"
_INSTRUCTIONS = frozenset({"AGENTS.md", "CLAUDE.md"})
_AT_ROOT = PurePosixPath()


def snapshot_of(
    kind: TextKind, texts: Mapping[str, str], references: Mapping[str, str], dialect: Dialect
) -> dict[str, str]:
    """Path in the agent's folder -> content. A prompt is told and not placed; what it refers to is."""
    if kind == "skill":
        return _placed(_skill_places(texts, dialect.skills), {**texts, **references})
    if kind == "agents":
        top = _top(texts)
        placed = _placed([(top, _AT_ROOT)], {**texts, **references})
        return {_own_name(path, dialect.instructions): text for path, text in placed.items()}
    return _placed([], references)


def snapshot_digest(snapshot: Mapping[str, str]) -> str:
    """SHA-256 of all places and their exact bytes."""
    digest = hashlib.sha256()
    for path in sorted(snapshot):
        for part in (path.encode(), _bytes(snapshot[path])):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def write_snapshot(folder: Path, snapshot: Mapping[str, str]) -> None:
    """Writes exact bytes; what begins as a script can be run. SetupError where a path would lead out of the folder."""
    for path, text in snapshot.items():
        place = PurePosixPath(path)
        if place.is_absolute() or ".." in place.parts:
            raise SetupError(f"`{path}` cannot be put into the agent's folder: it leads out of it")
        file = folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_bytes(text))
        if text.startswith("#!"):
            file.chmod(0o755)


def _bytes(text: str) -> bytes:
    """Text as it was on disk; bytes that are no text came in as halves of surrogate pairs and go out as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _skill_places(texts: Mapping[str, str], skills: str) -> list[tuple[PurePosixPath, PurePosixPath]]:
    """(folder in the repository, folder at the agent's) of every skill, the deepest first."""
    folders = sorted((PurePosixPath(path).parent for path in texts if PurePosixPath(path).name == SKILL_FILE), key=str)
    named = [(folder, PurePosixPath(skills, _skill_name(folder, texts))) for folder in folders]
    return sorted(named, key=lambda pair: -len(pair[0].parts))


def _skill_name(folder: PurePosixPath, texts: Mapping[str, str]) -> str:
    """A skill goes by its folder's name; one at the root of its repository by the name it gives itself."""
    if folder.name:
        return folder.name
    lines = texts[SKILL_FILE].splitlines()[:40]
    said = next((line.partition(":")[2].strip().strip("\"'") for line in lines if line.startswith("name:")), "")
    return PurePosixPath(said).name or "skill"


def _top(texts: Mapping[str, str]) -> PurePosixPath:
    """The folder all instructions have in common: the agent's folder stands for it."""
    parents = [PurePosixPath(path).parent for path in sorted(texts)]
    top = parents[0]
    while not all(parent.is_relative_to(top) for parent in parents):
        top = top.parent
    return top


def _placed(moves: list[tuple[PurePosixPath, PurePosixPath]], contents: Mapping[str, str]) -> dict[str, str]:
    """Files under their new folders; one that belongs to none keeps its place in the repository."""
    found: dict[str, str] = {}
    for path, text in contents.items():
        file = PurePosixPath(path)
        move = next((pair for pair in moves if file.is_relative_to(pair[0])), None)
        place = move[1] / file.relative_to(move[0]) if move else file
        found[place.as_posix()] = text
    return found


def _own_name(path: str, instructions: str) -> str:
    """Instructions under the name that this agent looks for."""
    file = PurePosixPath(path)
    return (file.parent / instructions).as_posix() if file.name in _INSTRUCTIONS else path
