"""An eval set while a person changes it: cases with undo, and the way back into its file. Knows no screen."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ceopt_tui.errors import CeoptError, InputError, Problem
from ceopt_tui.evalset_merge import Ground, TakenUp, new_id, new_names, onto
from ceopt_tui.evalset_text import Entry, in_order, rewritten
from ceopt_tui.journal.atomic import write_atomic
from schemas.evalset import Case, EvalSet
from schemas.evalset_rules import broken_case_rules
from schemas.loading import LoadedEvalSet, load_evalset, read_bytes
from schemas.yaml_strict import EVALSET_BYTES, Document, read

MOST_STEPS = 200  # that can be taken back


class ChangedOnDiskError(CeoptError):
    """The file is not what it was when it was opened."""


@dataclass(frozen=True)
class Step:
    """One change of one case, with the cases as they are on its other side."""

    what: str
    case_id: str
    entries: tuple[Entry, ...]

    def __str__(self) -> str:
        return f"{self.what} {self.case_id}"


@dataclass
class Draft:
    """The cases as they stand now. Every change is one step that can be taken back, and made again."""

    loaded: LoadedEvalSet
    entries: tuple[Entry, ...] = ()
    _past: list[Step] = field(default_factory=list)
    _future: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._in_file = _as_loaded(self.loaded)
        self.entries = self.entries or self._in_file

    @property
    def evalset(self) -> EvalSet:
        return self.loaded.evalset.model_copy(update={"cases": tuple(entry.case for entry in self.entries)})

    @property
    def changed(self) -> bool:
        """Does the file say something else?"""
        return self.entries != self._in_file

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
            "the change of",
            case_id,
            tuple(Entry(changed, entry.origin) if entry.case.id == case_id else entry for entry in self.entries),
        )
        return True

    def add(self, **values: Any) -> str:
        """Adds a case behind the others; gives its id. InputError when the values make no case."""
        if not values.get("input"):
            raise InputError([Problem("", 0, "input", "is empty: a case needs something that goes in")])
        taken = {entry.case.id for entry in self.entries}
        case = self._valid(Case(id=new_id(str(values.get("input", "")), taken), **values))
        self._step("the new case", case.id, (*self.entries, Entry(case)))
        return case.id

    def remove(self, case_id: str) -> None:
        """Takes a case out. An eval set holds one case at least."""
        left = tuple(entry for entry in self.entries if entry.case.id != case_id)
        assert left
        self._step("the removal of", case_id, left)

    @property
    def last(self) -> Step | None:
        """The step that `undo` takes back."""
        return self._past[-1] if self._past else None

    @property
    def next(self) -> Step | None:
        """The step that `redo` makes again."""
        return self._future[-1] if self._future else None

    def undo(self) -> str:
        """Takes the last step back and says which it was; nothing when there is none."""
        return self._moved(self._past, self._future)

    def redo(self) -> str:
        """Makes the step again that was taken back last, unless something else was changed since."""
        return self._moved(self._future, self._past)

    def forget(self) -> None:
        """Gives up what was changed since the file was read or written."""
        self.entries, self._past, self._future = self._in_file, [], []

    def _moved(self, out_of: list[Step], into: list[Step]) -> str:
        if not out_of:
            return ""
        step = out_of.pop()
        into.append(replace(step, entries=self.entries))
        self.entries = step.entries
        return str(step)

    def _step(self, what: str, case_id: str, entries: tuple[Entry, ...]) -> None:
        self._past = [*self._past[1 - MOST_STEPS :], Step(what, case_id, self.entries)]
        self._future = []
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
        self._read(loaded)
        entries = _placed(self.entries, places)
        self.entries = self._in_file if entries == self._in_file else entries
        for steps in (self._past, self._future):
            steps[:] = [replace(step, entries=_placed(step.entries, places)) for step in steps]

    def _read(self, loaded: LoadedEvalSet) -> None:
        self.loaded, self._in_file = loaded, _as_loaded(loaded)

    def take_up(self, fresh: LoadedEvalSet) -> TakenUp:
        """Takes the file as it is now and puts this draft's changes onto it, step by step: each can be taken back.

        A step that comes to nothing there is dropped.
        """
        ground = Ground({case.id: case for case in self.loaded.evalset.cases}, fresh.evalset.cases)
        states = [step.entries for step in (*self._past, *self._future)]
        ground = replace(ground, names=new_names(self.entries, states, ground))
        self._read(fresh)
        self.entries, both = onto(self.entries, ground)
        self._past = _on_new_ground(self._past, self.entries, ground)
        self._future = _on_new_ground(self._future, self.entries, ground)
        return TakenUp(both, {old: new for old, new in ground.names.items() if self.case(new) is not None})


def open_draft(path: Path) -> Draft:
    """The eval set at `path`. Raises InputError with every problem."""
    return Draft(load_evalset(path))


def _as_loaded(loaded: LoadedEvalSet) -> tuple[Entry, ...]:
    return tuple(Entry(case, place) for place, case in enumerate(loaded.evalset.cases))


def _placed(entries: tuple[Entry, ...], places: dict[str, int]) -> tuple[Entry, ...]:
    """The same cases with the places they have in another file."""
    return in_order(Entry(entry.case, places.get(entry.case.id)) for entry in entries)


def _on_new_ground(steps: list[Step], now: tuple[Entry, ...], ground: Ground) -> list[Step]:
    """The steps that lead away from `now`, the nearest last, without those that change nothing any more."""
    found: list[Step] = []
    for step in reversed(steps):
        entries = onto(step.entries, ground)[0]
        if entries != now:
            found.append(Step(step.what, ground.names.get(step.case_id, step.case_id), entries))
        now = entries
    return found[::-1]
