"""Samples of items: seeded, stratified, and two that keep apart."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from judges.sampling import Item, draw, draw_two

BUCKETS = ("short", "long", "odd")
POOLS = st.lists(
    st.tuples(st.text("abc123é", min_size=1), st.sampled_from((*BUCKETS, None))),
    max_size=30,
    unique_by=lambda item: item[0],
)
STRATA = st.lists(st.tuples(st.sampled_from(BUCKETS), st.integers(1, 6)), max_size=3, unique_by=lambda entry: entry[0])
SEEDS = st.integers(0, 2**32)


@given(POOLS, st.integers(0, 35), SEEDS)
def test_a_plain_sample_has_its_size_and_no_item_twice(pool: list[Item], size: int, seed: int) -> None:
    drawn = draw(pool, size, None, seed)
    assert len(drawn) == len(set(drawn)) == min(size, len(pool))
    assert set(drawn) <= {item_id for item_id, _ in pool}


@given(POOLS, STRATA, SEEDS, st.randoms(use_true_random=False))
def test_the_order_of_the_items_does_not_matter(
    pool: list[Item], strata: list[tuple[str, int]], seed: int, random: object
) -> None:
    shuffled = list(pool)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert draw(pool, 8, strata, seed) == draw(shuffled, 8, strata, seed)


@given(POOLS, STRATA, st.integers(0, 30), SEEDS)
def test_every_stratum_gets_its_count_or_all_it_has(
    pool: list[Item], strata: list[tuple[str, int]], size: int, seed: int
) -> None:
    drawn, held = draw(pool, size, strata, seed), Counter(bucket for _, bucket in pool)
    wanted = {bucket: min(count, held[bucket]) for bucket, count in strata}
    given_buckets = Counter(dict(pool)[item_id] for item_id in drawn)
    assert all(given_buckets[bucket] >= count for bucket, count in wanted.items())
    assert len(drawn) == max(sum(wanted.values()), min(size, len(pool)))


@given(POOLS, st.integers(0, 30), SEEDS, SEEDS)
def test_two_samples_share_only_what_the_pool_makes_them_share(pool: list[Item], size: int, a: int, b: int) -> None:
    samples, drawn = draw_two(pool, size, None, a, b), min(size, len(pool))
    assert len(samples.selection) == len(samples.confirmation) == drawn
    assert samples.overlap == max(0, 2 * drawn - len(pool))


@given(POOLS, STRATA, SEEDS, SEEDS)
def test_two_stratified_samples_share_only_what_a_stratum_makes_them_share(
    pool: list[Item], strata: list[tuple[str, int]], a: int, b: int
) -> None:
    samples, held = draw_two(pool, 0, strata, a, b), Counter(bucket for _, bucket in pool)
    assert samples.overlap == sum(max(0, 2 * min(count, held[bucket]) - held[bucket]) for bucket, count in strata)


def test_what_fills_one_sample_up_leaves_the_strata_of_the_other_alone() -> None:
    pool = [(f"b{n}", "small") for n in range(4)] + [(f"a{n}", None) for n in range(30)]
    assert all(draw_two(pool, 12, [("small", 2)], seed, seed + 1).overlap == 0 for seed in range(50))


def test_every_item_has_the_same_chance() -> None:
    pool = [(f"i{n}", None) for n in range(10)]
    counts = Counter(item_id for seed in range(2000) for item_id in draw(pool, 3, None, seed))
    assert all(520 <= counts[item_id] <= 680 for item_id, _ in pool)


def test_an_item_more_changes_no_other_ones_place() -> None:
    pool = [(f"i{n}", None) for n in range(20)]
    assert set(draw(pool, 6, None, 1)) >= set(draw([*pool, ("new", None)], 6, None, 1)) - {"new"}


def test_excluded_items_come_last() -> None:
    assert draw([("a", None), ("b", None), ("c", None)], 3, None, 5, exclude={"a", "b"})[0] == "c"
