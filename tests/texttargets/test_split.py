"""The frozen split: size, strata, near-duplicates, sides the user gave."""

import random
from itertools import combinations

import pytest

from ceopt_tui.errors import InputError
from schemas.evalset import Case
from texttargets.duplicates import duplicate_groups
from texttargets.split import Split, freeze_split

WORDS = ["apple", "brick", "cloud", "delta", "ember", "frost", "grape", "heron", "ivory", "jolly", "karma", "lemon"]


def some_cases(count: int, **more: object) -> list[Case]:
    source = random.Random(3)
    return [Case(id=f"c{i}", input=" ".join(source.choices(WORDS, k=9)), **more) for i in range(count)]  # type: ignore[arg-type]


def sides(split: Split) -> tuple[set[str], set[str]]:
    return set(split.selection), set(split.holdout)


@pytest.mark.parametrize(
    ("count", "held_out"), [(1, 0), (4, 0), (5, 3), (6, 4), (7, 5), (8, 5), (10, 5), (12, 6), (13, 7), (50, 25)]
)
def test_size_of_the_held_out_side(count: int, held_out: int) -> None:
    split = freeze_split(some_cases(count), seed=7)
    assert len(split.holdout) == held_out
    assert split.drawn == (count >= 5)
    assert len(split.selection) + len(split.holdout) == count


def test_order_of_the_file_does_not_count_but_the_seed_does() -> None:
    cases = some_cases(20)
    shuffled = random.Random(1).sample(cases, len(cases))
    assert sides(freeze_split(cases, seed=7)) == sides(freeze_split(shuffled, seed=7))
    assert len({freeze_split(cases, seed=seed).holdout for seed in range(8)}) > 4


@pytest.mark.parametrize("seed", range(5))
def test_every_tag_and_kind_gives_its_share(seed: int) -> None:
    cases = [
        case.model_copy(
            update={"tags": ("rare",) if i < 4 else ("common",), "kind": "guard" if i % 5 == 4 else "failure"}
        )
        for i, case in enumerate(some_cases(24))
    ]
    held = set(freeze_split(cases, seed=seed).holdout)
    assert sum(case.id in held for case in cases if "rare" in case.tags) == 2
    assert sum(case.id in held for case in cases if case.kind == "guard") in (2, 3)


@pytest.mark.parametrize("seed", range(10))
def test_near_duplicates_stay_on_one_side(seed: int) -> None:
    cases = [
        *some_cases(10),
        Case(id="twin-1", input="Please  REFUND me"),
        Case(id="twin-2", input="please refund me!"),
    ]
    split = freeze_split(cases, seed=seed)
    assert split.groups == (("twin-1", "twin-2"),)
    assert ("twin-1" in split.holdout) == ("twin-2" in split.holdout)
    assert not set(split.selection) & set(split.holdout)


def test_near_duplicates_count_once() -> None:
    copies = [Case(id=f"d{i}", input="the very same question") for i in range(6)]
    assert freeze_split([*some_cases(3), *copies], seed=7).drawn is False


def test_sides_given_in_the_file_are_kept_and_the_rest_is_drawn() -> None:
    cases = [case.model_copy(update={"split": side}) for case, side in zip(
        some_cases(12), ["holdout", "holdout", "selection", "selection", *[None] * 8], strict=True)]  # fmt: skip
    split = freeze_split(cases, seed=7)
    assert {"c0", "c1"} <= set(split.holdout)
    assert {"c2", "c3"} <= set(split.selection)
    assert len(split.holdout) == 6


def test_a_held_out_case_stays_held_out_in_a_set_too_small_to_draw_from() -> None:
    cases = [case.model_copy(update={"split": "holdout" if case.id == "c2" else "selection"}) for case in some_cases(3)]
    assert freeze_split(cases, seed=7).holdout == ("c2",)


def test_a_share_or_a_list_of_ids_replaces_the_default_size() -> None:
    cases = some_cases(20)
    assert len(freeze_split(cases, seed=7, share=0.2).holdout) == 4
    assert freeze_split(cases, seed=7, holdout_ids={"c3", "c9"}).holdout == ("c3", "c9")
    with pytest.raises(InputError, match="no case has the id 'nowhere'"):
        freeze_split(cases, seed=7, holdout_ids={"nowhere"})


def test_a_given_split_that_leaks_is_refused() -> None:
    cases = [
        *some_cases(6),
        Case(id="a", input="Where is my parcel?", split="selection"),
        Case(id="b", input="where is my parcel", split="holdout"),
    ]
    with pytest.raises(InputError, match="case b: is held out, but selection case 'a' asks the same"):
        freeze_split(cases, seed=7)


def test_a_third_of_the_held_out_cases_is_kept_for_the_report_from_30_cases_on() -> None:
    assert freeze_split(some_cases(29), seed=7).report_only == ()
    split = freeze_split(some_cases(30), seed=7)
    assert len(split.report_only) == 5
    assert set(split.report_only) < set(split.holdout)


