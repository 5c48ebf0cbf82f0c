"""Three sets of a judge's scores that leave nothing to choose by: the run ends with its reason and names no winner."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from judged_world import RUBRIC, FakeJudge, JudgedWorld, judged_terms

from ceopt_tui.core.judging_ports import OutputToJudge, OutputVerdict
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.exits import ExitStatus
from ceopt_tui.headless import HeadlessSkin, finished_event
from schemas.evalset import Case

SETS = json.loads((Path(__file__).parents[1] / "data" / "field" / "B45_scores.json").read_text(encoding="utf-8"))
SCALE = RUBRIC.model_copy(update={"lowest": 0.0, "highest": 1.0, "pass_at": 1.0})
ITEMS = 10
TRIES = ("be exact", "be brief", "be kind", "be complete")


class ScoreSet(FakeJudge):
    """Gives the recorded score of each item to the text that an output says it follows."""

    def __init__(self, name: str) -> None:
        super().__init__(batch=1)
        self.sets = SETS[name]
        self.latest = list(self.sets.values())[-1]

    def _verdict(self, output: OutputToJudge, fresh: bool) -> OutputVerdict:
        text = output.output.split(":")[0]
        scores = self.sets.get(text, self.latest)
        score = float(scores[int(output.case.id[1:]) // 2 % ITEMS])
        return OutputVerdict(output.id, score, score >= 1, feedback="" if score >= 1 else "Say what to do.")


def answer(text: str, case: Case, sample: int) -> str:
    """Says which text it follows, as the sets name them."""
    number = next((at for at, line in enumerate(TRIES, 1) if line in text), 0)
    return f"{f'exp-{number:03d}' if number else 'baseline'}: {case.id}"


def world(folder: Path, name: str) -> JudgedWorld:
    """Ten items to tune on, each run and judged once."""
    terms = judged_terms(lowest=0.0, span=1.0, pass_at=1.0, reference_runs=1)
    return JudgedWorld(folder, answer=answer, lines=TRIES, terms=terms, judge=ScoreSet(name), rubric=SCALE)


def asked_once(judge: FakeJudge) -> Counter[tuple[str, str]]:
    """Outputs by how often they were judged for a score, second looks at the same output aside."""
    return Counter((case, output) for case, output, _, fresh in judge.asked if not fresh)


def names_no_winner(run: JudgedWorld, folder: Path, result: TickResult) -> None:
    event = finished_event(run.state, result, "")
    assert (event["kept"], event["held_out"]) == (0, None)
    report = (folder / "report.md").read_text(encoding="utf-8")
    assert "Kept changes" not in report and result.reason in report
    assert not run.backend.commits


async def test_ceiling(tmp_path: Path) -> None:
    run = world(tmp_path, "ceiling")
    result = await run.tick()
    assert (result.outcome, result.exit_status) == ("no_headroom", ExitStatus.FINISHED)
    assert result.reason == "already at the maximum; add harder cases"
    assert set(asked_once(run.judge).values()) == {1} and len(asked_once(run.judge)) == ITEMS
    assert not run.proposer.briefs and not run.state.experiments
    assert len(run.case_proposer.briefs) == 1
    names_no_winner(run, tmp_path, result)


async def test_constant(tmp_path: Path) -> None:
    run = world(tmp_path, "constant")
    result = await run.tick()
    assert (result.outcome, result.exit_status) == ("no_movement", ExitStatus.STOPPED)
    assert result.reason == "no score has moved (every case scores the same); check judge and harness"
    assert [experiment.name for experiment in run.state.experiments.values()] == ["exp-001", "exp-002"]
    names_no_winner(run, tmp_path, result)


async def test_half(tmp_path: Path) -> None:
    run = world(tmp_path, "half")
    result = await run.tick()
    assert (result.outcome, result.exit_status) == ("no_movement", ExitStatus.STOPPED)
    assert result.reason == "no score has moved (the same items pass every time); check judge and harness"
    assert len({one.hypothesis.category for one in run.state.experiments.values()}) == 3
    names_no_winner(run, tmp_path, result)


@pytest.mark.parametrize("name", SETS)
async def test_the_last_line_for_people_says_why(name: str, tmp_path: Path) -> None:
    run = world(tmp_path, name)
    said: list[str] = []
    skin = HeadlessSkin(as_json=False, out=said.append, talk=said.append)
    result = await run.tick()
    skin.opened(run.state, run.terms)
    for record in run.skin.records:
        skin.recorded(record)
    skin.finish(result, "ceopt run spec.yaml")
    assert result.reason in said
    assert ("harder case to add: Ask about the limit." in said) is (name == "ceiling")
