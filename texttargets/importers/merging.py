"""Gives every imported case an id of its own, folds what is there twice, and brings a set up to date.

Two records with one id and different content are refused: results are kept by id, and one would hide the other.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ceopt_tui.errors import InputError, Problem
from schemas.evalset import Case
from texttargets.importers.rows import Imported, content_key
from texttargets.importers.updating import Prefer, Updated, as_recorded, asks, brought_up_to_date, same_record

_MADE = "case-"  # how ids begin that are made from the content

Place = tuple[str, int]  # file and line of a record


@dataclass(frozen=True)
class Merged:
    """Records that became one case."""

    id: str
    places: tuple[Place, ...]  # in the order they were read
    reason: str


@dataclass
class Settled:
    """Cases by id, in the order of the files, with their records. `updated` are those that were in the set before."""

    cases: dict[str, Case] = field(default_factory=dict)
    places: dict[str, tuple[Place, ...]] = field(default_factory=dict)
    updated: list[Updated] = field(default_factory=list)
    merged: list[Merged] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def settle(imported: Sequence[Imported], existing: Sequence[Case], *, rename: bool, prefer: Prefer = "ask") -> Settled:
    """The cases with final ids. Raises InputError naming both lines of every id with two meanings."""
    settled = Settled()
    groups: dict[str, list[Imported]] = defaultdict(list)
    for item in imported:
        groups[item.case.id if item.named else content_id(item.case)].append(item)
    for case_id, items in groups.items():
        _settle_group(case_id, items, settled, rename)
    _update(settled, {case.id: case for case in existing}, rename, prefer)
    if settled.problems:
        raise InputError(settled.problems, "Give each case an id of its own, or use --rename-duplicates.")
    return settled


def content_id(case: Case) -> str:
    """An id made of the question and the wanted answer, so that it stays the same from import to import."""
    return f"{_MADE}{_digest(case, whole=False)[:10]}"


def _settle_group(case_id: str, items: list[Imported], settled: Settled, rename: bool) -> None:
    distinct: dict[str, list[Imported]] = defaultdict(list)
    for item in items:
        distinct[content_key(item.case, whole=item.named)].append(item)
    variants = list(distinct.values())
    if len(variants) > 1 and not rename:
        settled.problems.append(_conflict(case_id, [variant[0] for variant in variants]))
        return
    names = _names(case_id, [variant[0].case for variant in variants]) if len(variants) > 1 else [case_id]
    for name, variant in zip(names, variants, strict=True):
        settled.cases[name] = variant[0].case.model_copy(update={"id": name})
        settled.places[name] = tuple((item.file, item.line) for item in variant)
        if len(variant) > 1:
            reason = "identical" if variant[0].named else "same question and wanted answer, no id"
            settled.merged.append(Merged(name, settled.places[name], reason))


def _names(case_id: str, cases: list[Case]) -> list[str]:
    for whole in (False, True):
        names = [f"{case_id}-{_digest(case, whole=whole)[:8]}" for case in cases]
        if len(set(names)) == len(names):
            return names
    return [f"{case_id}-{_digest(case, whole=True)}" for case in cases]


def _conflict(case_id: str, items: Sequence[Imported]) -> Problem:
    files = {item.file for item in items}
    places = [str(item.line) if len(files) == 1 else f"{item.file} line {item.line}" for item in items]
    where = f"{', '.join(places[:-1])} and {places[-1]}"
    lines = f"on lines {where}" if len(files) == 1 else f"in {where}"
    return Problem(items[0].file, items[-1].line, "", f"duplicate id {case_id!r} {lines} (different content)")


def _update(settled: Settled, existing: dict[str, Case], rename: bool, prefer: Prefer) -> None:
    _keep_ids(settled, existing)
    for case_id, case in list(settled.cases.items()):
        old = existing.get(case_id)
        if old is None:
            settled.cases[case_id] = as_recorded(case)
        elif same_record(old, case):
            updated = brought_up_to_date(old, case, prefer=prefer)
            settled.updated.append(updated)
            settled.cases[case_id] = updated.case
        elif rename:
            name = _names(case_id, [case])[0]
            del settled.cases[case_id]
            settled.cases[name] = as_recorded(case.model_copy(update={"id": name}))
            settled.places[name] = settled.places.pop(case_id)
        else:
            message = (
                f"id {case_id!r} is in the eval set already, with different content from {old.source or 'no file'}"
            )
            settled.problems.append(Problem(*settled.places[case_id][0], "", message))


def _keep_ids(settled: Settled, existing: dict[str, Case]) -> None:
    """A case without an id of its own whose wanted answer was changed in its file stays the case it was."""
    asked: dict[str, list[str]] = defaultdict(list)
    for case in existing.values():
        if case.id.startswith(_MADE) and case.id not in settled.cases:
            asked[_origin(case)].append(case.id)
    renamed = {}
    for case_id, case in settled.cases.items():
        before = asked.get(_origin(case), []) if case_id.startswith(_MADE) and case_id not in existing else []
        if len(before) == 1:
            renamed[case_id] = before.pop()
    settled.cases = {
        renamed.get(case_id, case_id): case.model_copy(update={"id": renamed.get(case_id, case_id)})
        for case_id, case in settled.cases.items()
    }
    settled.places = {renamed.get(case_id, case_id): places for case_id, places in settled.places.items()}


def _origin(case: Case) -> str:
    return json.dumps([case.source, asks(case)])


def _digest(case: Case, *, whole: bool) -> str:
    return hashlib.sha256(content_key(case, whole=whole).encode()).hexdigest()
