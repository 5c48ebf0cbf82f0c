"""The end of a run with a person: applied, written up, taken further, done; and what ideas relied on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fakes import FakeProposer, FakeSkin, terms
from world import World, helps

from ceopt_tui.core.ports import Brief, HypothesisDraft
from ceopt_tui.engine.ending import end_run
from ceopt_tui.engine.wrapping_up import PULL_REQUEST_NAME
from ceopt_tui.errors import NeedsPersonError
from ceopt_tui.exits import ExitStatus
from schemas.records import AnyRecord, Finished, Reopened


def at_the_end(folder: Path, *answers: str, lines: tuple[str, ...] = ("be exact",), **changes: object) -> World:
    """A person approved everything, keeps what wins, and says this at the end."""
    world = World(folder, helps("be exact"), lines=lines, terms=terms(attended=True, **changes))
    world.skin = FakeSkin(answers=["keep", *answers])
    return world


def kinds(world: World) -> list[str]:
    return [record.kind for record in world.skin.records]


def only(world: World, kind: type[AnyRecord]) -> list[AnyRecord]:  # type: ignore[valid-type]
    return [record for record in world.skin.records if isinstance(record, kind)]


async def test_the_end_is_laid_out_and_the_run_is_over_once_a_person_is_content(tmp_path: Path) -> None:
    world = at_the_end(tmp_path, "done")
    result = await world.tick()
    question = world.skin.asked[-1]
    assert (question.id, question.title, question.question) == ("wrap-up", "fake: improved", "What now?")
    assert question.options == ("apply it to my files", "write a pull-request text", "done")
    for said in (
        "on 10 unseen cases",
        "The loop ended because: the text now passes",
        "Tried      1 kept",
        "Report     ",
    ):
        assert said in question.message, said
    assert (result.status, result.exit_status) == ("finished", ExitStatus.FINISHED)
    assert kinds(world).index("report_written") < kinds(world).index("wrap_up_chosen") < kinds(world).index("finished")
    assert not world.backend.applied


async def test_left_open_the_run_is_not_over_and_the_next_start_asks_again(tmp_path: Path) -> None:
    class LeavesAtTheEnd(FakeSkin):
        async def ask(self, question: object) -> str:
            if question.id == "wrap-up":  # type: ignore[attr-defined]
                self.answers = ["never given"]
                raise NeedsPersonError("What now?")
            return await super().ask(question)  # type: ignore[arg-type]

    world = at_the_end(tmp_path)
    world.skin = LeavesAtTheEnd(answers=["keep"])
    assert (await world.tick()).exit_status == ExitStatus.NEEDS_PERSON
    assert not only(world, Finished)
    world.terms, world.skin = terms(), FakeSkin()  # nobody is there: nothing is left to ask about
    assert (await world.tick()).outcome == "improved"
    assert not world.skin.asked


async def test_applied_the_text_is_in_the_users_files_and_where_it_cannot_be_they_are_asked_again(
    tmp_path: Path,
) -> None:
    world = at_the_end(tmp_path, "apply it to my files", "apply it to my files")
    refusing = FakeSkin.ask

    async def commits_meanwhile(question: object) -> str:
        answer = await refusing(world.skin, question)  # type: ignore[arg-type]
        asked = [one.id for one in world.skin.asked]
        world.backend.uncommitted = ["prompt.md"] if asked.count("wrap-up") == 1 else []
        return answer

    world.skin.ask = commits_meanwhile  # type: ignore[method-assign]
    result = await world.tick()
    assert result.status == "finished"
    assert world.backend.applied == [{"prompt.md": "Answer.\nbe exact\n"}]
    assert world.skin.asked[-1].message.startswith("prompt.md: changed since the run started")


async def test_a_pull_request_text_is_written_beside_the_report(tmp_path: Path) -> None:
    world = at_the_end(tmp_path, "write a pull-request text")
    await world.tick()
    text = (tmp_path / PULL_REQUEST_NAME).read_text("utf-8")
    assert text.startswith("# fake: say: be exact") and "+be exact" in text


async def test_going_on_raises_the_limit_that_ended_the_run_and_reports_anew(tmp_path: Path) -> None:
    lines = tuple(f"be {place}" for place in range(9))
    world = at_the_end(tmp_path, "continue: 5 more experiments", lines=("be exact", *lines), max_iterations=1)
    world.answer = world.runner.answer = (
        lambda text, case, sample: (  # the first helps half of the way
            f"answer {case.id[1:].lstrip('0') or '0'}" if int(case.id[1:]) % 3 < ("be exact" in text) + 1 else "no"
        )
    )
    world.count, world.held_out = 36, 18
    result = await world.tick()
    question = next(question for question in world.skin.asked if question.id == "wrap-up")
    assert "continue: 5 more experiments" in question.options and "continue: 20 more experiments" in question.options
    assert "an experiment; the caps leave" in question.message
    (reopened,) = only(world, Reopened)
    assert (reopened.reason, reopened.raised, reopened.by) == (
        "you chose: continue: 5 more experiments", {"max_iterations": 5.0}, "person",
    )  # fmt: skip
    assert len(world.state.experiments) == 6 and result.status == "finished"
    assert len(world.backend.published) == 2
    assert [one.id for one in world.skin.asked].count("wrap-up") == 2


async def test_a_run_that_ended_unattended_can_be_wrapped_up_another_day(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"))
    assert (await world.tick()).outcome == "improved"
    world.terms, world.skin = terms(attended=True), FakeSkin()
    assert (await world.tick()).outcome == "improved" and not world.skin.asked  # it is over
    world.terms, world.skin = terms(attended=True, wrapping=True), FakeSkin(answers=["apply it to my files"])
    result = await world.tick()
    assert (result.status, result.outcome) == ("finished", "improved")
    assert world.backend.applied and [one.id for one in world.skin.asked] == ["wrap-up"]
    world.skin = FakeSkin(answers=["write a pull-request text"])
    assert (await world.tick()).status == "finished" and [one.id for one in world.skin.asked] == ["wrap-up"]


# What ideas rely on


class Needy(FakeProposer):
    """Each idea relies on something of its own, but for the first."""

    async def hypotheses(self, brief: Brief, wanted: int) -> Sequence[HypothesisDraft]:
        drafts = await super().hypotheses(brief, wanted)
        return [
            replace(draft, required_deps=() if place == 0 else (f"lib-{place}",)) for place, draft in enumerate(drafts)
        ]


def needy(folder: Path, *answers: str, attended: bool = True, **changes: object) -> World:
    world = World(folder, helps("never said"), lines=("be kind", "be brief", "be bold"))
    world.terms = terms(attended=attended, **changes)
    world.proposer = Needy(world.lines)
    world.skin = FakeSkin(answers=list(answers))
    return world


def tried(world: World) -> list[str]:
    return [experiment.hypothesis.description for experiment in world.state.experiments.values()]


async def test_what_ideas_rely_on_is_asked_for_once_in_bulk_and_refused_ones_return_at_the_end(tmp_path: Path) -> None:
    world = needy(tmp_path, "approve only lib-1", "approve none")
    result = await world.tick()
    first, last = world.skin.asked
    assert (first.id, first.options) == (
        "dependencies", ("approve all", "approve only lib-1", "approve only lib-2", "approve none"),
    )  # fmt: skip
    assert "2 ideas cannot be tried" in first.message and "- lib-1: say: be brief" in first.message
    assert (last.id, last.options) == ("dependencies-again", ("approve all", "approve none"))
    assert "you refused it before" in last.message
    assert tried(world) == ["say: be kind", "say: be brief"] and result.status == "finished"


async def test_approved_at_the_end_an_idea_takes_the_run_up_again(tmp_path: Path) -> None:
    world = needy(tmp_path, "approve none", "approve only lib-2")
    await world.tick()
    assert [question.id for question in world.skin.asked] == [
        "dependencies",
        "dependencies-again",
        "dependencies-again",
    ]
    (reopened,) = only(world, Reopened)
    assert reopened.reason == "dependencies were approved"
    assert tried(world) == ["say: be kind", "say: be bold"]


async def test_nobody_there_the_other_ideas_are_tried_and_the_run_waits_for_a_person(tmp_path: Path) -> None:
    world = needy(tmp_path, attended=False)
    result = await world.tick()
    assert tried(world) == ["say: be kind"]
    assert (result.status, result.exit_status) == ("blocked", ExitStatus.NEEDS_PERSON)
    assert result.reason == "ideas wait for a person to approve what they rely on: lib-1, lib-2"
    world.terms, world.skin = terms(attended=True), FakeSkin(answers=["approve all"])
    await world.tick()
    assert tried(world) == ["say: be kind", "say: be brief", "say: be bold"]
    assert [question.id for question in world.skin.asked] == ["dependencies"]


async def test_a_run_that_is_stopped_for_good_may_refuse_what_ideas_rely_on(tmp_path: Path) -> None:
    world = needy(tmp_path, attended=False)
    await world.tick()
    state = await end_run(tmp_path, world.clock, refuse=True)
    assert state.waiting.refused == {"lib-1", "lib-2"}
    assert (await world.tick()).exit_status == ExitStatus.FINISHED


async def test_what_the_spec_approves_is_not_asked_for(tmp_path: Path) -> None:
    world = needy(tmp_path)
    world.approved_dependencies = ("lib-1", "lib-2")
    await world.tick()
    assert len(tried(world)) == 3 and not world.skin.asked
