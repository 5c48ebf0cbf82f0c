"""Puts what a person did to an eval set onto its file as another program left it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ceopt_tui.evalset_text import Entry
from schemas.evalset import Case

_ID_WORDS, _ID_CHARACTERS = 6, 40


@dataclass
class TakenUp:
    """What a person should know of it: cases changed on both sides, and new cases whose id the file has given away."""

    both: list[str] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ground:
    """What the file said when it was read, what it says now, and the ids that new cases have from now on."""

    before: Mapping[str, Case]
    fresh: Sequence[Case]
    names: Mapping[str, str] = field(default_factory=dict)


def new_names(now: Sequence[Entry], others: Iterable[Sequence[Entry]], ground: Ground) -> dict[str, str]:
    """New ids for new cases whose id another case of the file has by now; the same ones in all states of the draft."""
    theirs = {case.id: case for case in ground.fresh if case.id not in ground.before}
    clashing: dict[str, bool] = {}
    for state in (now, *others):
        for entry in state:
            if entry.case.id in theirs:
                clashing.setdefault(entry.case.id, entry.case != theirs[entry.case.id])
    taken = {case.id for case in ground.fresh} | {entry.case.id for entry in now}
    names: dict[str, str] = {}
    for case_id in (case_id for case_id, clashes in clashing.items() if clashes):
        names[case_id] = new_id(case_id, taken)
        taken.add(names[case_id])
    return names


def onto(entries: Iterable[Entry], ground: Ground) -> tuple[tuple[Entry, ...], list[str]]:
    """The file's cases with this state's changes on them, and the ids of cases that both changed.

    There this state's version stays, but a case taken out here that was changed there is back. A case that is gone
    from the file and was changed here is a new one.
    """
    mine = {case.id: case for case in (_called(entry.case, ground) for entry in entries)}
    theirs = {case.id for case in ground.fresh}
    found, both = [], []
    for place, case in enumerate(ground.fresh):
        own, earlier = mine.get(case.id), ground.before.get(case.id)
        if own is None and case == earlier:  # taken out here, left alone there
            continue
        if own != earlier and case not in (earlier, own):
            both.append(case.id)
        found.append(Entry(case if own is None or own == earlier else own, place))
    for case_id, own in mine.items():
        if case_id not in theirs and own != ground.before.get(case_id):
            found.append(Entry(own))
            both += [case_id] if case_id in ground.before else []
    return tuple(found) or tuple(Entry(case, place) for place, case in enumerate(ground.fresh)), both


def new_id(text: str, taken: Iterable[str]) -> str:
    """An id from the first words of a text that no other case has."""
    words = re.findall(r"\w+", text.casefold())[:_ID_WORDS]
    stem = "-".join(words)[:_ID_CHARACTERS].strip("-_") or "case"
    known, number, name = set(taken), 1, stem
    while name in known:
        number += 1
        name = f"{stem}-{number}"
    return name


def _called(case: Case, ground: Ground) -> Case:
    return case.model_copy(update={"id": ground.names[case.id]}) if case.id in ground.names else case
