"""Nothing held out reaches a theme or a proposer: a whole proposing session of the engine, read on the wire."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fakes import cases, split_of, terms
from model_fakes import ManualClock, model_at
from stub_endpoint import StubEndpoint, completion
from world import World, helps

from ceopt_tui.core.judging_ports import ThemeMaker
from ceopt_tui.core.plan.actions import GroupThemes, Hypothesize, Propose
from ceopt_tui.core.plan.terms import JudgeTerms
from ceopt_tui.core.ports import Proposer
from ceopt_tui.core.themes import current_themes
from ceopt_tui.engine.digest import digest_text
from ceopt_tui.engine.ideas import hypothesize, propose
from ceopt_tui.engine.parts import JudgeParts, Parts, RunInputs
from ceopt_tui.engine.session import Session, open_session
from ceopt_tui.engine.telling import with_learnings
from ceopt_tui.engine.theming import group_themes
from judges.client import LiteLLMClient
from judges.ledger import Ledger
from schemas.judging_records import Judged, JudgedRun, RubricBound, ThemeEdited
from schemas.records import AnyRecord, CaseRun, ExperimentClosed, ExperimentStarted, Looked, RunStarted
from texttargets.proposers.llm import LLMProposer
from texttargets.themes.maker import ModelThemes

MARKER = "zebra-7741"  # stands in every input, output, expected text and remark of a held-out case, and in none else
SAID = ("Too long, cut it.", "Be more concise.", "No apology is given.", "Say sorry first.", "Use bold type.")
ROUNDS = 3
RUBRIC = RubricBound(digest="rubric", text="Score from 1 to 5.", lowest=1, highest=5, pass_at=4, primary="score")
TERMS = terms(judge=JudgeTerms("rubric", "m"), lowest=1.0, span=4.0, pass_at=4.0)


class Unused:
    """Stands where nothing may be called."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was used")


def inputs_of(world: World) -> RunInputs:
    """The world's cases, the held-out ones marked all over."""
    inputs = world.inputs()
    marked = {
        name: case.model_copy(update={"input": f"{MARKER} in {name}", "expected": f"{MARKER} {name}"})
        if name in inputs.split.holdout
        else case
        for name, case in cases(world.count).items()
    }
    values = {**inputs.__dict__, "cases": marked, "split": split_of(list(marked), world.held_out)}
    return RunInputs(**values)


def run_of(
    digest: str, case_id: str, step: Any, said: str, sign: str = "", number: int | None = None
) -> list[AnyRecord]:
    """One run of a text on a case, with the judge's verdict on it."""
    run = CaseRun(
        text_digest=digest, case_id=case_id, sample=0, step=step, experiment=number,
        output=f"{sign}output {case_id}", awaits_judge=True,
    )  # fmt: skip
    verdict = JudgedRun(text_digest=digest, case_id=case_id, sample=0, score=2.0, passed=False, feedback=said)
    return [run, Judged(verdicts=(verdict,))]


async def measured(session: Session, inputs: RunInputs) -> None:
    """The current text has been run and judged on every case, held-out ones too, whose remarks are on record."""
    recorder, digest = session.recorder, inputs.text_digest
    await recorder.commit(
        RunStarted(
            run_id="r", name="fake", ceopt_version="0", repository="", spec_file="", spec_digest="",
            approval_digest="", measurement_digest="", base_sha="base", branch="b", texts=dict(inputs.texts),
            text_digest=digest, seed=7,
        ),
        inputs.split,
        RUBRIC,
    )  # fmt: skip
    for place, name in enumerate((*inputs.split.selection, *inputs.split.holdout)):
        held_out = name in inputs.split.holdout
        sign = f"{MARKER} " if held_out else ""
        step = "holdout" if held_out else "baseline"
        said = f"{sign}{SAID[place % len(SAID)]}"
        await recorder.commit(*run_of(digest, name, step, said, sign))


