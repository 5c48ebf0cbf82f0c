"""Divides an eval set once into cases that pick winners and cases that only confirm them.

The draw depends on the seed and on what the cases are, not on their order in the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.evidence.looks import split_size
from ceopt_tui.core.evidence.setting import SMALLEST_SET
from ceopt_tui.errors import InputError, Problem
from schemas.evalset import Case
from texttargets.duplicates import duplicate_groups

REPORT_FROM = 30  # distinct cases from which a part of the held-out ones is kept for the report

Side = Literal["selection", "holdout"]


@dataclass(frozen=True)
class Split:
    """Case ids by side. `report_only` is a part of `holdout`, for runs whose repeats are identical.

    `groups` lists near-duplicates only. `distinct` counts them once; below five nothing is drawn and a run
    stops before its first call.
    """

    selection: tuple[str, ...]
    holdout: tuple[str, ...]
    report_only: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    seed: int
    distinct: int

    @property
    def drawn(self) -> bool:
        """Whether there were enough distinct cases to draw from."""
        return self.distinct >= SMALLEST_SET


@dataclass(frozen=True)
class _Group:
    ids: tuple[str, ...]
    stratum: tuple[str, ...]
    key: str  # a seeded, order-free rank
    side: Side | None


def freeze_split(
    cases: Sequence[Case],
    *,
    seed: int,
    share: float | None = None,
    holdout_ids: Collection[str] | None = None,
    alike: Sequence[tuple[str, ...]] | None = None,
) -> Split:
    """The split of `cases`; near-duplicates share a side and count once.

    `share` replaces the default size of the held-out side, `holdout_ids` names all of it. `alike` are the groups of
    near-duplicates, where they are known already. Raises InputError when the given sides contradict each other.
    """
    groups = _groups(cases, seed, holdout_ids, duplicate_groups(cases) if alike is None else alike)
    held = [group for group in groups if group.side == "holdout"]
    free = [group for group in groups if group.side is None]
    if len(groups) >= SMALLEST_SET and holdout_ids is None:
        wanted = split_size(len(groups)) if share is None else _shared_size(len(groups), share)
        held += _draw(free, min(len(free), max(0, wanted - len(held))), seed)
    reserved = _reserved(held, len(groups), seed)
    held_ids = {case_id for group in held for case_id in group.ids}
    return Split(
        selection=tuple(case.id for case in cases if case.id not in held_ids),
        holdout=tuple(case.id for case in cases if case.id in held_ids),
        report_only=tuple(case.id for case in cases if case.id in reserved),
        groups=tuple(group.ids for group in groups if len(group.ids) > 1),
        seed=seed,
        distinct=len(groups),
    )


def _shared_size(distinct: int, share: float) -> int:
    return min(distinct - 1, max(1, round(share * distinct)))


def _groups(
    cases: Sequence[Case], seed: int, holdout_ids: Collection[str] | None, alike: Sequence[tuple[str, ...]]
) -> list[_Group]:
    by_id = {case.id: case for case in cases}
    unknown = sorted(set(holdout_ids or ()) - by_id.keys())
    if unknown:
        raise InputError([Problem("", 0, "evalset.holdout", f"no case has the id {case_id!r}") for case_id in unknown])
    groups, problems = [], []
    for ids in alike:
        sides = {_side(by_id[case_id], holdout_ids) for case_id in ids} - {None}
        if len(sides) > 1:
            problems.append(_leak([by_id[case_id] for case_id in ids], holdout_ids))
            continue
        first = min(ids, key=lambda case_id: _rank(seed, case_id))
        case = by_id[first]
        stratum = (case.kind, *sorted(case.tags))
        groups.append(_Group(ids, stratum, _rank(seed, first), sides.pop() if sides else None))
    if problems:
        raise InputError(problems, "Put near-duplicates on the same side, or remove one of them.")
    return groups


def _side(case: Case, holdout_ids: Collection[str] | None) -> Side | None:
    if holdout_ids is None:
        return case.split
    return "holdout" if case.id in holdout_ids else "selection"


def _leak(cases: Sequence[Case], holdout_ids: Collection[str] | None) -> Problem:
    selection = next(case.id for case in cases if _side(case, holdout_ids) == "selection")
    holdout = next(case.id for case in cases if _side(case, holdout_ids) == "holdout")
    return Problem("", 0, f"case {holdout}", f"is held out, but selection case {selection!r} asks the same")


def _draw(free: Sequence[_Group], count: int, seed: int) -> list[_Group]:
    """Systematic sampling along the strata: every stratum gives its share, rounded up or down."""
    if not count:
        return []
    ordered = sorted(free, key=lambda group: (group.stratum, group.key))
    start = int(_rank(seed, "start")[:8], 16) % len(ordered)
    return [
        group
        for place, group in enumerate(ordered)
        if ((place + 1) * count + start) // len(ordered) > (place * count + start) // len(ordered)
    ]


def _reserved(held: Sequence[_Group], distinct: int, seed: int) -> set[str]:
    if distinct < REPORT_FROM:
        return set()
    kept = _draw(held, len(held) // 3, seed)
    return {case_id for group in kept for case_id in group.ids}


def _rank(seed: int, case_id: str) -> str:
    return hashlib.sha256(f"{seed}\n{case_id}".encode("utf-8", "surrogatepass")).hexdigest()
