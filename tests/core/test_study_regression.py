"""One text against another by family: only intervals that do not meet are an answer."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceopt_tui.core.study.cells import Cell
from ceopt_tui.core.study.regression import Side, changes, together
from schemas.study import BoundTarget
from schemas.study_cases import StudyCase

LEVELS = st.dictionaries(st.sampled_from(["oak", "elm"]), st.lists(st.floats(0, 1), max_size=12))


def case(number: int) -> StudyCase:
    return StudyCase.model_validate({"id": f"c{number}", "input": "?", "answer": {"type": "exact", "value": "x"}})


def side(levels: Mapping[str, list[float]], *, text: str = "a", repeats: int = 5) -> Side:
    """Every family has one target; each value is the score of one case, the same in all repeats."""
    cells, scores = [], {}
    for family in ("oak", "elm"):
        target = BoundTarget.model_validate({"id": family, "family": family, "harness": "api", "model": family})
        for number, value in enumerate(levels.get(family, [])):
            for repeat in range(repeats):
                cell = Cell(text, target, case(number), repeat)
                cells.append(cell)
                scores[cell.id] = value
    return Side(cells, scores)


def words(before: dict[str, list[float]], after: dict[str, list[float]]) -> list[str]:
    return [change.word for change in changes(side(before), side(after, text="b"))]


def test_intervals_that_do_not_meet_are_an_answer() -> None:
    low, high = [0.0] * 8, [1.0] * 8
    assert words({"oak": low, "elm": low}, {"oak": high, "elm": high}) == ["improved", "improved"]
    assert words({"oak": high, "elm": low}, {"oak": low, "elm": high}) == ["regressed", "improved"]
    assert words({"oak": low}, {"oak": low}) == ["inconclusive"]


def test_one_case_is_no_answer() -> None:
    [change] = changes(side({"oak": [1.0]}), side({"oak": [0.0]}, text="b"))
    assert (change.word, change.baseline, change.candidate) == ("inconclusive", None, None)


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        (["oak", "elm"], ["oak", "elm"], "inconclusive"),
        ([], ["oak", "elm"], "improved"),
        (["oak", "elm"], ["oak"], "regressed"),
        ([], ["oak"], "inconclusive"),
    ],
)
def test_one_family_that_is_worse_decides(before: list[str], after: list[str], word: str) -> None:
    levels = [{family: [float(family in good)] * 8 for family in ("oak", "elm")} for good in (before, after)]
    assert together(changes(side(levels[0]), side(levels[1], text="b"))) == word


def test_the_weaker_side_names_the_evidence() -> None:
    levels = {"oak": [1.0] * 8, "elm": [1.0] * 8}
    [oak, _] = changes(side(levels), side(levels, text="b", repeats=2))
    assert str(oak.tags) == "[underpowered][exploratory]"
    assert {str(change.tags) for change in changes(side(levels), side(levels, text="b"))} == {"[measured]"}


@given(LEVELS, LEVELS)
def test_turned_around_it_says_the_opposite(before: dict[str, list[float]], after: dict[str, list[float]]) -> None:
    opposite = {"improved": "regressed", "regressed": "improved", "inconclusive": "inconclusive"}
    there = {change.family: change.word for change in changes(side(before), side(after, text="b"))}
    back = {change.family: change.word for change in changes(side(after, text="b"), side(before))}
    for family in there.keys() & back.keys():
        assert opposite[there[family]] == back[family]