async def tried(session: Session, inputs: RunInputs, parts: Parts, number: int, idea: str) -> None:
    """One experiment: carried out, looked at on held-out cases, and turned down for what was seen there."""
    state, recorder = session.state, session.recorder
    started = ExperimentStarted(
        number=number, hypothesis_id=idea, base_digest=inputs.text_digest, base_sha="base", branch="b"
    )
    await recorder.commit(started)
    await propose(recorder, inputs, parts, Propose(number, 1), digest_text(state, TERMS.span))
    candidate = state.experiments[number].text_digest
    assert candidate is not None
    held_out = inputs.split.holdout[0]
    look = Looked(number=number, look=number, level=0.05, keeps=0)
    await recorder.commit(look, *run_of(candidate, held_out, "holdout", f"{MARKER} remark", MARKER, number))
    closed = ExperimentClosed(number=number, outcome="not_confirmed", reason=f"{MARKER} {held_out}")
    await recorder.commit(*with_learnings(state, [closed]))


def respond(body: dict[str, Any]) -> Any:
    """Plays the model that names themes, and the one that rewrites the text."""
    asked = body["messages"][1]["content"]
    if "[group g1" in asked:
        groups = [f"g{number}" for number in range(1, asked.count("[group g") + 1)]
        named = [{"groups": [one], "name": f"fault {one}", "change": f"Mend {one}."} for one in groups]
        return completion(json.dumps({"themes": named}))
    rule = f"Mind rule {len(asked)}."
    return completion(json.dumps({"why": "It is not said.", "edits": [{"append": rule}]}))


def parts_of(world: World, themes: ThemeMaker, proposer: Proposer) -> Parts:
    unused: Any = Unused()
    judging = JudgeParts(judge=unused, rubric=RUBRIC, levels=(), prober=unused, themes=themes)
    return Parts(**{**world.parts().__dict__, "terms": TERMS, "proposer": proposer, "judging": judging})


def dismissals(session: Session, generation: int) -> list[AnyRecord]:
    """A person dismisses one theme, then all: in the last round the proposer has nothing to go by."""
    judging = session.state.judging
    themes = current_themes(judging.groupings, judging.edits)
    return [ThemeEdited(op="dismiss", theme=theme.id) for theme in (themes if generation else themes[:1])]


async def session_of(world: World, endpoint: StubEndpoint, inputs: RunInputs) -> Session:
    """Themes, ideas, every idea carried out, a person's edits, and all of it again."""
    clock = ManualClock()
    with open_session(world.folder, world.clock, world.skin.recorded) as session:
        await measured(session, inputs)
        async with LiteLLMClient(Ledger(), None, clock=clock, sleep=clock.sleep) as client:
            model = model_at(endpoint)
            parts = parts_of(world, ModelThemes(client, model), LLMProposer(client, model))
            number = 0
            for generation in range(ROUNDS):
                await group_themes(session.recorder, inputs, parts, GroupThemes(generation))
                digest = digest_text(session.state, TERMS.span)
                await hypothesize(session.recorder, inputs, parts, Hypothesize(generation), digest, 0.0)
                ideas = [one for one in session.state.hypotheses.values() if one.generation == generation]
                assert len({idea.theme for idea in ideas}) == len(ideas)
                assert bool(ideas) is (generation < ROUNDS - 1)  # what a person dismissed is taken up by no other way
                for idea in ideas:
                    number += 1
                    await tried(session, inputs, parts, number, idea.id)
                await session.recorder.commit(*dismissals(session, generation))
    return session


async def test_what_is_held_out_is_in_no_request_of_a_whole_proposing_session(tmp_path: Path) -> None:
    world = World(tmp_path, helps("never"))
    inputs = inputs_of(world)
    with StubEndpoint(respond=respond) as endpoint:
        session = await session_of(world, endpoint, inputs)
    sent = [json.dumps(body, ensure_ascii=False) for body in endpoint.bodies]
    naming = [body for body in sent if "[group g1" in body]
    assert len(naming) == ROUNDS and len(sent) >= 2 * ROUNDS
    assert all(any(remark in body for body in naming) for remark in SAID)  # selection feedback did get there
    assert any("output c00" in body for body in sent)
    assert not [body for body in sent if MARKER in body]
    held_out = set(inputs.split.holdout)
    for grouping in session.state.judging.groupings:
        placed = {case for theme in grouping.themes for case in theme.cases} | set(grouping.unexplained)
        assert placed == set(inputs.split.selection)
        assert not placed & held_out
    journal = (world.folder / "journal.jsonl").read_text("utf-8")
    assert MARKER in journal  # the marker was there to be leaked
