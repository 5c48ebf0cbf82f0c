"""What the screen of a new run asks of the repository. May take long, so it is called off the event loop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ceopt_tui.gitops.repository import Repository
from ceopt_tui.new_run import Draft, Outlook, failures_in, outlook, texts_in, write_files
from ceopt_tui.run_options import RunOptions
from ceopt_tui.ui.catalogue import entry_of_spec
from ceopt_tui.ui.entries import RunEntry
from texttargets.init_spec import NewProject


class NewRunSource(Protocol):
    """Files to choose from, what a draft comes to, and its run once it is written. All may raise CeoptError."""

    @property
    def root(self) -> Path: ...

    @property
    def where(self) -> str: ...

    def texts(self) -> list[str]: ...

    def failures(self) -> list[str]: ...

    def outlook(self, draft: Draft) -> Outlook: ...

    def write(self, new: NewProject) -> RunEntry: ...


@dataclass(frozen=True)
class NewRunFiles:
    """The files of one repository; runs are started with `options`."""

    repository: Repository
    options: RunOptions

    @property
    def root(self) -> Path:
        return self.repository.root

    @property
    def where(self) -> str:
        return str(self.repository.root)

    def texts(self) -> list[str]:
        return texts_in(self.repository)

    def failures(self) -> list[str]:
        return failures_in(self.repository)

    def outlook(self, draft: Draft) -> Outlook:
        return outlook(draft, self.options.environ)

    def write(self, new: NewProject) -> RunEntry:
        write_files(new)
        return entry_of_spec(replace(self.options, spec_path=new.spec), new.spec.name)
