"""What the engine's worker and the screens tell the app. Values only; handlers alone touch widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.ui.files_at_hand import FileAt


@dataclass
class RunChanged(Message):
    """The state of the run at work has moved on; only the latest matters."""

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, RunChanged)


@dataclass
class TickEnded(Message):
    """The engine has ended its tick."""


@dataclass
class HungUp(Message):
    """The browser's tab was closed, or what serves it has gone."""


@dataclass
class NewRunWanted(Message):
    """The person wants to set a run up."""


@dataclass
class StudiesWanted(Message):
    """The person wants to see a study."""


@dataclass
class IdeaWanted(Message):
    """The person has an idea for the run on the screen."""


@dataclass
class QuestionAsked(Message):
    """The run waits for a person's answer."""


@dataclass
class QuestionGone(Message):
    """The question was answered, or its run has stopped."""


@dataclass
class RunsRead(Message):
    """The runs of the repository, read from their journals; `fault` says why they could not be."""

    entries: Sequence[RunEntry]
    fault: str = ""


@dataclass
class RunRead(Message):
    """One run, read again from its journal; `before` is what was known of it."""

    entry: RunEntry
    before: RunEntry


@dataclass
class RunOpened(Message):
    """The person wants to see this run; `start` also sets it to work."""

    entry: RunEntry
    start: bool = False


@dataclass
class RunWanted(Message):
    """The person wants the shown run to go on."""


@dataclass
class WrapUpWanted(Message):
    """The person wants to choose what comes of the shown run, which has ended."""


@dataclass
class PullRequestWanted(Message):
    """The person wants to read the pull-request text of the shown run."""


@dataclass
class StopWanted(Message):
    """The person wants the run at work to stop."""


@dataclass
class EndWanted(Message):
    """The person wants the shown run to end for good, with its report."""


@dataclass
class StartOverWanted(Message):
    """The person wants a new run in place of the shown one."""


@dataclass
class AnswerWanted(Message):
    """The person wants to see the waiting question."""


@dataclass
class ReloadWanted(Message):
    """The list of runs is to be read again."""


@dataclass
class ReportWanted(Message):
    """The person wants the report of the shown run."""


@dataclass
class ThemesWanted(Message):
    """The person wants to see what the judge finds wrong in the shown run."""


@dataclass
class EvalSetWanted(Message):
    """The person wants to see the cases a run is measured on."""

    entry: RunEntry


@dataclass
class CoverageWanted(Message):
    """The person wants to see which rules the cases guard: those of a spec, or of a run whose spec is gone."""

    name: str
    options: RunOptions | None
    folder: Path


@dataclass
class RereadWanted(Message):
    """The shown run is worked on elsewhere: its journal is to be read again."""


@dataclass
class FilesWanted(Message):
    """The person wants one of these files in their editor."""

    files: Sequence[FileAt]


@dataclass
class CopyWanted(Message):
    """The person wants this text on the clipboard; `what` says what it is."""

    text: str
    what: str
