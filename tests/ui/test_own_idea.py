"""`i` on a run: a person's words are on record, and the next experiment is made of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fakes import FakeClock, FakeProposer, terms
from pictures import check_picture
from stage import Stage, on_stage, text_of, until
from world import World, helps

from ceopt_tui.core.ports import Draft
from ceopt_tui.engine.parts import Parts
from schemas.records import ModelBound


class Listens(FakeProposer):
    """Has ideas of its own, and writes a person's words down as they are."""

    async def propose(self, brief: Any, idea: Any, refused: Any) -> Draft:
        if "words" not in idea.parameters:
            return await super().propose(brief, idea, refused)
        ((path, text),) = brief.texts.items()
        return Draft({path: f"{text}{idea.parameters['words']}\n"})


@dataclass
class WithModel(World):
    """A world whose changes are written by a model."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.proposer = Listens(self.lines)

    def parts(self) -> Parts:
        writer = ModelBound(role="proposer", name="strong", model="fake/strong", endpoint="here")
        return replace(super().parts(), models=(writer,))


async def test_an_idea_of_a_person_is_tried_next(tmp_path: Path) -> None:
    clock = FakeClock()
    world = WithModel(
        tmp_path / "triage",
        helps("be exact"),
        lines=("be kind", "be brief"),
        terms=terms(attended=True),
        approved=False,
        clock=clock,
    )
    stage = Stage(tmp_path, world, free=40)
    stage.clock = clock
    async with on_stage(stage, first=stage.entry) as (app, pilot):
        for question in ("Start measuring?", "Start optimizing?"):
            await until(pilot, lambda asked=question: asked in text_of(app))
            await pilot.press("down", "enter")
        await until(pilot, lambda: stage.settled(app) and world.state.current is not None)
        await pilot.press("i")
        await until(pilot, lambda: "What should be tried next?" in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: "What should be tried next?" not in text_of(app))
        await pilot.press("i")
        await until(pilot, lambda: "What should be tried next?" in text_of(app))
        await pilot.press(*"be exact")
        check_picture(app, "own-idea")
        await pilot.press("enter")
        await until(pilot, lambda: "h003 is next" in text_of(app))
        stage.runner.gate.set()
        await until(pilot, lambda: "Keep this change?" in text_of(app))
        tried = [one.hypothesis.description for one in world.state.experiments.values()]
        assert tried == ["say: be kind", "be exact"]
