"""Carries out on files what a reply wants done: everything, or nothing where any of it may not be or cannot be done.

Whatever is wrong is found before the first byte is written; what a write that fails has left is taken back.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ceopt_tui.core.figures import counted
from ceopt_tui.core.ports import ProposalRefused, Refusal
from ceopt_tui.journal.disk import FULL_DISK, storage_error
from schemas.paths import covers, repository_path
from texttargets.edits import apply_edits
from texttargets.proposers.code_reply import CodeChange

Contents = Mapping[str, bytes | None]


def wanted_files(
    change: CodeChange, shown: Mapping[str, str], mutable: Sequence[str], folder: Path, most_edits: int
) -> Contents:
    """What each file that changes is to hold, by path; None takes it away. ProposalRefused names every fault."""
    count = len(change.edits) + len(change.written) + len(change.deleted)
    if count == 0:
        raise ProposalRefused([Refusal("no_edits_applied", "the reply holds no edit")])
    if count > most_edits:
        raise ProposalRefused([Refusal("edit_budget", f"{counted(count, 'edit')}, at most {most_edits} allowed")])
    if faults := [*_faults(change, shown, mutable, folder)]:
        raise ProposalRefused(faults)
    edited = apply_edits(shown, change.edits, most_edits) if change.edits else shown
    texts = {path: text for path, text in edited.items() if text != shown[path]} | dict(change.written)
    contents = {path: _encoded(path, text) for path, text in texts.items()}
    return {**contents, **dict.fromkeys(change.deleted)}


def write_files(folder: Path, contents: Contents) -> None:
    """Writes all of them, or puts back what was there and raises ProposalRefused, or StorageError on a full disk."""
    before: dict[Path, bytes | None] = {}
    made: list[Path] = []
    for path, content in contents.items():
        place = folder / path
        try:
            before[place] = place.read_bytes() if place.exists() else None
            for parent in reversed([one for one in place.parents if not one.exists()]):
                parent.mkdir()
                made.append(parent)
            if content is None:
                place.unlink()
            else:
                place.write_bytes(content)
        except OSError as error:
            _put_back(before, made)
            if error.errno in FULL_DISK:
                raise storage_error(error, place) from error
            refusal = Refusal("out_of_scope", f"{path} cannot be written: {error.strerror or error}")
            raise ProposalRefused([refusal]) from error


def _put_back(before: Mapping[Path, bytes | None], made: Sequence[Path]) -> None:
    for place, content in before.items():
        with suppress(OSError):  # the checkout is thrown away; what matters is that no half of a change counts
            if content is None:
                place.unlink(missing_ok=True)
            else:
                place.write_bytes(content)
    for folder in reversed(made):
        with suppress(OSError):
            folder.rmdir()


def _faults(change: CodeChange, shown: Mapping[str, str], mutable: Sequence[str], folder: Path) -> Iterator[Refusal]:
    edited = dict.fromkeys(str(edit.path) for edit in change.edits)
    new = [path for path, _ in change.written]
    asked = Counter([*edited, *new, *change.deleted])
    for path, times in asked.items():
        if fault := _out_of_scope(path, mutable, folder):
            yield fault
        elif times > 1:
            yield Refusal("edit_overlap", f"{path} is edited, written or deleted more than once; say each file once")
        elif path in new and (folder / path).exists():
            yield Refusal("file_exists", f"{path} is there already; change it by search and replace")
        elif path in new and any((folder / parent).is_file() for parent in Path(path).parents):
            yield Refusal("out_of_scope", f"{path} would lie below a file")
        elif path not in new and path not in shown:
            yield Refusal("edit_not_found", f"{path} is no file that was shown")


def _out_of_scope(path: str, mutable: Sequence[str], folder: Path) -> Refusal | None:
    try:
        repository_path(path)
    except ValueError as error:
        return Refusal("out_of_scope", f"{path!r}: {error}")
    if path != posixpath.normpath(path) or not path.isprintable():
        return Refusal("out_of_scope", f"{path!r} is not how a path is written: name files as they are shown")
    if not any(covers(scope, path) for scope in mutable):
        return Refusal("out_of_scope", f"{path} may not be changed")
    try:
        inside = not (folder / path).is_symlink() and (folder / path).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError) as error:  # too long a name, or links in a circle
        return Refusal("out_of_scope", f"{path}: {error}")
    return None if inside else Refusal("out_of_scope", f"{path} is or lies behind a link")


def _encoded(path: str, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ProposalRefused([Refusal("not_text", f"{path}: half a character cannot be written")]) from error
