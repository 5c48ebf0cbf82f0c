"""Which items a judge sees when it cannot see all: seeded, by stratum where wanted. Pure.

Each item has a place in the queue of a seed, made from the seed and its id alone: the order of the file does not
matter, and an item more or less leaves the places of the others as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

Item = tuple[str, str | None]  # id and bucket


@dataclass(frozen=True)
class Samples:
    """A sample to select by and one to confirm by. `overlap` counts items in both: the pool was too small for two."""

    selection: tuple[str, ...]
    confirmation: tuple[str, ...]

    @property
    def overlap(self) -> int:
        return len(set(self.selection) & set(self.confirmation))


def draw(
    items: Sequence[Item],
    size: int,
    strata: Sequence[tuple[str, int]] | None,
    seed: int,
    exclude: Collection[str] = (),
) -> tuple[str, ...]:
    """Ids of `size` items in the order drawn, fewer only where there are no more.

    Strata come first, each with its own count or all it has, also where they pass `size` together; what is missing to
    `size` is drawn from all items left. Items in `exclude` are taken only when a stratum, or the rest, has no others.
    """
    drawn = _from_strata(items, strata or (), seed, exclude)
    return _filled(items, size, drawn, seed, exclude)


def draw_two(
    items: Sequence[Item], size: int, strata: Sequence[tuple[str, int]] | None, sample_seed: int, confirmation_seed: int
) -> Samples:
    """Two samples that share an item only where the pool, or a stratum, is too small for two."""
    first = _from_strata(items, strata or (), sample_seed, ())
    second = _from_strata(items, strata or (), confirmation_seed, first)
    selection = _filled(items, size, first, sample_seed, second)
    return Samples(selection, _filled(items, size, second, confirmation_seed, selection))


def _from_strata(
    items: Sequence[Item], strata: Sequence[tuple[str, int]], seed: int, exclude: Collection[str]
) -> tuple[str, ...]:
    drawn: tuple[str, ...] = ()
    for bucket, count in strata:
        own = [item_id for item_id, stratum in items if stratum == bucket and item_id not in drawn]
        drawn += _queue(own, seed, exclude)[:count]
    return drawn


def _filled(
    items: Sequence[Item], size: int, drawn: tuple[str, ...], seed: int, exclude: Collection[str]
) -> tuple[str, ...]:
    rest = _queue([item_id for item_id, _ in items if item_id not in drawn], seed, exclude)
    return drawn + rest[: max(0, size - len(drawn))]


def _queue(ids: Sequence[str], seed: int, exclude: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(ids, key=lambda item_id: (item_id in exclude, _place(seed, item_id))))


def _place(seed: int, item_id: str) -> bytes:
    return hashlib.sha256(f"{seed}:{item_id}".encode()).digest()
