"""Scores what a program left in its folder: commands that must end with 0, hidden tests put in when it has ended.

Commands run in a copy of the folder, with a minimal environment and a time limit; nothing of it stays.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from ceopt_tui.core.ports import RunResult
from ceopt_tui.core.study.scoring import Scored
from ceopt_tui.errors import InputError, Problem
from ceopt_tui.programs import Workplace, program_environment, run_program, workplace
from schemas.evalset import Case
from schemas.study_cases import GateAnswer, OutcomeAnswer, StudyCase
from schemas.study_loading import LoadedStudy

COMMAND_S = 60.0
FOLDER = "left"


class Worker(Protocol):
    """A harness that works in a folder."""

    async def work(
        self,
        texts: Mapping[str, str],
        case: Case,
        sample: int,
        files: Mapping[str, str],
        look: Callable[[Path], None],
    ) -> RunResult:
        """One start with these files in its folder; `look` sees the folder before it goes."""


@dataclass(frozen=True)
class Outcome:
    """A score, and the share of regression commands that pass where there are any."""

    scored: Scored
    regression: float | None = None


@dataclass
class Left:
    """A copy of what a program left behind."""

    place: Workplace
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    @property
    def folder(self) -> Path:
        """Where the copy is."""
        return self.place.root / FOLDER

    @property
    def is_there(self) -> bool:
        """Was anything left?"""
        return self.folder.is_dir()

    def take(self, folder: Path) -> None:
        """Copies the folder. Links go: one that leads out would have tests written elsewhere, or foreign files read."""
        shutil.copytree(folder, self.folder, symlinks=True, ignore=_links, dirs_exist_ok=True)

    def put(self, files: Mapping[str, bytes]) -> None:
        """Writes files over what is there, whatever is there."""
        for name, raw in files.items():
            path = self.folder / PurePosixPath(name)
            for parent in path.relative_to(self.folder).parents:
                if (self.folder / parent).is_file():
                    (self.folder / parent).unlink()
            if path.is_dir():
                shutil.rmtree(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(raw)
            if raw.startswith(b"#!"):
                path.chmod(0o755)

    async def passing(self, commands: Sequence[str]) -> list[str]:
        """The commands that end with 0, each in the folder as the one before left it."""
        environment = program_environment(self.environ, ()) | {"HOME": str(self.place.scratch)}
        found = []
        for command in commands:
            ended = await run_program(command, self.place, environment, timeout_s=COMMAND_S, cwd=self.folder)
            if ended.status == 0 and not ended.fault:
                found.append(command)
        return found


@contextmanager
def left_behind() -> Iterator[Left]:
    """A place for one copy, gone afterwards."""
    with workplace() as place:
        yield Left(place)


async def outcome(loaded: LoadedStudy, case: StudyCase, left: Left) -> Outcome:
    """The score of what was left behind on this case."""
    answer = case.answer
    if isinstance(answer, GateAnswer):
        passed = await left.passing(answer.commands)
        told = f"{len(passed)} of {len(answer.commands)} commands pass"
        return Outcome(Scored(float(len(passed) == len(answer.commands)), told))
    assert isinstance(answer, OutcomeAnswer)
    kept = await left.passing(answer.regression)
    left.put(loaded.tree(answer.tests))
    passed = await left.passing(answer.hidden)
    told = f"{len(passed)} of {len(answer.hidden)} hidden, {len(kept)} of {len(answer.regression)} regression"
    regression = len(kept) / len(answer.regression) if answer.regression else None
    return Outcome(Scored(len(passed) / len(answer.hidden), told), regression)


async def require_sound_work(loaded: LoadedStudy) -> None:
    """InputError for every case whose known good files do not pass, or whose naive ones pass what they must not."""
    problems = [
        Problem(str(loaded.folder), 0, "", f"the case {case.id}: {fault}")
        for case in loaded.cases
        if case.is_work
        for fault in await _faults(loaded, case)
    ]
    if problems:
        raise InputError(problems, "Change the case: what it measures now is not what it means to.")


async def _faults(loaded: LoadedStudy, case: StudyCase) -> list[str]:
    answer = case.answer
    assert isinstance(answer, GateAnswer | OutcomeAnswer)
    found = []
    golden = await _tried(loaded, case, answer.golden)
    if golden.scored.score != 1 or golden.regression not in (None, 1.0):
        found.append(f"its golden files do not pass everything: {golden.scored.detail}")
    naive = await _tried(loaded, case, answer.naive if isinstance(answer, OutcomeAnswer) else None)
    what = "its naive files" if isinstance(answer, OutcomeAnswer) else "its files as they are"
    if naive.scored.score == 1:
        found.append(f"{what} pass everything, so nothing is measured")
    if naive.regression not in (None, 1.0):
        found.append(f"{what} fail a regression command; they may fail hidden ones only")
    return found


async def _tried(loaded: LoadedStudy, case: StudyCase, over: str | None) -> Outcome:
    with left_behind() as left:
        left.folder.mkdir()
        left.put(loaded.tree(case.files or ""))
        left.put(loaded.tree(over) if over is not None else {})
        return await outcome(loaded, case, left)


def _links(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if Path(folder, name).is_symlink()]