def test_boundary_cases_are_no_duplicates() -> None:
    def pair(left: str, right: str, *expected: str | None) -> list[tuple[str, ...]]:
        answers = expected or (None, None)
        return duplicate_groups(
            [Case(id="a", input=left, expected=answers[0]), Case(id="b", input=right, expected=answers[1])]
        )

    long_text = "I would like to send back the blue jacket that I bought in your shop, because it is too small for me"
    assert len(pair(long_text + " after 10 days", long_text + " after 40 days")) == 2
    assert len(pair(long_text + " now", long_text + " not", "yes", "no")) == 2
    assert len(pair(long_text + " now", long_text + " noe", "yes", "yes")) == 1
    assert len(pair(long_text, long_text.upper(), "yes", "no")) == 1


def test_long_texts_and_mappings_are_compared_too() -> None:
    source = random.Random(5)
    text = " ".join(source.choices(WORDS, k=600))
    other = " ".join(source.choices(WORDS, k=600))
    cases = [
        Case(id="a", input={"q": text, "lang": "en"}),
        Case(id="b", input={"lang": "en", "q": text.replace("apple", "apples", 3)}),
        Case(id="c", input={"lang": "en", "q": other}),
    ]
    assert duplicate_groups(cases) == [("a", "b"), ("c",)]


ORDER = "my parcel for the order {} has not come and i want my money back now please"


def asked(*numbers: str, answers: tuple[str | None, ...] = ("refund",)) -> list[Case]:
    """One letter with different numbers in it, and the answers wanted in turn."""
    return [
        Case(id=number, input=ORDER.format(number), expected=answers[at % len(answers)])
        for at, number in enumerate(numbers)
    ]


def test_numbers_that_decide_nothing_do_not_make_another_case() -> None:
    assert duplicate_groups(asked("1042", "2107", "3999")) == [("1042", "2107", "3999")]


def test_where_numbers_decide_the_answer_they_make_another_case() -> None:
    cases = asked("10", "40", "41", "42", answers=("refund", "no refund"))
    assert len(duplicate_groups(cases)) == 4


def test_without_answers_only_long_numbers_are_names_of_things() -> None:
    assert len(duplicate_groups(asked("10", "40", answers=(None,)))) == 2
    assert duplicate_groups(asked("884210", "884977", answers=(None,))) == [("884210", "884977")]


def test_a_short_text_is_told_apart_by_its_numbers() -> None:
    cases = [Case(id=number, input=f"add {number}", expected="ok") for number in ("17", "23")]
    assert len(duplicate_groups(cases)) == 2


def test_the_same_words_in_another_order_or_one_more_are_the_same_question_where_the_answer_is_known() -> None:
    text = "please tell me where the blue parcel i ordered last week is"
    turned = "where the blue parcel i ordered last week is please tell me"
    more = f"{text} today"

    def grouped(one: str, other: str, answer: str | None) -> int:
        return len(
            duplicate_groups([Case(id="a", input=one, expected=answer), Case(id="b", input=other, expected=answer)])
        )

    assert grouped(text, turned, "shipping") == 1 == grouped(text, turned, None)
    assert grouped(text, more, "shipping") == 1
    assert grouped("send the two large boxes to me", "do not send the two large boxes to me", None) == 2


@pytest.mark.parametrize(("words", "seed"), [(12, 1), (12, 2), (120, 3), (120, 4)])
def test_pairs_are_found_as_if_each_were_held_against_each(words: int, seed: int) -> None:
    """Sorting by length, by answer and by the words two texts hold leaves out nothing that is alike."""
    source = random.Random(seed)
    texts: list[list[str]] = []
    for _ in range(40):
        text = source.choices(WORDS, k=words) if not texts or source.random() < 0.5 else list(source.choice(texts))
        for _ in range(source.randrange(0, max(2, words // 15))):
            text[source.randrange(len(text))] = source.choice(("pear", "plum", *WORDS))
        texts.append(text)
    made = [
        Case(id=f"c{place}", input=" ".join(text), expected=source.choice(("yes", "no", None)))
        for place, text in enumerate(texts)
    ]
    found = {case_id: group for group in duplicate_groups(made) for case_id in group}
    alike = 0
    for one, other in combinations(made, 2):
        if len(duplicate_groups([one, other])) == 1:
            alike += 1
            assert found[one.id] == found[other.id]
    assert alike > 5
    assert all(_linked(made, group) for group in set(found.values()))


def _linked(made: list[Case], group: tuple[str, ...]) -> bool:
    """Whether every member of a group is alike with some other one."""
    members = [case for case in made if case.id in group]
    return len(members) == 1 or all(
        any(len(duplicate_groups([one, other])) == 1 for other in members if other is not one) for one in members
    )
