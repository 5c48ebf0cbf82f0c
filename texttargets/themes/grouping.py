"""Failing items grouped by the likeness of what was said of them: the same groups for the same items in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from texttargets.themes.items import FailingItem
from texttargets.themes.likeness import Remark, likeness, remark_of

ALIKE = 0.15  # mean likeness from which two groups are one
LEAST_CASES = 2  # a remark made once is no theme yet
LONGEST_NAME, LONGEST_CHANGE = 80, 300
_NAME_WORDS = 3

Pair = tuple[int, int]


@dataclass(frozen=True)
class FeedbackGroup:
    """Items with one thing that would have to change; `change` is the remark that is most like all others."""

    name: str
    change: str
    cases: tuple[str, ...]
    remarks: tuple[str, ...]  # the most typical first


@dataclass(frozen=True)
class Grouping:
    """Every item in exactly one group or unexplained; the largest group first."""

    themes: tuple[FeedbackGroup, ...]
    unexplained: tuple[str, ...]


def group_feedback(items: Sequence[FailingItem], least_cases: int = LEAST_CASES) -> Grouping:
    """Groups of at least so many items, by average linkage; items nobody said anything about are unexplained."""
    said = sorted((item for item in items if item.feedback), key=lambda item: item.case_id)
    remarks = [remark_of(item.feedback) for item in said]
    alike = likeness(remarks)
    groups = [_group(places, said, remarks, alike) for places in _linked(len(said), alike)]
    kept = sorted((group for group in groups if len(group.cases) >= least_cases), key=_largest_first)
    placed = {case for group in kept for case in group.cases}
    return Grouping(tuple(kept), tuple(sorted(item.case_id for item in items if item.case_id not in placed)))


def cut(text: str, limit: int) -> str:
    """The text, ended by a mark where it is longer than `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _linked(count: int, alike: dict[Pair, float]) -> list[list[int]]:
    """Merges the most alike groups first, until none are alike enough; equal pairs by place.

    The likeness of groups is the mean over all pairs of their members, carried as a sum.
    """
    members = {place: [place] for place in range(count)}
    sums = dict(alike)
    while sums:
        means = {pair: total / (len(members[pair[0]]) * len(members[pair[1]])) for pair, total in sums.items()}
        stays, goes = max(means, key=lambda pair: (means[pair], -pair[0], -pair[1]))
        if means[stays, goes] < ALIKE:
            break
        members[stays] += members.pop(goes)
        merged: dict[Pair, float] = {}
        for (one, other), total in sums.items():
            pair = _ordered(stays if one == goes else one, stays if other == goes else other)
            if pair[0] != pair[1]:
                merged[pair] = merged.get(pair, 0.0) + total
        sums = merged
    return [sorted(places) for places in members.values()]


def _ordered(one: int, other: int) -> Pair:
    return (one, other) if one <= other else (other, one)


def _group(
    places: Sequence[int], items: Sequence[FailingItem], remarks: Sequence[Remark], alike: dict[Pair, float]
) -> FeedbackGroup:
    def typical(place: int) -> tuple[float, str]:
        return -sum(alike.get(_ordered(place, other), 0.0) for other in places if other != place), items[place].case_id

    order = sorted(places, key=typical)
    said = tuple(dict.fromkeys(items[place].feedback[0] for place in order))
    cases = tuple(items[place].case_id for place in places)
    name = _name([remarks[place] for place in places]) or said[0]
    return FeedbackGroup(cut(name, LONGEST_NAME), cut(said[0], LONGEST_CHANGE), cases, said)


def _name(remarks: Sequence[Remark]) -> str:
    """The kind of fault most of them speak of, with the words most share; the words alone where there is none."""
    half = len(remarks) / 2
    faults = Counter(fault for remark in remarks for fault in sorted(remark.faults))
    words = Counter(word for remark in remarks for word in remark.words)
    shared = sorted((word for word, count in words.items() if count > half), key=lambda word: (-words[word], word))
    common = sorted(
        (fault for fault, count in faults.items() if count > half), key=lambda fault: (-faults[fault], fault)
    )
    listed = ", ".join(shared[:_NAME_WORDS])
    if not common:
        return listed
    return f"{common[0]}: {listed}" if listed else common[0]


def _largest_first(group: FeedbackGroup) -> tuple[int, tuple[str, ...]]:
    return -len(group.cases), group.cases
