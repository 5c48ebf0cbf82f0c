"""What a proposer's command brings: the files it changed, and what it says of its money. Nothing is repaired."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.core.figures import counted
from ceopt_tui.core.ports import ProposalRefused, Refusal
from ceopt_tui.errors import InputError
from schemas.spec_target import REQUEST_NAME
from texttargets.excerpt import on_one_line
from texttargets.strict_json import loads
from texttargets.target_file import read_target

LARGEST_TEXT_BYTES = 4_000_000
LARGEST_CLAIM = 1_000_000_000  # a larger sum or count is a slip, not an account
FILES_NAMED = 3
UNCHANGED = "the command left the text as it was"


@dataclass(frozen=True)
class Claim:
    """What a command says of itself; None where it says nothing that is a number."""

    note: str = ""
    usd: float | None = None
    calls: int | None = None


def claim_in(stdout: str) -> Claim:
    """The claim on the last line that is not blank, where that line is a JSON object."""
    last = next((line for line in reversed(stdout.split("\n")) if line.strip()), "")
    try:
        said = loads(last)
    except ValueError:
        return Claim()
    if not isinstance(said, dict):
        return Claim()
    note, usd, calls = said.get("note"), said.get("usd"), said.get("calls")
    return Claim(
        note if isinstance(note, str) else "",
        float(usd) if isinstance(usd, int | float) and _is_amount(usd) else None,
        calls if isinstance(calls, int) and _is_amount(calls) else None,
    )


def changed_texts(folder: Path, texts: Mapping[str, str]) -> dict[str, str]:
    """The target files whose content is another now. Raises ProposalRefused for anything else that was done."""
    if others := [path for path in _files(folder) if path not in {*texts, REQUEST_NAME}]:
        more = f" and {counted(len(others) - FILES_NAMED, 'more file')}" if len(others) > FILES_NAMED else ""
        named = ", ".join(on_one_line(path) for path in others[:FILES_NAMED])
        raise _refused("out_of_scope", f"{named}{more}: not a file of the target; a scratch folder is in $TMPDIR")
    changed = {path: text for path in texts if (text := _read(folder / path, path)) != texts[path]}
    if not changed:
        raise _refused("no_edits_applied", UNCHANGED)
    return changed


def _files(folder: Path) -> Iterator[str]:
    """Everything that is not a real folder, by its place in the request folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()


def _read(path: Path, shown: str) -> str:
    try:
        state = path.lstat()
    except OSError as error:
        raise _refused("out_of_scope", f"{shown} is gone; a target file may be changed, never removed") from error
    if not stat.S_ISREG(state.st_mode):
        raise _refused("out_of_scope", f"{shown} is no regular file any more")
    if state.st_size > LARGEST_TEXT_BYTES:
        raise _refused("too_long", f"{shown} has {state.st_size:,} bytes, at most {LARGEST_TEXT_BYTES:,} are read")
    try:
        return read_target(path, shown).text
    except InputError as error:
        raise _refused("out_of_scope", str(error.problems[0])) from error


def _is_amount(value: float) -> bool:
    return not isinstance(value, bool) and 0 <= value <= LARGEST_CLAIM


def _refused(code: str, message: str) -> ProposalRefused:
    return ProposalRefused([Refusal(code, message)])
