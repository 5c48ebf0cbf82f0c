"""The value of texts, and of what is known of them."""

from __future__ import annotations

from itertools import product

import pytest
from study_world import cases, claim, numbers, scored, world

from ceopt_tui.core.study.cells import Cell
from ceopt_tui.core.study.value import MetaValue, is_converged, is_powered, meta_value, text_values
from ceopt_tui.core.study.verdicts import verdicts

EVERYWHERE = frozenset({"a", "b"})
WHOLE = MetaValue(True, True, True, True)


def score(cell: Cell) -> float:
    return (0.9 if cell.case.scorer == "exact" else 0.5) if cell.text == "better" else 0.1


def test_a_text_is_worth_the_weighted_mean_of_its_scorers() -> None:
    cells = world(asked=[*cases(8), *numbers(8)])
    scores = scored(cells, score)
    plain, better = text_values(cells, scores, {})
    assert (plain.text, plain.value, better.value) == ("plain", pytest.approx(0.1), pytest.approx(0.7))
    assert text_values(cells, scores, {"number": 3})[1].value == pytest.approx(0.6)
    assert text_values(cells, scores, {"exact": 0, "number": 0})[1].value is None
    assert better.tags.evidence == "measured"


def test_a_scorer_without_a_score_leaves_no_value() -> None:
    cells = world(asked=[*cases(8), *numbers(8)])
    scores = scored(cells, lambda cell: None if cell.case.scorer == "number" else 1.0)
    assert [one.value for one in text_values(cells, scores, {})] == [None, None]
    assert not is_powered(cells, scores)


def test_every_component_of_what_is_known_is_computed() -> None:
    cells = world()
    scores = scored(cells, score)
    held = verdicts([claim(confounds=("order",))], cells, scores, EVERYWHERE)
    assert meta_value(held, registered=True, powered=is_powered(cells, scores), trusted=True, apart=True) == WHOLE
    alone = verdicts([claim(control=None, confounds=("order",))], cells, scores, EVERYWHERE)
    assert not meta_value(alone, registered=True, powered=True, trusted=True, apart=True).confound_control
    bare = verdicts([claim()], cells, scores, EVERYWHERE)
    assert not meta_value(bare, registered=True, powered=True, trusted=True, apart=True).confound_control
    few = verdicts([claim(confounds=("order",), power={"k": 9, "n": 8})], cells, scores, EVERYWHERE)
    assert not meta_value(few, registered=True, powered=True, trusted=True, apart=True).statistical_power


def test_converged_is_good_enough_and_all_four() -> None:
    assert is_converged(0.8, WHOLE, method_goal=False) and not is_converged(0.79, WHOLE, method_goal=False)
    assert is_converged(0.55, WHOLE, method_goal=True) and not is_converged(0.54, WHOLE, method_goal=True)
    assert not is_converged(None, WHOLE, method_goal=True)
    for parts in product([True, False], repeat=4):
        assert is_converged(1.0, MetaValue(*parts), method_goal=False) == all(parts)
