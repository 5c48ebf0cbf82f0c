"""What every proposer owes a run, whoever has its ideas: one suite over the mechanical, the model's and a command."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from fakes import cases, split_of
from world import TEXT, World

from ceopt_tui.core.ports import Accept, Brief, ModelReply, ModelRequest, Proposer, Refusal, ResolvedModel
from ceopt_tui.engine.ideas import brief as brief_of
from ceopt_tui.engine.parts import RunInputs
from schemas.idea_key import idea_key
from schemas.records import CallFacts
from texttargets.guards import make_guard
from texttargets.leak_sources import LeakSources
from texttargets.limits import Limits
from texttargets.proposers.command import CommandProposer, CommandSetting
from texttargets.proposers.llm import LLMProposer
from texttargets.proposers.mechanical import MechanicalProposer

MARKER = "zebra-7741"  # stands in every input, output and answer of a held-out case, and in none else
REFUSAL = Refusal("too_long", "seventeen tokens too many")
LINE = "Answer with the number."


class Books:
    """Takes every account."""

    async def begin(self) -> str:
        return "c1"

    async def end(self, facts: CallFacts, error: str | None = None) -> None:
        """Nothing is counted here."""


@dataclass
class Model:
    """Appends a line; keeps what it was shown."""

    line: str
    shown: list[str] = field(default_factory=list)

    async def complete(self, request: ModelRequest, accept: Accept | None = None) -> ModelReply:
        self.shown += [message.content for message in request.messages]
        reply = json.dumps({"why": "It is not said.", "edits": [{"append": self.line}]})
        return ModelReply(reply, CallFacts(role="proposer", model="m"))


@dataclass(frozen=True)
class Made:
    """A proposer, and all that it has been shown so far."""

    proposer: Proposer
    shown: Callable[[], str]


def mechanical(folder: Path, line: str) -> Made:
    return Made(MechanicalProposer(), lambda: "")


def llm(folder: Path, line: str) -> Made:
    model = Model(line)
    return Made(LLMProposer(model, ResolvedModel("strong", "m", "e")), lambda: "\n".join(model.shown))


def command(folder: Path, line: str) -> Made:
    """A script that keeps a copy of its folder and its environment for each start."""
    kept = folder / "kept"
    kept.mkdir()
    script = (
        f"copy={kept}/$(ls {kept} | wc -l); cp -r . $copy; env > $copy/environ; echo {shlex.quote(line)} >> prompt.md"
    )
    setting = CommandSetting(script, {"PATH": os.environ["PATH"]}, 30.0)

    def shown() -> str:
        return "\n".join(path.read_text("utf-8") for path in sorted(kept.rglob("*")) if path.is_file())

    return Made(CommandProposer(setting, Books(), lambda *_: None), shown)


KINDS = {"mechanical": mechanical, "llm": llm, "command": command}
every_kind = pytest.mark.parametrize("kind", KINDS)


@dataclass
class Marked(World):
    """A run whose held-out cases are marked all over."""

    def inputs(self) -> RunInputs:
        known = super().inputs()
        marked = {
            name: case.model_copy(update={"input": f"{MARKER} in {name}", "expected": f"{MARKER} {name}"})
            if name in known.split.holdout
            else case
            for name, case in cases(self.count).items()
        }
        return replace(known, cases=marked, split=split_of(list(marked), self.held_out), syntax="brace")


def changed_helps(text: str, case: Any, sample: int) -> str:
    """Any change helps, on the cases that a change is chosen on."""
    number = int(case.id[1:])
    if number % 2:
        return f"{MARKER} something else"
    return f"answer {number}" if number % 3 == 0 or text != TEXT["prompt.md"] else "something else"


def guard_of(inputs: RunInputs) -> Callable[[Mapping[str, str], Mapping[str, str]], Sequence[Refusal]]:
    sources = LeakSources(cases=tuple(inputs.cases.values()), held_out=inputs.split.holdout)
    return make_guard(sources=sources, syntax="brace", limits=Limits(None, None, inputs.mutable, original=inputs.texts))


def records(world: World, kind: str) -> list[Any]:
    return [record for record in world.skin.records if record.kind == kind]


def brief_after(world: World) -> Brief:
    """What a proposer would be told at the end of a run, its ideas not yet known."""
    return replace(brief_of(world.state, world.inputs(), world.terms, ""), tried_keys=frozenset(), tried=())


@every_kind
async def test_nothing_held_out_is_ever_shown_to_it(tmp_path: Path, kind: str) -> None:
    made, world = KINDS[kind](tmp_path, LINE), Marked(tmp_path / "run", changed_helps)
    await world.tick(proposer=made.proposer)
    assert records(world, "looked"), "a candidate was looked at on held-out cases"
    written = (*records(world, "hypothesis_added"), *records(world, "candidate_made"))
    told = [record.model_dump_json() for record in written]
    assert told and MARKER not in "\n".join([*told, made.shown()])
    assert kind == "mechanical" or "question 2" in made.shown()


@every_kind
async def test_a_refused_change_comes_back_once_and_costs_no_run(tmp_path: Path, kind: str) -> None:
    made, world = KINDS[kind](tmp_path, LINE), Marked(tmp_path / "run", changed_helps)
    await world.tick(proposer=made.proposer, guard=lambda before, after: [REFUSAL])
    for number in world.state.experiments:
        assert [one.attempt for one in records(world, "candidate_refused") if one.number == number] == [1, 2]
    assert {text for text, _, _ in world.runner.calls} == set(TEXT.values())
    assert {one.outcome for one in records(world, "experiment_closed")} == {"refused"}
    assert kind == "mechanical" or REFUSAL.message in made.shown()


@every_kind
async def test_no_idea_comes_twice(tmp_path: Path, kind: str) -> None:
    made, world = KINDS[kind](tmp_path, LINE), Marked(tmp_path / "run", changed_helps)
    await world.tick(proposer=made.proposer)
    ideas = [idea_key(idea.move, idea.parameters) for idea in records(world, "hypothesis_added")]
    assert ideas and len(set(ideas)) == len(ideas)
    again = await made.proposer.hypotheses(replace(brief_after(world), tried_keys=frozenset(ideas)), 4)
    assert not {idea_key(idea.move, idea.parameters) for idea in again} & set(ideas)


@every_kind
async def test_the_same_brief_gives_the_same_text(tmp_path: Path, kind: str) -> None:
    world = Marked(tmp_path / "run", changed_helps)
    await world.tick(proposer=MechanicalProposer())
    brief, texts = replace(brief_after(world), texts=TEXT), []
    for start in ("first", "second"):
        (tmp_path / start).mkdir()
        proposer = KINDS[kind](tmp_path / start, LINE).proposer
        idea = (await proposer.hypotheses(brief, 1))[0]
        texts.append((await proposer.propose(brief, idea, ())).texts)
    assert texts[0] == texts[1] and texts[0] != TEXT


@every_kind
async def test_its_text_passes_the_guards_or_is_refused(tmp_path: Path, kind: str) -> None:
    made = KINDS[kind](tmp_path, "Answer to {visitor} with the number.")
    world = Marked(tmp_path / "run", changed_helps)
    guard = guard_of(world.inputs())
    await world.tick(proposer=made.proposer, guard=guard)
    for one in records(world, "candidate_made"):
        assert not guard(world.state.texts[world.state.experiments[one.number].started.base_digest], one.texts)
    refused = {refusal["code"] for one in records(world, "candidate_refused") for refusal in one.refusals}
    assert kind == "mechanical" or refused >= {"placeholder_invented"}
    assert kind != "mechanical" or records(world, "candidate_made")
