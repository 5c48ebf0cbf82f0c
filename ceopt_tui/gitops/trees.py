"""Commits built beside the user's index: a tree from a temporary index, a commit by ceopt, no hook, no checkout."""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ceopt_tui.errors import GitError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.journal.disk import storage_error

INDEX_PREFIX = "ceopt-index-"  # of the folder of each throw-away index
INDEX_FILES = ("index", "index.lock")


@contextmanager
def temporary_index(repository: Repository, tree: str) -> Iterator[Mapping[str, str]]:
    """An index of its own that holds `tree`, as the environment that makes git use it."""
    folder = _index_folder(repository.scratch)
    try:
        env = {"GIT_INDEX_FILE": str(folder / "index")}
        repository.git("read-tree", tree, env=env)
        yield env
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def clear_scratch(repository: Repository) -> None:
    """Removes the throw-away indexes of a run that was killed; only for who holds that run's lock."""
    scratch = repository.scratch
    if scratch is not None and scratch.is_dir() and not scratch.is_symlink():
        shutil.rmtree(scratch, ignore_errors=True)


def _index_folder(scratch: Path | None) -> Path:
    try:
        if scratch is not None:
            scratch.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=INDEX_PREFIX, dir=scratch))
    except OSError as error:
        raise storage_error(error, scratch or Path(tempfile.gettempdir())) from error


def tree_of(repository: Repository, commit: str) -> str:
    """The tree of a commit."""
    return repository.git("rev-parse", "--verify", f"{commit}^{{tree}}").strip()


def commit_index(repository: Repository, index: Mapping[str, str], parent: str, message: str) -> str | None:
    """Commits what `index` holds on top of `parent`; None when that changes nothing. Moves no branch."""
    tree = repository.git("write-tree", env=index).strip()
    if tree == tree_of(repository, parent):
        return None
    # Ideas come from models and programs: half a character is no UTF-8, and git takes no NUL in a message.
    text = (message.replace("\0", " ").rstrip() + "\n").encode("utf-8", "replace")
    return repository.git("commit-tree", "--no-gpg-sign", "-p", parent, "-F", "-", tree, input=text).strip()


def put_files(repository: Repository, index: Mapping[str, str], files: Mapping[str, bytes | None]) -> None:
    """Sets the exact bytes of each path in `index`, keeping its mode; None takes the path out."""
    entries = []
    for path, content in files.items():
        if content is None:
            entries.append(f"0 {'0' * len(repository.head())}\t{path}\0")
            continue
        blob = repository.git("hash-object", "-w", "--stdin", input=content).strip()
        entries.append(f"{_mode(repository, index, path)} {blob}\t{path}\0")
    put_entries(repository, index, "".join(entries))


def put_entries(repository: Repository, index: Mapping[str, str], entries: str) -> None:
    """Adds or removes entries in the form of `git update-index -z --index-info`."""
    encoded = entries.encode("utf-8", "surrogateescape")
    repository.git("update-index", "-z", "--index-info", input=encoded, env=index)


def _mode(repository: Repository, index: Mapping[str, str], path: str) -> str:
    listed = repository.git("ls-files", "--stage", "-z", "--", path, env=index)
    mode, _, rest = listed.partition(" ")
    if not listed:
        return "100644"
    if mode not in {"100644", "100755"} or rest.partition("\t")[2] != f"{path}\0":
        raise GitError(f"{path} is a link or a folder in git, so its content cannot be replaced")
    return mode
