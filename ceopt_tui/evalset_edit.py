"""An eval set while a person changes it: cases with undo, and the way back into its file. Knows no screen."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ceopt_tui.errors import CeoptError, InputError, Problem
from ceopt_tui.evalset_text import Entry, in_order, rewritten
from ceopt_tui.journal.atomic import write_atomic
from schemas.evalset import Case, EvalSet
from schemas.evalset_rules import broken_case_rules
from schemas.loading import LoadedEvalSet, load_evalset, read_bytes
from schemas.yaml_strict import EVALSET_BYTES, Document, read

MOST_STEPS = 200  # that can be taken back
_ID_WORDS, _ID_CHARACTERS = 6, 40


class ChangedOnDiskError(CeoptError):
    """The file is not what it was when it was opened."""


@dataclass
class Draft:
    """The cases as they stand now. Every change is one step that can be taken back."""

    loaded: LoadedEvalSet
    entries: tuple[Entry, ...] = ()
    _past: list[tuple[str, tuple[Entry, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.entries = self.entries or _as_loaded(self.loaded)

    @property
    def evalset(self) -> EvalSet:
        return self.loaded.evalset.model_copy(update={"cases": tuple(entry.case for entry in self.entries)})

    @property
    def changed(self) -> bool:
        """Does the file say something else?"""
        return self.entries != _as_loaded(self.loaded)

    def case(self, case_id: str | None) -> Case | None:
        return next((entry.case for entry in self.entries if entry.case.id == case_id), None)

    def change(self, case_id: str, **values: Any) -> bool:
        """Gives a case other values; False when they are those it has. InputError when they make no case."""
        case = self.case(case_id)
        assert case is not None
        changed = self._valid(case.model_copy(update=values))
        if changed == case:
            return False
        self._step(
            f"the change of {case_id}",
            tuple(Entry(changed, entry.origin) if entry.case.id == case_id else entry for entry in self.entries),
        )
        return True

    def add(self, **values: Any) -> str:
        """Adds a case behind the others; gives its id. InputError when the values make no case."""
        if not values.get("input"):
            raise InputError([Problem("", 0, "input", "is empty: a case needs something that goes in")])
        taken = {entry.case.id for entry in self.entries}
        case = self._valid(Case(id=new_id(str(values.get("input", "")), taken), **values))
        self._step(f"the new case {case.id}", (*self.entries, Entry(case)))
        return case.id

    def remove(self, case_id: str) -> None:
        """Takes a case out. An eval set holds one case at least."""
        left = tuple(entry for entry in self.entries if entry.case.id != case_id)
        assert left
        self._step(f"the removal of {case_id}", left)

    def undo(self) -> str:
        """Takes the last step back and says which it was; nothing when there is none."""
        if not self._past:
            return ""
        what, self.entries = self._past.pop()
        return what

    def forget(self) -> None:
        """Gives up what was changed since the file was read or written."""
        self.entries, self._past = _as_loaded(self.loaded), []

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    def _step(self, what: str, entries: tuple[Entry, ...]) -> None:
        self._past = [*self._past[-MOST_STEPS:], (what, self.entries)]
        self.entries = entries

    def _valid(self, case: Case) -> Case:
        document = Document("", {"cases": [{}]})
        problems = broken_case_rules(self.loaded.evalset.model_copy(update={"cases": (case,)}), document)
        if problems:
            raise InputError(problems)
        return case

    # The file

    def write(self) -> tuple[LoadedEvalSet, bool]:
        """Replaces the file; gives it as it is now, and False when it had to be written anew, without its comments.

        Changes nothing here, so that it can be done beside the person's work; `saved` ends it. Raises
        ChangedOnDiskError when somebody else wrote the file meanwhile, InputError and StorageError; the file is then
        as it was.
        """
        file, entries = self.loaded.file, self.entries
        path = file.resolve()
        if path.exists() and read_bytes(path, EVALSET_BYTES) != self.loaded.raw:
            raise ChangedOnDiskError(f"{file} was changed by another program since you opened it")
        raw, kept = rewritten(self.loaded, entries)
        evalset = self.loaded.evalset.model_copy(update={"cases": tuple(entry.case for entry in in_order(entries))})
        problems = broken_case_rules(evalset, read(raw, str(file), limit=EVALSET_BYTES))
        if problems:
            raise InputError(problems)
        write_atomic(path, raw)
        return load_evalset(file), kept

    def saved(self, loaded: LoadedEvalSet) -> None:
        """The file holds what was written; what was changed meanwhile stays, and so do the steps back."""
        places = {case.id: place for place, case in enumerate(loaded.evalset.cases)}
        self.loaded, self.entries = loaded, _placed(self.entries, places)
        self._past = [(what, _placed(entries, places)) for what, entries in self._past]

    def take_up(self, fresh: LoadedEvalSet) -> list[str]:
        """Takes the file as it is now and puts this draft's changes onto it; gives the ids of cases changed in both.

        There this draft's version stays, but a case taken out here that was changed there is back. A case that is
        gone from the file and was changed here is a new one.
        """
        before = {case.id: case for case in self.loaded.evalset.cases}
        mine = {entry.case.id: entry.case for entry in self.entries}
        theirs = {case.id for case in fresh.evalset.cases}
        entries, both = [], []
        for place, case in enumerate(fresh.evalset.cases):
            own, earlier = mine.get(case.id), before.get(case.id)
            if own != earlier and case not in (earlier, own):
                both.append(case.id)
            if own is None and case == earlier:  # taken out here, left alone there
                continue
            entries.append(Entry(case if own is None or own == earlier else own, place))
        for case_id, own in mine.items():
            if case_id not in theirs and own != before.get(case_id):
                entries.append(Entry(own))
                both += [case_id] if case_id in before else []
        self.loaded, self._past = fresh, []
        self.entries = tuple(entries) or _as_loaded(fresh)
        return both


def open_draft(path: Path) -> Draft:
    """The eval set at `path`. Raises InputError with every problem."""
    return Draft(load_evalset(path))


def new_id(text: str, taken: Iterable[str]) -> str:
    """An id from the first words of a text that no other case has."""
    words = re.findall(r"\w+", text.casefold())[:_ID_WORDS]
    stem = "-".join(words)[:_ID_CHARACTERS].strip("-_") or "case"
    known, number, name = set(taken), 1, stem
    while name in known:
        number += 1
        name = f"{stem}-{number}"
    return name


def _as_loaded(loaded: LoadedEvalSet) -> tuple[Entry, ...]:
    return tuple(Entry(case, place) for place, case in enumerate(loaded.evalset.cases))


def _placed(entries: tuple[Entry, ...], places: dict[str, int]) -> tuple[Entry, ...]:
    """The same cases with the places they have in another file."""
    return in_order(Entry(entry.case, places.get(entry.case.id)) for entry in entries)
