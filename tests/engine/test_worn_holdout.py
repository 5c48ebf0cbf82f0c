"""Held-out cases that were consulted too often: said once, in log and report, and each look has a higher bar."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fakes import terms
from world import World

LOOKS = 17


async def test_the_fifteenth_look_without_a_keep_is_said_to_be_one_too_many(tmp_path: Path) -> None:
    """Every change is learnt by heart: it wins on the cases it was tuned on and on no others."""
    lines = tuple(f"learn {number} by heart" for number in range(LOOKS))
    unbounded = terms(max_iterations=LOOKS, plateau=100)
    world = World(tmp_path, lambda *_: "", lines=lines, count=20, held_out=10, terms=unbounded)
    selection = set(world.inputs().split.selection)

    def by_heart(text: str, case: Any, sample: int) -> str:
        good = int(case.id[1:]) % 5 == 0 or ("by heart" in text and case.id in selection)
        return f"answer {int(case.id[1:])}" if good else "something else"

    world.runner.answer = by_heart
    result = await world.tick()
    assert result.outcome == "inconclusive" and not world.state.keeps
    assert [look.look for look in world.state.looks] == list(range(1, LOOKS + 1))
    levels = [look.level for look in world.state.looks]
    assert levels == sorted(levels, reverse=True) and levels[-1] < levels[0]
    worn = [note for note in world.state.notes if "the held-out cases are worn" in note.text]
    assert [note.text for note in worn] == [
        "the held-out cases are worn after 15 looks with 0 keeps: add fresh cases or stop; "
        "each further look has to clear a higher bar"
    ]
    assert worn[0].level == "warning" and worn[0].text in (tmp_path / "report.md").read_text("utf-8")
