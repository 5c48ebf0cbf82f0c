"""A run whose command prints the cases that decide, with a person: what each question lays out before it is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from command_run_world import Bench, CommandRun, Edit, command_terms
from fakes import FakeSkin

from ceopt_tui.core.command_ports import Printed
from ceopt_tui.core.plan.command.terms import CaseTerms
from ceopt_tui.engine.questions import KEEP, PROCEED
from schemas.command_records import Workload

SPEC: dict[str, Any] = {
    "metric": {
        "primary": {"type": "hard", "name": "right", "direction": "maximize"},
        "degenerate_gates": [{"name": "correct", "check": "== 1"}],
    },
    "measurement": {"stability": {"comparison": {"method": "evidence"}}, "holdout": {"command": "./held-out"}},
}


@dataclass
class CaseBench(Bench):
    """Every second case passes at first; a change passes all but the first of those that passed on either side."""

    async def run(self, commit: str, workload: Workload, slot: int, censor_after_s: float | None) -> Printed:
        self.calls.append((commit, workload))
        names = [f"{workload}-{at}" for at in range(12)]
        passed = [at % 2 == 1 if commit == "base" else at != 1 for at in range(12)]
        return Printed("ok", {"right": sum(passed) / 12, "correct": 1}, cases=dict(zip(names, passed, strict=True)))


@pytest.fixture
def world(tmp_path: Path) -> CommandRun:
    world = CommandRun(tmp_path, edits=(Edit(50),), approved=False)
    world.bench = CaseBench(world.edits)
    terms = command_terms(
        spec=SPEC,
        primary="right",
        maximize=True,
        names=("right", "correct"),
        paired=False,
        repeats=4,
        batch=1,
        cases=CaseTerms(),
    )
    world.terms = replace(terms, attended=True, maximize=True)
    world.skin = FakeSkin(answers=[PROCEED, PROCEED, KEEP, "done"])
    return world


async def test_every_question_says_what_the_cases_say(world: CommandRun) -> None:
    result = await world.tick()
    assert result.outcome == "improved"
    spec, baseline, keep, _ = (question.message for question in world.skin.asked)
    assert "Protocol   case by case, against the noise measured in the run" in spec
    assert "caution normal" in spec
    assert "Can see    no gain below 0.16667 can be told from chance" in baseline
    assert "Compared   standalone, selection, by ceopt" in keep
    assert "Compared   holdout, by ceopt" in keep
    assert "Decided    holdout: confirmed on the held-out cases: p" in keep
    assert "Breaks     holdout-1, selection-1: always passed, now always fails" in keep


async def test_whoever_edits_hears_of_no_held_out_case_that_broke(world: CommandRun) -> None:
    world.edits = world.bench.edits = (Edit(50), Edit(60))
    world.maker.edits = world.edits
    world.skin.answers = [PROCEED, PROCEED, "refuse: it loses a case", "refuse: so does this", "done"]
    await world.tick()
    told = [str(recipe) for recipe in world.maker.told]
    assert any("it loses a case" in one for one in told)
    assert not any("holdout-" in one for one in told)
