"""Which files of a run a person may want in their editor, and at which line. Reads them; writes none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.files import REPORT_NAME
from ceopt_tui.ui.entries import RunEntry

_AT = re.compile(r":(\d+):")  # as problems of a file name their line


@dataclass(frozen=True)
class FileAt:
    """A file, and the line to open it at."""

    path: Path
    line: int = 1


def files_of(entry: RunEntry, state: RunState, number: int | None = None) -> list[FileAt]:
    """Texts as they stand in the repository, spec and report, as far as they are there.

    A text opens where the candidate of experiment `number` parts from it, the spec at what is wrong with it.
    """
    found = [*_texts(state, number)]
    if entry.options is not None:
        found.append(FileAt(entry.options.spec_path))
    elif entry.place and entry.fault:
        at = _AT.search(entry.fault)
        found.append(FileAt(entry.folder, int(at[1]) if at else 1))
    found.append(FileAt(entry.folder / REPORT_NAME))
    return [file for file in found if file.path.is_file()]


def _texts(state: RunState, number: int | None) -> Iterator[FileAt]:
    if state.started is None:
        return
    experiment = state.experiments.get(number) if number is not None else None
    digest = experiment.text_digest if experiment else None
    candidate = state.texts.get(digest, {}) if digest else {}
    for name in sorted(state.started.texts):
        path = Path(state.started.repository) / name
        yield FileAt(path, _parting(path, candidate[name]) if name in candidate else 1)


def _parting(path: Path, text: str) -> int:
    """The first line in which the file and `text` differ; 1 where they do not, or the file cannot be read."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return 1
    pairs = enumerate(zip_longest(lines, text.splitlines()), 1)
    found = next((line for line, (own, other) in pairs if own != other), 1)
    return max(1, min(found, len(lines)))
