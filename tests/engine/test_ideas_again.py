"""Which ideas come back on the text after a keep: what evidence refused does not, what was never a text does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeProposer
from world import World

from ceopt_tui.core.ports import Brief, Draft, HypothesisDraft, Refusal
from ceopt_tui.engine import ideas
from ceopt_tui.errors import ProposalError

LINES = ("be brief", "be calm", "be exact")
FIRST = "Answer.\n"


@dataclass
class Stumbling(FakeProposer):
    """Finds no words for one idea on the first text."""

    async def propose(self, brief: Brief, idea: HypothesisDraft, refused: Sequence[Refusal]) -> Draft:
        if idea.parameters["line"] == "be brief" and list(brief.texts.values()) == [FIRST]:
            raise ProposalError("no usable reply")
        return await super().propose(brief, idea, refused)


def answer(text: str, case: Any, sample: int) -> str:
    """Two of the lines help a third of the cases each; the other helps none."""
    number = int(case.id[1:])
    good = number % 3 == 0 or ("be exact", "be brief")[number % 3 - 1] in text
    return f"answer {number}" if good else "something else"


async def test_what_was_measured_and_refused_is_had_once_and_what_was_never_a_text_again(tmp_path: Path) -> None:
    world = World(tmp_path, answer, lines=LINES, count=80, held_out=40)
    world.proposer = Stumbling(LINES)
    await world.tick()
    tried = [
        (one.hypothesis.description, one.closed and one.closed.outcome) for one in world.state.experiments.values()
    ]
    assert tried == [
        ("say: be brief", "no_edits_applied"),
        ("say: be calm", "reverted"),
        ("say: be exact", "kept"),
        ("say: be brief", "kept"),
    ]


async def test_what_came_to_nothing_long_ago_is_still_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ideas, "TRIED_SHOWN", 1)
    world = World(tmp_path, answer, lines=LINES, count=80, held_out=40)
    world.proposer = Stumbling(LINES)
    await world.tick()
    last = world.proposer.briefs[-1]
    assert [one.description for one in last.tried] == ["say: be exact"]
    assert [(one.description, one.outcome) for one in last.refused] == [
        ("say: be brief", "no_edits_applied"),
        ("say: be calm", "reverted"),
    ]
