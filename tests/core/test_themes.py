"""Failure themes over time: ids that stay, edits that hold, and where every failing case goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceopt_tui.core.themes import (
    Group,
    ThemeShare,
    current_themes,
    known_themes,
    new_theme_id,
    on_theme_and_rest,
    stable,
    themes_in_force,
    trend,
)
from schemas.judging_records import Theme, ThemeEdited, ThemesGrouped

CASES = tuple(f"c{number}" for number in range(9))
WORDS = ("long answers", "wrong tone", "missing apology", "invented figures", "other language")


def theme(identifier: str, cases: str, name: str = "", change: str = "") -> Theme:
    return Theme(id=identifier, name=name or f"name of {identifier}", change=change, cases=tuple(cases.split()))


def grouping(*themes: Theme, unexplained: Sequence[str] = ()) -> ThemesGrouped:
    return ThemesGrouped(text_digest="d", generation=0, themes=themes, unexplained=tuple(unexplained))


def edit(op: Any, of: str, **more: Any) -> ThemeEdited:
    return ThemeEdited(op=op, theme=of, **more)


def shown(themes: Sequence[Theme]) -> dict[str, str]:
    return {one.id: " ".join(one.cases) for one in themes}


TWO = grouping(theme("t1", "a b c", "long"), theme("t2", "d e", "rude"), unexplained=["x"])


def test_without_a_grouping_there_are_no_themes() -> None:
    assert current_themes([], [edit("dismiss", "t1")]) == ()
    assert themes_in_force([], []).unexplained == ()
    assert known_themes([]) == ()
    assert trend([]) == {}


def test_a_renamed_theme_keeps_its_name_when_it_is_grouped_again() -> None:
    again = grouping(theme("t1", "a b", "too many words"))
    (only,) = current_themes([TWO, again], [edit("rename", "t1", name="Long-winded")])
    assert (only.name, only.cases) == ("Long-winded", ("a", "b"))


def test_a_merged_themes_cases_keep_going_to_the_other_even_where_that_has_none_of_its_own() -> None:
    merge = edit("merge", "t2", into="t1")
    assert shown(current_themes([TWO], [merge])) == {"t1": "a b c d e"}
    later = grouping(theme("t2", "d f", "rude"))
    (only,) = current_themes([TWO, later], [merge])
    assert (only.id, only.name, only.cases) == ("t1", "long", ("d", "f"))


def test_a_dismissed_theme_stays_dismissed_until_it_is_restored_and_its_cases_stay_accounted_for() -> None:
    dismissed = themes_in_force([TWO, TWO], [edit("dismiss", "t2")])
    assert (shown(dismissed.themes), shown(dismissed.dismissed)) == ({"t1": "a b c"}, {"t2": "d e"})
    assert dismissed.unexplained == ("x",)
    restored = current_themes([TWO], [edit("dismiss", "t2"), edit("restore", "t2")])
    assert set(shown(restored)) == {"t1", "t2"}
    assert set(shown(current_themes([TWO], [edit("restore", "t2")]))) == {"t1", "t2"}


def test_a_split_holds_for_its_cases_while_they_are_in_that_theme() -> None:
    split = edit("split", "t1", into="t3", name="no summary", cases=("b", "c"))
    assert shown(current_themes([TWO], [split])) == {"t3": "b c", "t2": "d e", "t1": "a"}
    later = grouping(theme("t1", "a b"), theme("t2", "c d"))
    assert shown(current_themes([TWO, later], [split])) == {"t1": "a", "t2": "c d", "t3": "b"}
    assert shown(known_themes([TWO], [split])) == {"t1": "a", "t2": "d e", "t3": "b c"}


def test_edits_follow_one_another() -> None:
    edits = [
        edit("merge", "t2", into="t1"),
        edit("split", "t1", into="t3", cases=("d",)),
        edit("merge", "t1", into="t3"),
        edit("rename", "t3", name="all"),
    ]
    (only,) = current_themes([TWO], edits)
    assert (only.id, only.name, only.cases) == ("t3", "all", ("a", "b", "c", "d", "e"))


@pytest.mark.parametrize(
    "nothing",
    [
        edit("rename", "t9", name="x"),
        edit("rename", "t1"),
        edit("merge", "t1", into="t1"),
        edit("merge", "t1", into="t9"),
        edit("merge", "t1"),
        edit("split", "t1", cases=("a",)),
        edit("split", "t1", into="t1", cases=("a",)),
    ],
)
def test_an_edit_that_names_nothing_known_changes_nothing(nothing: ThemeEdited) -> None:
    assert current_themes([TWO], [nothing]) == TWO.themes


def test_an_id_is_never_used_for_another_thing() -> None:
    groupings = [TWO, grouping(theme("t1", "a b"))]
    split = edit("split", "t1", into="t3", name="gruff", cases=("b",))
    known = known_themes(groupings, [split])
    assert new_theme_id(known) == "t4"
    assert shown(stable(known, [("weather", "say how it is outside", ("q",))])) == {"t4": "q"}


def test_a_theme_comes_back_under_its_id_by_its_words() -> None:
    known = known_themes([TWO, grouping(theme("t1", "a"))])
    grouped = [("rude answers", "be less rude", ("k",)), ("long", "", ("a",))]
    assert shown(stable(known, [("rude", "", ("k",)), grouped[1]])) == {"t1": "a", "t2": "k"}


def test_a_live_theme_is_matched_before_one_that_is_gone() -> None:
    known = [theme("t1", "a b c", "long replies", "cut"), theme("t2", "", "rude reply", "be kind")]
    assert shown(stable(known, [("rude reply", "be kind", ("a", "b"))])) == {"t1": "a b"}


def test_ids_of_other_makers_are_kept_and_counted_as_none() -> None:
    assert shown(stable([theme("form", "a b")], [("x", "", ("a", "b")), ("y", "", ("c",))])) == {
        "form": "a b",
        "t1": "c",
    }


def test_a_theme_keeps_its_name_and_takes_the_newest_word_on_what_to_change() -> None:
    (only,) = stable([theme("t1", "a b", "long", "cut it")], [("wordy", "cut it down", ("b", "a"))])
    assert (only.name, only.change, only.cases) == ("long", "cut it down", ("a", "b"))


def test_the_trend_is_the_share_of_failing_cases_with_edits_holding_for_the_past_too() -> None:
    later = grouping(theme("t1", "a"), theme("t3", "f g h"))
    found = trend([TWO, later], [edit("merge", "t3", into="t2"), edit("dismiss", "t1")])
    assert found == {
        "t1": (ThemeShare(3, 6), ThemeShare(1, 4)),
        "t2": (ThemeShare(2, 6), ThemeShare(3, 4)),
    }
    assert [part.share for part in found["t1"]] == [0.5, 0.25]
    assert ThemeShare(0, 0).share == 0.0


def test_a_gain_is_told_on_the_theme_and_on_the_rest() -> None:
    differences = {"a": 1.0, "b": 0.5, "c": -0.25}
    assert on_theme_and_rest({"a", "b", "z"}, differences) == (0.75, -0.25)
    assert on_theme_and_rest({"z"}, differences) == (None, pytest.approx(1.25 / 3))
    assert on_theme_and_rest(CASES, {"c1": 2.0}) == (2.0, None)


@st.composite
def groups(draw: st.DrawFn) -> list[Group]:
    """Some of the cases in groups without a case in common."""
    owner = draw(st.lists(st.integers(0, len(WORDS)), min_size=len(CASES), max_size=len(CASES)))
    found = []
    for number, words in enumerate(WORDS):
        if held := [case for case, one in zip(CASES, owner, strict=True) if one == number]:
            found.append((words, f"change the {words}", held))
    return found


def recorded(themes: Sequence[Theme]) -> ThemesGrouped:
    held = {case for one in themes for case in one.cases}
    return grouping(*themes, unexplained=[case for case in CASES if case not in held])


@given(st.lists(groups(), min_size=1, max_size=4))
def test_grouping_the_same_again_changes_no_id_in_any_order(rounds: list[list[Group]]) -> None:
    past: list[ThemesGrouped] = []
    for grouped in rounds:
        past.append(recorded(stable(known_themes(past), grouped)))
    before = past[-1].themes
    assert stable(known_themes(past), rounds[-1]) == before
    assert stable(known_themes(past), rounds[-1][::-1]) == before


@given(groups(), st.sampled_from(CASES))
def test_when_one_case_leaves_every_other_keeps_its_theme(grouped: list[Group], gone: str) -> None:
    before = stable((), grouped)
    fewer = [(name, change, [case for case in cases if case != gone]) for name, change, cases in grouped]
    after = stable(before, [group for group in fewer if group[2]])
    owners = {case: one.id for one in before for case in one.cases}
    assert {case: one.id for one in after for case in one.cases} == {
        case: owner for case, owner in owners.items() if case != gone
    }


IDS = st.sampled_from([f"t{number}" for number in range(1, 8)])
EDITS = st.lists(
    st.builds(
        ThemeEdited,
        op=st.sampled_from(["rename", "merge", "split", "dismiss", "restore"]),
        theme=IDS,
        into=st.none() | IDS,
        name=st.none() | st.just("named"),
        cases=st.sets(st.sampled_from(CASES)).map(lambda found: tuple(sorted(found))),
    ),
    max_size=6,
)


@given(st.lists(groups(), min_size=1, max_size=3), EDITS)
def test_every_failing_case_is_in_exactly_one_place_whatever_a_person_edits(
    rounds: list[list[Group]], edits: list[ThemeEdited]
) -> None:
    past: list[ThemesGrouped] = []
    for grouped in rounds:
        past.append(recorded(stable(known_themes(past, edits), grouped)))
    found = themes_in_force(past, edits)
    placed = [case for one in (*found.themes, *found.dismissed) for case in one.cases]
    assert sorted([*placed, *found.unexplained]) == sorted(CASES)
    ids = [one.id for one in (*found.themes, *found.dismissed)]
    assert len(ids) == len(set(ids))
    assert new_theme_id(known_themes(past, edits)) not in {one.id for made in past for one in made.themes}
