"""Sheets for a person: drawn by seed alone, each output once, the same again after a kill, arms hidden."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceopt_tui.core.judging_ports import Level, PersonMark
from ceopt_tui.core.state.judging import Place
from ceopt_tui.core.trust.sheets import PER_SHEET, Guide, Material, blind_sheet, calibration_sheet

GUIDE = Guide("How clear is it?", (Level(1, "1", "not at all"), Level(5, "5", "very")), seed=7)
OLD, NEW = "sha256:old", "sha256:new"


def outputs(cases: int, samples: int = 4, text: str = OLD) -> dict[Place, Material]:
    return {
        (text, f"case-{case}", sample): Material(f"input {case}", f"{text} says {case} {sample}", "wanted")
        for case in range(cases)
        for sample in range(samples)
    }


def both(cases: int) -> dict[Place, Material]:
    return {**outputs(cases), **outputs(cases, text=NEW)}


def test_a_calibration_sheet_shows_ten_outputs_of_as_many_cases() -> None:
    drawn = calibration_sheet(outputs(30), GUIDE, 1)
    assert (drawn.sheet.id, drawn.sheet.purpose, len(drawn.sheet.items)) == ("calibration-1", "calibration", PER_SHEET)
    assert len({place[1] for place in drawn.places.values()}) == PER_SHEET
    assert (drawn.sheet.rubric, drawn.sheet.levels) == (GUIDE.rubric, GUIDE.levels)
    for item in drawn.sheet.items:
        assert (item.input, item.output, item.expected) == outputs(30)[drawn.places[item.id]]


def test_few_cases_are_shown_evenly() -> None:
    drawn = calibration_sheet(outputs(4), GUIDE, 1)
    assert sorted(Counter(place[1] for place in drawn.places.values()).values()) == [2, 2, 3, 3]


def test_all_are_shown_where_there_are_fewer_than_ten() -> None:
    assert len(calibration_sheet(outputs(2, samples=3), GUIDE, 1).sheet.items) == 6


def test_the_order_of_coming_in_makes_no_difference_and_the_seed_does() -> None:
    materials = outputs(30)
    backwards = dict(reversed(materials.items()))
    assert calibration_sheet(backwards, GUIDE, 1) == calibration_sheet(materials, GUIDE, 1)
    other = calibration_sheet(materials, Guide(GUIDE.rubric, GUIDE.levels, seed=8), 1)
    assert set(other.places.values()) != set(calibration_sheet(materials, GUIDE, 1).places.values())


def test_identical_outputs_are_shown_once() -> None:
    same = {(OLD, "case", sample): Material("input", "always this") for sample in range(4)}
    assert len(calibration_sheet(same, GUIDE, 1).sheet.items) == 1
    shown = next(iter(calibration_sheet(same, GUIDE, 1).places.values()))
    assert calibration_sheet(same, GUIDE, 2, seen=[shown]).sheet.items == ()


def test_the_same_words_for_another_input_are_another_output() -> None:
    words = {(OLD, f"case-{case}", 0): Material(f"input {case}", "yes") for case in range(3)}
    assert len(calibration_sheet(words, GUIDE, 1).sheet.items) == 3


def test_sheets_follow_one_another_until_everything_was_shown() -> None:
    materials, seen = outputs(6), list[Place]()
    sizes = []
    for number in range(1, 5):
        drawn = calibration_sheet(materials, GUIDE, number, seen=seen)
        sizes.append(len(drawn.sheet.items))
        seen += drawn.places.values()
    assert sizes == [10, 10, 4, 0]
    assert sorted(seen) == sorted(materials)


@given(st.integers(1, 14), st.integers(1, 4), st.integers(0, 99), st.integers(0, 10), st.randoms())
def test_a_half_done_sheet_comes_back_the_same(cases: int, samples: int, seed: int, done: int, rng) -> None:  # type: ignore[no-untyped-def]
    guide, materials = Guide("r", (), seed), outputs(cases, samples)
    first = calibration_sheet(materials, guide, 1)
    marked = rng.sample(list(first.places.values()), min(done, len(first.places)))
    marks = {place: PersonMark(3.0) for place in marked}
    again = calibration_sheet(materials, guide, 1, marks=marks)
    assert (again.places, again.sheet.items) == (first.places, first.sheet.items)
    assert {again.places[item] for item in again.sheet.marks} == set(marked)


@given(st.integers(1, 14), st.integers(0, 99), st.integers(0, 20), st.randoms())
def test_a_half_done_blind_sheet_comes_back_the_same(cases: int, seed: int, done: int, rng) -> None:  # type: ignore[no-untyped-def]
    guide, materials, groups = Guide("r", (), seed), both(cases), [["case-0", "case-1"], ["case-2", "case-3", "case-4"]]
    first = blind_sheet(materials, guide, (OLD, NEW), 3, groups=groups)
    marked = rng.sample(list(first.places.values()), min(done, len(first.places)))
    marks = {place: PersonMark(None) for place in marked}
    again = blind_sheet(materials, guide, (OLD, NEW), 3, groups=groups, marks=marks)
    assert (again.places, again.sheet.items) == (first.places, first.sheet.items)


def test_marks_stay_when_more_outputs_come_in() -> None:
    marks = {place: PersonMark(2.0) for place in list(calibration_sheet(outputs(5), GUIDE, 1).places.values())[:4]}
    grown = calibration_sheet(outputs(40), GUIDE, 1, marks=marks)
    assert set(marks) <= set(grown.places.values())
    assert len(grown.places) == PER_SHEET


def test_a_blind_sheet_mixes_one_output_of_each_text_for_ten_cases() -> None:
    drawn = blind_sheet(both(14), GUIDE, (OLD, NEW), 3)
    assert (drawn.sheet.id, drawn.sheet.purpose, len(drawn.sheet.items)) == ("blind-3-1", "blind", 2 * PER_SHEET)
    by_case = Counter(place[1] for place in drawn.places.values())
    assert set(by_case.values()) == {2}
    assert Counter(place[0] for place in drawn.places.values()) == {OLD: 10, NEW: 10}


def test_nothing_on_a_blind_sheet_tells_the_texts_apart() -> None:
    materials = {place: Material("input", f"out {place[1]}") for place in both(10)}
    drawn = blind_sheet(materials, GUIDE, (OLD, NEW), 3)
    assert OLD not in repr(drawn.sheet)
    assert NEW not in repr(drawn.sheet)
    assert all(re.fullmatch("[0-9a-f]{12}", item.id) for item in drawn.sheet.items)


def test_the_order_of_a_blind_sheet_says_nothing() -> None:
    """Over many seeds either text comes first equally often, and its rank in the list is the middle on average."""
    first_is_new, ranks = 0, 0.0
    for seed in range(400):
        drawn = blind_sheet(both(6), Guide("r", (), seed), (OLD, NEW), 1)
        arms = [drawn.places[item.id][0] for item in drawn.sheet.items]
        first_is_new += arms[0] == NEW
        ranks += sum(rank for rank, arm in enumerate(arms) if arm == NEW) / 6
    assert 160 <= first_is_new <= 240
    assert ranks / 400 == pytest.approx(5.5, abs=0.25)


def test_cases_without_an_output_of_both_texts_are_left_out() -> None:
    materials = {**outputs(5), **outputs(3, text=NEW), **outputs(9, text="sha256:other")}
    drawn = blind_sheet(materials, GUIDE, (OLD, NEW), 1)
    assert {place[1] for place in drawn.places.values()} == {"case-0", "case-1", "case-2"}


def test_later_blind_sheets_bring_other_cases_and_complete_what_was_left_half_scored() -> None:
    materials = both(14)
    first = blind_sheet(materials, GUIDE, (OLD, NEW), 1)
    lone = next(place for place in first.places.values() if place[0] == NEW)
    seen = [place for place in first.places.values() if place != lone]
    second = blind_sheet(materials, GUIDE, (OLD, NEW), 1, 2, seen=seen)
    assert second.sheet.id == "blind-1-2"
    assert lone in second.places.values()
    assert not set(second.places.values()) & set(seen)
    assert len({place[1] for place in second.places.values()}) == 5
    assert not set(second.places) & set(first.places)


def test_one_of_each_group_of_near_duplicates_comes_first() -> None:
    groups = [[f"case-{case}" for case in range(8)]]
    drawn = blind_sheet(both(17), GUIDE, (OLD, NEW), 1, groups=groups)
    cases = {place[1] for place in drawn.places.values()}
    assert len(cases & set(groups[0])) == 1
    assert len(cases) == 10


def test_nothing_to_score_is_an_empty_sheet() -> None:
    assert calibration_sheet({}, GUIDE, 1).sheet.items == ()
    assert blind_sheet(outputs(4), GUIDE, (OLD, NEW), 1).sheet.items == ()
