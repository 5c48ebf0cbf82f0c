"""A reply of the judge that gave no score can be read up later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from judged_world import FakeJudge, JudgedWorld

from ceopt_tui.core.judging_ports import OutputToJudge, Verdicts


async def test_a_reply_that_gave_no_score_is_on_record_unless_it_speaks_of_held_out_outputs(tmp_path: Path) -> None:
    held_out = set(JudgedWorld(tmp_path).inputs().split.holdout)
    hard = {"c00", "c02", *sorted(held_out)[:2]}

    class Mumbling(FakeJudge):
        def _reply(self, outputs: Sequence[OutputToJudge], sample: int, fresh: bool) -> Verdicts:
            given = super()._reply(outputs, sample, fresh)
            word = "HELDOUTWORDS" if any(one.case.id in held_out for one in outputs) else "I cannot say."
            verdicts = (one if one.unscored is None else replace(one, raw=word) for one in given.verdicts)
            return replace(given, verdicts=tuple(verdicts))

    world = JudgedWorld(tmp_path, judge=Mumbling(unscored=lambda output: output.case.id in hard, batch=2))
    await world.tick()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"HELDOUTWORDS" not in path.read_bytes(), path
    verdicts = [one for record in world.skin.records if record.kind == "judged" for one in record.verdicts]
    assert {one.raw for one in verdicts if one.unscored and one.case_id not in held_out} == {"I cannot say."}
    assert {one.case_id for one in verdicts if one.unscored} & held_out
    assert {one.raw for one in verdicts if one.score is not None or one.case_id in held_out} == {""}
