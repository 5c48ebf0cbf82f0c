"""Disks of a known size, or that cannot be written, for tests that need real ones; skips where none can be made."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str = "1m") -> Iterator[Path]:
    """A file system of `size` in memory at `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={size}", "ceopt-test", str(folder))
    try:
        yield folder
    finally:
        _unmount(folder)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """The folder, with all that is in it, as on a disk that cannot be written."""
    _mount("--bind", str(folder), str(folder))
    try:
        _mount("-o", "remount,ro,bind", str(folder))
        yield
    finally:
        _unmount(folder)


def fill(folder: Path) -> None:
    """Takes up what is left of the disk of `folder`; removing the file `ballast` makes room again."""
    with (folder / "ballast").open("wb", buffering=0) as stream:
        for block in (65536, 4096, 1):
            with suppress(OSError):
                while stream.write(b"\0" * block):
                    pass


def _mount(*args: str) -> None:
    done = subprocess.run(["mount", *args], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")


def _unmount(folder: Path) -> None:
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
