"""Whole runs on fakes: what is kept, what is not, and what is on record."""

from __future__ import annotations

from pathlib import Path

from world import World, helps

from ceopt_tui.exits import ExitStatus


async def test_a_change_that_helps_on_unseen_cases_is_kept(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("be kind", "be exact"))
    result = await world.tick()
    assert (result.status, result.outcome, result.exit_status) == ("finished", "improved", ExitStatus.FINISHED)
    assert [keep.number for keep in world.state.keeps] == [2]
    assert world.backend.commits[0][1] == {"prompt.md": "Answer.\nbe exact\n"}
    assert world.state.gain is not None and world.state.gain.after == 1.0 and world.state.gain.low > 0


async def test_a_change_that_helps_nothing_is_not_kept(tmp_path: Path) -> None:
    world = World(tmp_path, helps("never said"), lines=("be kind", "be brief"))
    result = await world.tick()
    assert result.outcome in {"no_improvement", "no_movement"}
    assert not world.backend.commits
