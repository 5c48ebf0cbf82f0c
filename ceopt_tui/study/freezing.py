"""What was registered before anything was measured: the hash of every input, held against disk and git."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.core.study.scoring import SCORERS_VERSION
from ceopt_tui.errors import GitError, InputError, Problem, SetupError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.study import judging
from ceopt_tui.study.adapters import agents, api, command, mock, mock_weak
from schemas.study import PROGRAMS, BoundTarget
from schemas.study_loading import LoadedStudy

FREEZE_NAME = "freeze.json"
MANIFEST_BYTES = 8_000_000
_FREEZE = "Run `ceopt study freeze` and commit what it writes, if the change is meant; results so far stay apart."


@dataclass(frozen=True)
class Manifest:
    """Every input: files by path from the study's folder with their SHA-256, everything else by name."""

    files: Mapping[str, str]
    values: Mapping[str, str]

    def as_bytes(self) -> bytes:
        """As it stands in freeze.json, the same bytes for the same inputs."""
        return (json.dumps({"files": self.files, "values": self.values}, indent=1, sort_keys=True) + "\n").encode()

    def fingerprint(self, output: str) -> str:
        """One hash over all inputs and the name of the output."""
        whole = {"files": self.files, "values": self.values, "output": output}
        return hashlib.sha256(json.dumps(whole, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True)
class Committed:
    """The commit whose bytes a study is; `at` is when it was made."""

    commit: str
    at: str


def manifest_of(loaded: LoadedStudy) -> Manifest:
    """The manifest of the bytes that were read, and of what else decides a result."""
    study = loaded.study
    return Manifest(
        files={path: _sha256(raw) for path, raw in sorted(loaded.files.items())},
        values={
            "scorers": str(SCORERS_VERSION),
            "runners": f"api {api.VERSION}, mock {mock.VERSION}, mock-weak {mock_weak.VERSION}",
            "seed": str(study.seed),
            "k": str(study.k),
            "budget": f"{study.budget.usd} USD, {study.budget.calls} calls",
            **({"judge": f"{study.judge.family}: {study.judge.model}, {judging.VERSION}"} if study.judge else {}),
            **{f"target {target.id}": _target(target) for target in study.bound_targets},
        },
    )


def _target(target: BoundTarget) -> str:
    """A target in words; a program with what decides its answers beside its model."""
    words = f"{target.family}: {target.harness} with {target.model}"
    if target.harness not in PROGRAMS:
        return words
    given = f", given {', '.join(target.variables)}" if target.variables else ""
    version = command.VERSION if target.harness == "command" else agents.VERSION
    return f"{words}, {target.harness} {version}, {json.dumps(target.command)}, {target.timeout_s:g} s{given}"


def freeze(loaded: LoadedStudy) -> Path:
    """Writes freeze.json beside the study; gives its path."""
    path = loaded.folder / FREEZE_NAME
    write_atomic(path, manifest_of(loaded).as_bytes())
    return path


def require_frozen(loaded: LoadedStudy, repository: Repository | None) -> Committed | None:
    """The commit that holds the study as it is; None where no model is reached, which needs none.

    Raises InputError naming every file whose declared, current and committed bytes do not agree.
    """
    path = loaded.folder / FREEZE_NAME
    if repository is None and not path.exists():
        return None
    problems = list(_undeclared(path, loaded))
    if problems:
        raise InputError(problems, _FREEZE)
    if repository is None:
        return None
    commit = repository.head()
    require_committed(loaded, repository, commit)
    return Committed(commit, repository.git("show", "--no-patch", "--format=%cI", commit).strip())


def require_committed(loaded: LoadedStudy, repository: Repository, commit: str) -> None:
    """Raises InputError naming every file, freeze.json with them, whose bytes are not those of the commit."""
    current = {**loaded.files, FREEZE_NAME: manifest_of(loaded).as_bytes()}
    problems = [
        Problem(str(loaded.folder / name), 0, "", f"is not what the commit {commit[:10]} holds")
        for name, raw in current.items()
        if _committed(repository, commit, loaded.folder / name) != raw
    ]
    if problems:
        raise InputError(problems, "Commit the study before the first call: hypotheses are registered first.")


def differences(registered: Manifest, current: Manifest) -> Iterator[str]:
    """What differs between two manifests, by name."""
    for what, before, now in (
        ("", registered.files, current.files),
        ("", registered.values, current.values),
    ):
        for name in sorted(before.keys() | now.keys()):
            if before.get(name) != now.get(name):
                fate = "was added" if name not in before else "is gone" if name not in now else "was changed"
                yield f"{what}{name} {fate}"


def _undeclared(path: Path, loaded: LoadedStudy) -> Iterator[Problem]:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        yield Problem(str(path), 0, "", "is not there: the study is not frozen")
        return
    except OSError as error:
        raise SetupError(f"{path} cannot be read: {error.strerror}") from None
    current = manifest_of(loaded)
    if raw == current.as_bytes():
        return
    declared = _read(raw)
    if declared is None:
        yield Problem(str(path), 0, "", "is not what `ceopt study freeze` wrote")
        return
    found = list(differences(declared, current)) or ["the file itself was changed"]
    for difference in found:
        yield Problem(str(loaded.folder), 0, "", f"{difference} since it was frozen")


def _read(raw: bytes) -> Manifest | None:
    try:
        data = json.loads(raw[:MANIFEST_BYTES])
        files, values = data["files"], data["values"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not (isinstance(files, dict) and isinstance(values, dict)):
        return None
    return Manifest({str(k): str(v) for k, v in files.items()}, {str(k): str(v) for k, v in values.items()})


def _committed(repository: Repository, commit: str, path: Path) -> bytes | None:
    try:
        return repository.show(commit, path.resolve().relative_to(repository.root.resolve()).as_posix())
    except (GitError, ValueError):
        return None


def _sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
