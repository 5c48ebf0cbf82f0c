"""Where the app finds studies, and what it shows of one: its report so far, or what it would cost. Reads only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ceopt_tui.errors import CeoptError
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.study.outputs import kept_outputs, mark_read, read_replies
from ceopt_tui.study.places import ARTIFACTS, DEFAULT_OUTPUT, output_folder
from ceopt_tui.study.planning import plan_study
from ceopt_tui.study.starting import recorded_report
from ceopt_tui.ui.study_text import study_text
from schemas.study_loading import STUDY_NAME

PATTERNS = ("*", "*/*", "*/*/*")  # folders below the repository that may hold a study
MOST_STUDIES = 50
NEXT = """\
Nothing is measured yet. In a shell:

    ceopt study freeze {place}    and commit what it writes
    ceopt study run {place}
"""


@dataclass(frozen=True)
class StudyPlace:
    """One study: how it is called on screen, its folder, the output that is shown."""

    name: str
    folder: Path
    output: str


class StudySource(Protocol):
    """Finds studies and tells of one; may take long, so it is called off the event loop."""

    def places(self) -> Sequence[StudyPlace]: ...

    def text(self, place: StudyPlace) -> str: ...

    def version(self, place: StudyPlace) -> object:
        """Something else once there is more to tell."""

    def outputs(self, place: StudyPlace) -> Sequence[Path]:
        """The raw replies that can be read."""

    def opened(self, place: StudyPlace, output: Path) -> str:
        """The text of one, which is on record as read from then on."""


class StudyFiles:
    """The studies of one repository. `environ` says which models its names mean."""

    def __init__(self, root: Path, environ: Mapping[str, str]) -> None:
        self._root = root
        self._environ = environ

    def places(self) -> Sequence[StudyPlace]:
        """Every study, and every output of it, by path."""
        files = sorted({file for pattern in PATTERNS for file in self._root.glob(f"{pattern}/{STUDY_NAME}")})
        own = [
            file.parent
            for file in files
            if not any(part.startswith(".") for part in file.relative_to(self._root).parts)
        ]
        return [place for folder in own[:MOST_STUDIES] for place in self._outputs(folder)]

    def text(self, place: StudyPlace) -> str:
        """The report so far; before the first call its price and the way on; what is wrong with it where it is."""
        try:
            if (output_folder(place.folder, place.output) / JOURNAL_NAME).exists():
                return study_text(recorded_report(place.folder, place.output))
            plan = plan_study(place.folder, self._environ, place.output)
            shown = place.folder.relative_to(self._root)
            return "\n".join([f"Question   {plan.loaded.study.question}", *plan.lines(), "", NEXT.format(place=shown)])
        except CeoptError as error:
            return str(error)

    def version(self, place: StudyPlace) -> object:
        """Grows with every record, and with every reply that is read."""
        folder = output_folder(place.folder, place.output)
        try:
            return (folder / JOURNAL_NAME).stat().st_size, len(read_replies(folder))
        except OSError:
            return None

    def outputs(self, place: StudyPlace) -> Sequence[Path]:
        """By target, case and text."""
        return kept_outputs(output_folder(place.folder, place.output))

    def opened(self, place: StudyPlace, output: Path) -> str:
        """The reply with what is no text in it made visible by the screen. StorageError where it cannot be read."""
        mark_read(output_folder(place.folder, place.output), output)
        return output.read_bytes().decode("utf-8", "replace")

    def _outputs(self, folder: Path) -> list[StudyPlace]:
        name = folder.relative_to(self._root).as_posix()
        found = sorted(path.parent.name for path in (folder / ARTIFACTS).glob(f"*/{JOURNAL_NAME}"))
        several = len(found) > 1
        return [
            StudyPlace(f"{name}, {output}" if several else name, folder, output) for output in found or [DEFAULT_OUTPUT]
        ]
