"""What stands at the hub beyond what was taken."""

from __future__ import annotations

from test_waits import handed_out

from ceopt_tui.core.delivered import belongs, delivered_lines, left_over
from ceopt_tui.core.state.fold import fold
from schemas.command_records import ChangeMade, Delivered
from schemas.records import ExperimentClosed


def test_a_second_place_belongs_to_the_same_experiment_and_a_longer_number_does_not() -> None:
    assert belongs("exp-001", "exp-001") and belongs("exp-001-w2", "exp-001")
    assert not belongs("exp-0010", "exp-001") and not belongs("exp-001.2", "exp-001")


def test_a_result_still_waited_for_is_left_alone() -> None:
    assert left_over(handed_out(1), {"exp-1": "c1", "exp-1-w2": "c2", "exp-9": "c9"}) == []


def test_what_comes_after_the_end_is_late_and_said_once() -> None:
    state = fold([ExperimentClosed(number=1, outcome="error", reason="")], handed_out(1))
    [late] = left_over(state, {"exp-1": "c1"})
    assert (late.number, late.ref, late.commit, late.taken) == (1, "exp-1", "c1", False)
    fold([late], state)
    assert left_over(state, {"exp-1": "c1"}) == []
    assert delivered_lines(state) == [
        "exp-001: a result at exp-1 is not taken: it came after its experiment was closed"
    ]


def test_beside_a_result_that_was_taken_every_other_is_one_too_many() -> None:
    taken = Delivered(number=1, ref="exp-1", commit="c1", taken=True)
    state = fold([ChangeMade(number=1, commit="c", files=("src/a",)), taken], handed_out(1, 2))
    [other] = left_over(state, {"exp-1": "c1", "exp-1-w2": "c2", "exp-2": "c3"})
    assert (other.ref, other.reason) == ("exp-1-w2", "another result was taken before it")
    assert delivered_lines(state) == []
