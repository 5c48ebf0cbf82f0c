"""What a scheduled job is: one unattended start of one run, as a command for a shell. Holds no key; starts nothing."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.early import PRUNE_SUFFIX
from ceopt_tui.errors import SetupError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.run_options import WAKE_VARIABLE
from ceopt_tui.schedule.interval import Interval

LOG_NAME = "schedule.log"  # in the state folder
BASE_PATH = ("/usr/local/bin", "/usr/bin", "/bin")


@dataclass(frozen=True)
class Job:
    """One run that is started again and again. All paths are absolute."""

    run: str
    executable: Path
    spec: Path
    root: Path  # of the repository
    state: Path  # the run's state folder
    environment_file: Path  # NAME=value lines: keys and models, kept out of the job itself
    interval: Interval
    max_minutes: int
    search_path: str
    options: tuple[str, ...] = ()  # of the run: where its state is, which models
    prune: bool = False

    @property
    def id(self) -> str:
        return job_id(self.spec, prune=self.prune)

    @property
    def log(self) -> Path:
        return self.state / LOG_NAME

    @property
    def words(self) -> tuple[str, ...]:
        """The command without its executable and its spec."""
        return ("--unattended", "--max-minutes", str(self.max_minutes), *self.options)

    @property
    def command(self) -> str:
        """The start itself."""
        verb = "prune" if self.prune else "run"
        return shlex.join((str(self.executable), verb, str(self.spec), *self.words))

    def wake(self, scheduler: str) -> str:
        """What a start is told of the next one."""
        return f"{scheduler}, every {self.interval}"

    def script(self, scheduler: str, *, reads_environment: bool) -> str:
        """One line of `sh`, each path in it once: environment file where the scheduler does not read it, log, command.

        `exec` leaves ceopt's own exit status and hands it the scheduler's signals. Where the repository is gone
        nothing is made, and the scheduler is told so.
        """
        state, root, keys = (shlex.quote(str(path)) for path in (self.state, self.root, self.environment_file))
        found = f'keys={keys}; if [ -r "$keys" ]; then set -a; . "$keys"; set +a; fi; '
        told = f"PATH={shlex.quote(self.search_path)} {WAKE_VARIABLE}={shlex.quote(self.wake(scheduler))}"
        start = f"{found if reads_environment else ''}exec env {told} {self.command}"
        gone = f'{{ echo "ceopt: no repository is at $root" >&2; exit {ExitStatus.REFUSED:d}; }}'
        there = f'root={root}; cd "$root" 2>/dev/null && [ -e .git ] || {gone}'
        return f'state={state}; {there}; mkdir -p "$state" && {{ date -u; {start}; }} >>"$state"/{LOG_NAME} 2>&1'


def job_id(spec: Path, *, prune: bool) -> str:
    """The job's name, from the spec's place alone: a job is found again when its spec is gone or broken."""
    readable = re.sub(r"[^a-z0-9]+", "-", spec.name.lower()).strip("-").removesuffix("-yaml")[:40]
    return f"ceopt-{readable}{PRUNE_SUFFIX if prune else ''}-{hashlib.sha256(os.fsencode(spec)).hexdigest()[:8]}"


def mark(job_id: str) -> str:
    """The first line of a file that this job may replace and remove."""
    return f"# {job_id}: made by `ceopt schedule`"


def refuse_unwritable(job: Job) -> None:
    """SetupError when a path holds a control character: no scheduler's file could hold it on its line."""
    for text in (
        str(job.spec),
        str(job.root),
        str(job.state),
        str(job.environment_file),
        job.search_path,
        *job.options,
    ):
        if any(ord(character) < 32 for character in text):
            raise SetupError(f"{text!r} holds a control character, so no schedule can name it")


def own_executable(environ: Mapping[str, str]) -> Path:
    """The installed `ceopt` that runs now: a scheduler does not have the user's PATH."""
    beside = Path(sys.executable).with_name("ceopt")
    if os.access(beside, os.X_OK):
        return beside
    found = shutil.which("ceopt", path=environ.get("PATH"))
    if found is None:
        raise SetupError("the ceopt command is not installed beside this Python nor on the PATH")
    return Path(found).absolute()


def search_path(environ: Mapping[str, str], programs: Sequence[str] = ()) -> str:
    """A PATH for the job: the system's folders, and those of git and of `programs` when they are elsewhere."""
    found = (shutil.which(program, path=environ.get("PATH")) for program in ("git", *programs))
    folders = [str(Path(program).absolute().parent) for program in found if program]
    return ":".join(dict.fromkeys((*folders, *BASE_PATH)))
