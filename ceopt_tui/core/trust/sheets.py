"""Which outputs a person scores, and in which order: drawn by seed alone, blind to what the judge thinks of them.

Every draw goes by hashes of places, so a sheet that was left half done comes back the same.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from ceopt_tui.core.judging_ports import Level, PersonMark, Sheet, SheetItem
from ceopt_tui.core.state.judging import Place

PER_SHEET = 10  # outputs of a calibration sheet, pairs of a blind one

_ID_DIGITS = 12
_TITLES = {"calibration": "Score outputs yourself", "blind": "Score old and new, mixed"}

Purpose = Literal["calibration", "blind"]
T = TypeVar("T")


class Material(NamedTuple):
    """What a person sees of one output."""

    input: str
    output: str
    expected: str | None = None


@dataclass(frozen=True)
class Guide:
    """What stands beside every output: the rubric and its levels. `seed` decides draw and order."""

    rubric: str
    levels: tuple[Level, ...]
    seed: int


@dataclass(frozen=True)
class DrawnSheet:
    """A sheet and the place of each of its items. `places` is for the journal, never for the screen."""

    sheet: Sheet
    places: Mapping[str, Place]


def calibration_sheet(
    materials: Mapping[Place, Material],
    guide: Guide,
    number: int,
    *,
    seen: Collection[Place] = (),
    marks: Mapping[Place, PersonMark] | None = None,
) -> DrawnSheet:
    """Sheet `number` (from 1) of up to ten outputs, spread over the cases; nothing on it when all were scored.

    `materials` are the outputs to choose from, `seen` those on earlier sheets, `marks` what stands on this one already.
    Outputs that agree in input, output and expected text are one.
    """
    marked = [place for place in marks or {} if place in materials]
    done = {materials[place] for place in (*seen, *marked) if place in materials}
    fresh: dict[Material, Place] = {}
    for place in _by_hash(materials, guide.seed):
        if materials[place] not in done:
            fresh.setdefault(materials[place], place)
    wanted = PER_SHEET - len(marked)
    chosen = [*marked, *_spread(fresh.values(), (*seen, *marked), lambda place: place[1], wanted)]
    return _sheet("calibration", f"calibration-{number}", chosen, materials, guide, marks or {})


def blind_sheet(
    materials: Mapping[Place, Material],
    guide: Guide,
    arms: tuple[str, str],
    number: int,
    part: int = 1,
    *,
    groups: Sequence[Sequence[str]] = (),
    seen: Collection[Place] = (),
    marks: Mapping[Place, PersonMark] | None = None,
) -> DrawnSheet:
    """Held-out outputs of two texts in mixed order, one per text and case, up to ten cases on each sheet.

    `arms` are the digests of reference and candidate, `number` is the experiment, `part` counts its sheets from 1.
    Near-duplicates (`groups`) count as one case in the end, so one of each is taken first. A case of which an earlier
    sheet got one text only is completed.
    """
    marks = marks or {}
    picked = {arm: _one_per_case(materials, arm, guide.seed, {*seen, *marks}) for arm in arms}
    missing = {
        case: [picked[arm][case] for arm in arms if picked[arm][case] not in seen]
        for case in _by_hash(picked[arms[0]].keys() & picked[arms[1]].keys(), guide.seed)
    }
    begun = [case for case, places in missing.items() if any(place in marks for place in places)]
    open_cases = [case for case, places in missing.items() if places and case not in begun]
    group_of = {case: f"group {index}" for index, group in enumerate(groups) for case in group}
    done = [case for case, places in missing.items() if not places]
    wanted = PER_SHEET - len(begun)
    drawn = _spread(open_cases, (*done, *begun), lambda case: group_of.get(case, f"case {case}"), wanted)
    chosen = [place for case in (*begun, *drawn) for place in missing[case]]
    return _sheet("blind", f"blind-{number}-{part}", chosen, materials, guide, marks)


def _sheet(
    purpose: Purpose,
    sheet_id: str,
    chosen: Sequence[Place],
    materials: Mapping[Place, Material],
    guide: Guide,
    marks: Mapping[Place, PersonMark],
) -> DrawnSheet:
    places = dict(sorted((_hash(guide.seed, sheet_id, place)[:_ID_DIGITS], place) for place in chosen))
    items = tuple(SheetItem(item, *materials[place]) for item, place in places.items())
    own = {item: marks[place] for item, place in places.items() if place in marks}
    return DrawnSheet(Sheet(sheet_id, _TITLES[purpose], purpose, guide.rubric, guide.levels, items, own), places)


def _one_per_case(
    materials: Mapping[Place, Material], text_digest: str, seed: int, shown: Collection[Place]
) -> dict[str, Place]:
    """One output of a text by case: the one that was shown, else one by seed."""
    own = _by_hash((place for place in materials if place[0] == text_digest), seed)
    picked: dict[str, Place] = {}
    for place in [*(place for place in own if place in shown), *own]:
        picked.setdefault(place[1], place)
    return picked


def _spread(pool: Iterable[T], used: Iterable[T], bucket: Callable[[T], str], wanted: int) -> list[T]:
    """The first `wanted` of `pool`, evenly over buckets: nothing is taken twice from one while another waits."""
    taken = Counter(map(bucket, used))
    ranked = []
    for item in pool:
        ranked.append((taken[bucket(item)], item))
        taken[bucket(item)] += 1
    ranked.sort(key=lambda entry: entry[0])  # stable: within a rank the order of the pool stays
    return [item for _, item in ranked[: max(wanted, 0)]]


def _by_hash(things: Iterable[T], seed: int) -> list[T]:
    return sorted(things, key=lambda thing: _hash(seed, thing))


def _hash(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(repr, parts)).encode()).hexdigest()
