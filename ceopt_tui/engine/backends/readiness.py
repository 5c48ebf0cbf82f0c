"""May measurements run side by side? Advice from reading alone: the command, the files it names, its folder.

Runs nothing and decides nothing. Every experiment has a checkout of its own, so only what lies outside of it clashes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from schemas.paths import command_files

MOST_READ_BYTES = 200_000
MOST_ENTRIES = 2_000
WORKTREE_BUDGET = 12

Verdict = Literal["parallel", "serial", "ask"]

# A number that something on this machine listens at, or is reached at.
_PORT = re.compile(
    r"""
    (?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]) ["'`]? \s* [:,] \s* (\d{2,5})\b
    | (?:^|[\s"'`,(\[]) --?(?:port|p|listen|bind) (?:[\s=:"',]+) (\d{2,5})\b
    | \b [A-Z_]*PORT \s* [=:] \s* ["']? (\d{2,5})\b
    | \b listen \( \s* (\d{2,5})\b
    """,
    re.VERBOSE | re.MULTILINE,
)
_OUTSIDE = re.compile(r"""(?:~|\$HOME|/)[\w./${}-]*\.(?:sqlite3?|db|lock|pid|sock)\b""")
_DATABASE = re.compile(r"\.(?:sqlite3?|db)$", re.IGNORECASE)
_LOCK = re.compile(r"\.(?:lock|pid)$", re.IGNORECASE)
_PACKAGE_LOCKS = frozenset(
    {"bun.lock", "cargo.lock", "composer.lock", "flake.lock", "gemfile.lock", "mix.lock", "pdm.lock", "pipfile.lock",
     "pixi.lock", "poetry.lock", "pubspec.lock", "uv.lock", "yarn.lock"}
)  # fmt: skip
_ONE_OF_A_KIND = (
    ("a graphics card", re.compile(r"\b(?:nvidia-smi|cuda|CUDA_VISIBLE_DEVICES|rocm-smi|torchrun)\b", re.IGNORECASE)),
    ("containers", re.compile(r"\b(?:docker|podman|docker-compose)\b")),
    ("a database server", re.compile(r"\b(?:psql|pg_ctl|mysql|redis-cli|redis-server|mongosh?)\b")),
    ("a lock", re.compile(r"\bflock\b")),
)
_CLOCKS = re.compile(r"\b(?:hyperfine|perf stat|wrk|k6|vegeta|perf_counter|time\.time|process_time|performance\.now)\b")


@dataclass(frozen=True)
class Readiness:
    """`serial`: two at once would clash; `ask`: a person knows; `parallel`: nothing found against it."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The same for an approval, the first line with the verdict."""
        said = {
            "parallel": "nothing was found that experiments side by side would share",
            "serial": "experiments side by side would clash; write `execution: {mode: serial}`, or mend this:",
            "ask": "do experiments side by side disturb each other? You know:",
        }[self.verdict]
        return (said, *self.reasons)


def readiness(
    root: Path,
    command: str,
    working_directory: str = ".",
    shared_files: Sequence[str] = (),
    exclusive_resources: Sequence[str] = (),
    port_variable: str | None = None,
) -> Readiness:
    """What speaks against measuring side by side: in the command, the files it names, its folder, the shared files."""
    texts = {"the command": command, **dict(_read(root, command_files(command, working_directory)))}
    serial = [f"{name} is for one experiment at a time, as the spec says" for name in exclusive_resources]
    serial += _ports(texts, port_variable)
    serial += [
        f"{where} names {found}, which all of them would share"
        for where, text in texts.items()
        for found in dict.fromkeys(_OUTSIDE.findall(text))
    ]
    ask = [
        f"{where} uses {what}: is there enough of it for several?"
        for where, text in texts.items()
        for what, pattern in _ONE_OF_A_KIND
        if pattern.search(text)
    ]
    ask += [
        f"{where} takes the time ({found[0]}): neighbours at work slow each other down"
        for where, text in texts.items()
        if (found := _CLOCKS.search(text))
    ]
    ask += _files(root, working_directory, shared_files)
    return Readiness("serial" if serial else "ask" if ask else "parallel", (*serial, *ask))


def worktree_warning(existing: int, max_concurrent: int) -> str | None:
    """A word where the repository would have many checkouts at once; it stops nothing."""
    if existing + max_concurrent <= WORKTREE_BUDGET:
        return None
    return (
        f"{existing} working trees exist and up to {max_concurrent} come on top, more than {WORKTREE_BUDGET}: "
        "look at the room on the disk, and at `git worktree list`"
    )


def _ports(texts: dict[str, str], variable: str | None) -> Iterator[str]:
    """Fixed numbers; where the spec hands out ports by a variable, a file that reads it has its numbers from there."""
    for where, text in texts.items():
        numbers = dict.fromkeys(number for groups in _PORT.findall(text) for number in groups if number)
        if numbers and not (variable and variable in text):
            shown = ", ".join(numbers)
            yield f"{where} has a fixed port ({shown}): take it from a variable that `parallel.port_env_var` names"


def _read(root: Path, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The beginnings of those files that are there; whatever cannot be read says nothing."""
    for path in paths:
        try:
            place = (root / path).resolve()
            if place.is_file() and place.is_relative_to(root.resolve()):
                with place.open("rb") as file:
                    yield path, file.read(MOST_READ_BYTES).decode("utf-8", "replace")
        except (OSError, ValueError):
            continue


def _files(root: Path, working_directory: str, shared_files: Sequence[str]) -> Iterator[str]:
    """Databases and locks among the shared files and in the working folder, by name."""
    for path in shared_files:
        if kind := _kind(path):
            yield f"the shared file {path} is a {kind}: each experiment works on a copy of its own"
    try:
        entries = sorted(entry.name for entry in islice((root / working_directory).iterdir(), MOST_ENTRIES))
    except OSError:
        return
    for name in entries:
        if (kind := _kind(name)) and name not in {Path(path).name for path in shared_files}:
            yield f"{name} in the working folder is a {kind}: does the command write to it?"


def _kind(path: str) -> str | None:
    name = Path(path).name
    if _DATABASE.search(name):
        return "database file"
    return "lock file" if _LOCK.search(name) and name.lower() not in _PACKAGE_LOCKS else None
