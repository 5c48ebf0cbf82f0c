"""Where the app finds runs: the journals of a repository, and its specs that have no run yet. Reads only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.errors import CeoptError
from ceopt_tui.gitops.repository import Repository
from ceopt_tui.inputs import terms_of
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.tail import Position, read_on
from ceopt_tui.looking import FoundRun, all_runs, at_work, prunes, read_run
from ceopt_tui.run_options import RunOptions
from ceopt_tui.run_places import folder_of
from ceopt_tui.ui.entries import RunEntry
from ceopt_tui.wiring import project_of
from schemas.loading import load_spec
from schemas.records import AnyRecord

MOST_SPECS = 50
LARGEST_SPEC_BYTES = 200_000
MOST_ADDED = 2000  # records that a screen takes in at once; more would be felt as a stall
_SPEC = re.compile(rb"^(metric|target)\s*:", re.MULTILINE)


class Catalogue(Protocol):
    """Lists runs; may take long, so it is called off the event loop."""

    @property
    def where(self) -> str: ...

    def entries(self) -> Sequence[RunEntry]: ...

    def reread(self, entry: RunEntry) -> RunEntry: ...


@dataclass(frozen=True)
class NoRuns:
    """A place outside every repository."""

    where: str

    def entries(self) -> Sequence[RunEntry]:
        return ()

    def reread(self, entry: RunEntry) -> RunEntry:
        return entry


class RepositoryCatalogue:
    """The runs and specs of one repository. `options` are those every run is started with."""

    def __init__(self, start: Path, options: RunOptions) -> None:
        self.repository = self._repository = Repository.find(start)
        self.options = self._options = options
        self.where = str(self._repository.root)

    def entries(self) -> Sequence[RunEntry]:
        """Runs first, then specs that have none, each by name."""
        found = all_runs(self._repository.root, state_root=self._options.state_root, environ=self._options.environ)
        runs = [self._of_run(run) for run in found]
        return [*runs, *self._new_specs({run.name for run in runs})]

    def reread(self, entry: RunEntry) -> RunEntry:
        """The same run as its journal stands now; the very same entry when nothing has changed.

        What was only added comes as `added`: the state belongs to the screens, which take it in between two keys.
        """
        added, position = _added(entry)
        if position is None:
            state, position = read_run(entry.folder)
            return replace(entry, state=state, added=(), position=position, at_work=at_work(state, entry.folder))
        working = at_work(entry.state, entry.folder)
        if not added and working == entry.at_work:
            return entry
        return replace(entry, added=added, position=position, at_work=working)

    def _of_run(self, run: FoundRun) -> RunEntry:
        spec = Path(run.state.started.spec_file) if run.state.started else None
        options = None
        if spec is not None and spec.is_file():
            options = replace(self._options, spec_path=spec, prune=prunes(run.name, spec))
        working = at_work(run.state, run.folder)
        entry = RunEntry(
            run.name, run.folder, options, run.state, fault=run.fault, at_work=working, position=run.position
        )
        return replace(entry, terms=_terms(options)) if options else entry

    def _new_specs(self, taken: set[str]) -> list[RunEntry]:
        listed = self._repository.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        entries = []
        for place in sorted({place for place in listed if place.endswith((".yaml", ".yml"))}):
            path = self._repository.root / place
            name = _spec_name(path)
            if name is not None and name not in taken:
                taken.add(name)
                entries.append(self._new(name, path, place))
            if len(entries) == MOST_SPECS:
                break
        return sorted(entries, key=lambda entry: entry.name)

    def _new(self, name: str, path: Path, place: str) -> RunEntry:
        try:
            return entry_of_spec(replace(self._options, spec_path=path), place)
        except CeoptError as error:
            return RunEntry(name, path, place=place, fault=str(error))


def entry_of_spec(options: RunOptions, place: str = "") -> RunEntry:
    """The run that `options` would start or go on with. Errors of the user's files are raised."""
    project = project_of(options)
    folder = folder_of(project, options)
    terms = terms_of(project, attended=True, usd_per_run=None)
    entry = RunEntry(project.spec.name, folder, options, terms=terms, place=place or str(options.spec_path))
    if options.fresh or not (folder / JOURNAL_NAME).is_file():
        return entry
    state, position = read_run(folder)
    return replace(entry, state=state, position=position, at_work=at_work(state, folder))


def _added(entry: RunEntry) -> tuple[tuple[AnyRecord, ...], Position | None]:
    """The records behind those in the entry's state; without a position when all has to be read anew."""
    if entry.position is None or entry.added:
        return (), None
    try:
        found = read_on(entry.folder / JOURNAL_NAME, entry.position)
    except OSError:
        return (), None
    if found is None or len(found[0]) > MOST_ADDED:
        return (), None
    return tuple(found[0]), found[1]


def _terms(options: RunOptions) -> Terms | None:
    """Limits in force; a spec that is broken now has none to show."""
    try:
        return terms_of(project_of(options), attended=True, usd_per_run=None)
    except CeoptError:
        return None


def _spec_name(path: Path) -> str | None:
    """The name a spec gives its run, None when the file is no spec that could run."""
    try:
        if path.stat().st_size > LARGEST_SPEC_BYTES or not _SPEC.search(path.read_bytes()):
            return None
        return load_spec(path).spec.name
    except (OSError, CeoptError):
        return None
