"""The end of a run that a command measured, with a person: applied, written up, taken further, done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from command_run_world import CommandRun, Edit, command_terms
from fakes import FakeSkin

from ceopt_tui.engine.wrapping_up import PULL_REQUEST_NAME
from ceopt_tui.exits import ExitStatus
from schemas.records import Reopened

EDITS = (Edit(50, ("src/a.py",)), Edit(300), Edit(20, ("src/b.py",)))


def at_the_end(folder: Path, *answers: str, edits: tuple[Edit, ...] = EDITS[:1], **changes: Any) -> CommandRun:
    """A person approved everything, keeps what wins, and says this at the end."""
    world = CommandRun(folder, edits=edits)
    world.terms = replace(command_terms(batch=1), attended=True, reader=False, **changes)
    world.skin = FakeSkin(answers=["keep", *answers])
    return world


async def test_the_end_is_laid_out_in_the_words_of_every_run(tmp_path: Path) -> None:
    world = at_the_end(tmp_path, "done")
    result = await world.tick()
    question = world.skin.asked[-1]
    assert (question.id, question.title, question.question) == ("wrap-up", "fake: improved", "What now?")
    assert question.options == ("apply it to my files", "write a pull-request text", "done")
    for said in ("100", "50", "The loop ended because: no executable action", "Tried      1 kept", "Report     docs/"):
        assert said in question.message, said
    assert (result.status, result.exit_status) == ("finished", ExitStatus.FINISHED)
    assert not world.shelf.applied


async def test_applied_all_that_was_kept_is_put_in_place_and_where_it_cannot_be_they_are_asked_again(
    tmp_path: Path,
) -> None:
    world = at_the_end(tmp_path, "apply it to my files", "apply it to my files")
    world.shelf.refuses = ["src/a.py: changed since the run started"]
    assert (await world.tick()).status == "finished"
    assert world.shelf.applied == [("base", "c1")]
    first, again = [one for one in world.skin.asked if one.id == "wrap-up"]
    assert again.message.startswith("src/a.py: changed since") and not first.message.startswith("src")
    assert world.state.wrap_up is not None and world.state.wrap_up.detail == "written: src/a.py"


async def test_a_pull_request_text_is_written_beside_the_report(tmp_path: Path) -> None:
    world = at_the_end(tmp_path, "write a pull-request text")
    await world.tick()
    text = (tmp_path / PULL_REQUEST_NAME).read_text("utf-8")
    assert text.startswith("# fake: idea 1") and "diff of c1" in text


async def test_going_on_raises_the_limit_that_ended_the_run_and_reports_anew(tmp_path: Path) -> None:
    world = at_the_end(
        tmp_path, "continue: 5 more experiments", "keep", "done", edits=(EDITS[0], EDITS[2]), max_iterations=1
    )
    result = await world.tick()
    question = next(question for question in world.skin.asked if question.id == "wrap-up")
    assert "Going on   up to 2 samples of each side an experiment; the caps leave" in question.message
    [reopened] = [record for record in world.skin.records if isinstance(record, Reopened)]
    assert (reopened.raised, reopened.by) == ({"max_iterations": 5.0}, "person")
    assert [one.outcome for one in world.state.experiments.values()] == ["kept", "kept"]
    assert result.status == "finished" and [one.id for one in world.skin.asked].count("wrap-up") == 2


async def test_a_run_that_ended_unattended_can_be_wrapped_up_another_day(tmp_path: Path) -> None:
    world = CommandRun(tmp_path, edits=EDITS[:1])
    world.terms = command_terms(batch=1)
    assert (await world.tick()).outcome == "improved"
    world.terms, world.skin = replace(world.terms, attended=True), FakeSkin()
    assert (await world.tick()).outcome == "improved" and not world.skin.asked  # it is over
    world.terms, world.skin = replace(world.terms, wrapping=True), FakeSkin(answers=["apply it to my files"])
    result = await world.tick()
    assert (result.status, result.outcome) == ("finished", "improved")
    assert world.shelf.applied == [("base", "c1")] and [one.id for one in world.skin.asked] == ["wrap-up"]


async def test_with_nobody_there_a_change_that_nobody_read_keeps_the_run_waiting(tmp_path: Path) -> None:
    world = CommandRun(tmp_path, edits=EDITS[:1])
    world.terms = replace(command_terms(batch=1), reader=False)
    first = await world.tick()
    assert (first.status, first.exit_status) == ("blocked", ExitStatus.NEEDS_PERSON)
    measured = len(world.bench.calls)
    assert (await world.tick()).exit_status == ExitStatus.NEEDS_PERSON and len(world.bench.calls) == measured
    world.terms, world.skin = replace(world.terms, attended=True), FakeSkin(answers=["accept", "done"])
    assert (await world.tick()).outcome == "improved"
    assert world.state.gain is not None and world.shelf.branch == ["base", "c1"]
