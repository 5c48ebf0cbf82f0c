"""What waits for a person: changes parked unattended, asked about with their evidence, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeProposer, FakeSkin, terms
from world import TEXT, World, helps

from ceopt_tui.core.ports import Brief, Draft, HypothesisDraft, Refusal
from ceopt_tui.core.reading_ports import ChangeToRead, Reading
from ceopt_tui.engine.ending import end_run
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.engine.proposals import repeated
from ceopt_tui.errors import BudgetError, ProviderError
from ceopt_tui.exits import ExitStatus
from schemas.experiment_log import parse_experiment_log
from schemas.keeping_records import ReadRemark, WinnerRead

FINE = Reading(reason="states the form of the answers")
AGAINST = Reading(reverted=True, reason="it leaves refunds out", missing_observation="whether refunds are answered")
UNUSABLE = Reading(unusable="no JSON object")


@dataclass
class FakeReader:
    """Answers from a script, its last word again and again."""

    said: list[Reading | Exception]
    model: str = "strong/reader"
    seen: list[ChangeToRead] = field(default_factory=list)

    async def read(self, change: ChangeToRead) -> Reading:
        self.seen.append(change)
        given = self.said.pop(0) if len(self.said) > 1 else self.said[0]
        if isinstance(given, Exception):
            raise given
        return given


def breaks(*numbers: int, lines: tuple[str, ...] = ("be exact",)) -> Callable[..., str]:
    """The text helps with any of `lines`, and with the first of them these cases break, which always passed."""

    def answer(text: str, case: Any, sample: int) -> str:
        broken = int(case.id[1:]) in numbers and lines[0] in text
        return "broken" if broken else helps(*lines)(text, case, sample)

    return answer


def watched(world: World, *answers: str, **changes: Any) -> World:
    """From here on a person is there and says this."""
    world.terms, world.skin = terms(attended=True, **changes), FakeSkin(answers=list(answers))
    return world


def asked(world: World) -> list[str]:
    return [question.id for question in world.skin.asked]


async def read_by(reader: FakeReader, folder: Path, **changes: Any) -> tuple[World, TickResult]:
    world = World(folder, helps("be exact"), terms=terms(reader=True, **changes))
    return world, await world.tick(reader=reader)


# Reading


async def test_a_reader_sees_the_diff_and_what_is_wanted_and_nothing_that_was_measured(tmp_path: Path) -> None:
    reader = FakeReader([FINE])
    world, result = await read_by(reader, tmp_path)
    assert (result.outcome, result.exit_status) == ("improved", ExitStatus.FINISHED)
    (seen,) = reader.seen
    assert seen == ChangeToRead("answer exactly", (), seen.diff)
    assert "+be exact" in seen.diff and "c0" not in seen.diff
    (reading,) = world.state.waiting.readings[1]
    assert (reading.reader, reading.usable, reading.reverted) == ("strong/reader", True, False)


async def test_what_a_reader_speaks_against_is_reverted_and_learnt_for_good(tmp_path: Path) -> None:
    world, result = await read_by(FakeReader([AGAINST]), tmp_path)
    assert not world.backend.commits and result.outcome == "no_improvement"
    closed = world.state.experiments[1].closed
    assert closed is not None and closed.outcome == "reverted"
    assert closed.reason == (
        "reverted by its reader: it leaves refunds out; not measured: whether refunds are answered"
    )
    (learnt,) = world.state.learnings
    assert learnt.number == 1 and "whether refunds are answered; the checks did not see it" in learnt.text
    assert "whether refunds are answered" in (tmp_path / "strategy-digest.md").read_text("utf-8")
    report = (tmp_path / "report.md").read_text("utf-8")
    assert "whether refunds are answered" in report


async def test_two_unusable_readings_park_the_change_and_the_run_needs_a_person(tmp_path: Path) -> None:
    reader = FakeReader([UNUSABLE])
    world, result = await read_by(reader, tmp_path)
    assert [seen.attempt for seen in reader.seen] == [1, 2]
    assert (result.status, result.outcome, result.exit_status) == ("blocked", "needs_person", ExitStatus.NEEDS_PERSON)
    assert result.reason == "1 proposal waits for a person: exp-001"
    assert not world.backend.commits and world.state.report is not None
    calls, reports = len(world.runner.calls), len(world.backend.published)
    again = await world.tick(reader=reader)
    assert again == result and len(world.runner.calls) == calls and len(world.backend.published) == reports


async def test_a_reader_nobody_reaches_is_an_outage_and_is_asked_again_another_time(tmp_path: Path) -> None:
    world, result = await read_by(FakeReader([ProviderError("the reader does not answer")]), tmp_path)
    assert (result.outcome, result.exit_status) == ("outage", ExitStatus.STOPPED)
    calls = len(world.runner.calls)
    assert (await world.tick(reader=FakeReader([FINE]))).outcome == "improved"
    assert len(world.runner.calls) == calls + 20  # the final gain alone


async def test_a_change_the_cap_leaves_unread_is_parked_with_its_evidence(tmp_path: Path) -> None:
    world, result = await read_by(FakeReader([BudgetError("the next call would pass the cap")]), tmp_path)
    assert result.exit_status == ExitStatus.NEEDS_PERSON
    (proposal,) = world.state.waiting.proposals
    assert (proposal.number, proposal.cause) == (1, "ended")
    assert {compared.comparison for compared in world.state.experiments[1].comparisons} == {"standalone", "holdout"}


async def test_with_no_reader_the_guards_read_and_what_they_point_at_waits_for_a_person(tmp_path: Path) -> None:
    remark = ReadRemark(code="drops_work", message="line 2 leaves out what the description asks for", line=2)
    quiet = World(tmp_path / "quiet", helps("be exact"))
    assert (await quiet.tick()).outcome == "improved"
    assert quiet.state.waiting.readings[1] == [
        WinnerRead(number=1, seq=quiet.state.waiting.readings[1][0].seq, at=quiet.state.waiting.readings[1][0].at)
    ]
    loud = World(tmp_path / "loud", helps("be exact"))
    result = await loud.tick(remarker=lambda before, after: [remark])
    assert result.exit_status == ExitStatus.NEEDS_PERSON
    assert loud.state.waiting.proposals[0].reason == f"a person has to read it: {remark.message}"
    person = watched(World(tmp_path / "person", helps("be exact")), "keep")
    assert (await person.tick(remarker=lambda before, after: [remark])).outcome == "improved"
    assert f"Look at    {remark.message}" in person.skin.asked[0].message


# Proposals


async def test_a_parked_change_is_asked_about_with_its_evidence_and_a_yes_commits_it(tmp_path: Path) -> None:
    world = World(tmp_path, breaks(0))
    assert (await world.tick()).exit_status == ExitStatus.NEEDS_PERSON
    calls = len(world.runner.calls)
    result = await watched(world, "accept").tick()
    assert (result.status, result.outcome, result.exit_status) == ("finished", "improved", ExitStatus.FINISHED)
    question = world.skin.asked[0]
    assert (question.id, question.options) == ("proposal-1", ("accept", "refuse", "later"))
    for said in ("would break c00, which always passed", "Broken     c00", "+be exact", "a yes commits it"):
        assert said in question.message, said
    assert world.backend.commits[0][1] == {"prompt.md": "Answer.\nbe exact\n"}
    assert world.state.experiments[1].outcome == "kept"
    assert world.state.gain is not None and world.state.gain.final_digest == world.state.reference.text_digest
    assert len(world.runner.calls) == calls + 20  # both texts once on the held-out cases, for the gain
    assert len(world.backend.published) == 2  # the report from before, and the one with the gain


async def test_a_refused_proposal_is_reverted_with_its_reason_and_remembered(tmp_path: Path) -> None:
    world = World(tmp_path, breaks(0))
    await world.tick()
    result = await watched(world, "refuse: c00 must not break").tick()
    assert (result.status, result.exit_status) == ("finished", ExitStatus.FINISHED)
    assert world.state.experiments[1].outcome == "reverted" and not world.backend.commits
    assert "refused by a person: c00 must not break; the checks did not see it" in world.state.learnings[-1].text
    assert world.state.plateau == 1 and world.state.iterations == 1


async def test_later_leaves_the_proposal_and_the_next_start_asks_again(tmp_path: Path) -> None:
    world = World(tmp_path, breaks(0))
    first = await world.tick()
    later = await watched(world, "later").tick()
    assert (later.status, later.outcome, later.reason) == (first.status, "needs_person", first.reason)
    assert asked(world) == ["proposal-1"]
    await watched(world, "accept").tick()
    assert asked(world)[0] == "proposal-1" and world.state.keeps


def in_parts(text: str, case: Any, sample: int) -> str:
    """Each line helps on cases of its own, and the first breaks one that always passed."""
    number = int(case.id[1:])
    helped = {0: True, 1: "be neat" in text, 2: "be exact" in text}[number % 3]
    return f"answer {number}" if helped and not (number == 0 and "be exact" in text) else "something else"


class OnOneLine(FakeProposer):
    """Adds to the last line of the text, where the change before did."""

    async def propose(self, brief: Brief, idea: HypothesisDraft, refused: Sequence[Refusal]) -> Draft:
        ((path, text),) = brief.texts.items()
        return Draft({path: f"{text.rstrip()} {idea.parameters['line']}\n"})


async def overtaken(folder: Path, proposer: type[FakeProposer] = FakeProposer) -> World:
    """The first change is parked, the second kept."""
    world = World(folder, in_parts, lines=("be exact", "be neat"), count=36, held_out=18)
    world.proposer = proposer(world.lines)
    assert (await world.tick()).exit_status == ExitStatus.NEEDS_PERSON
    assert [keep.number for keep in world.state.keeps] == [2]
    return world


async def test_a_change_that_was_overtaken_is_made_on_the_new_text_and_measured_again(tmp_path: Path) -> None:
    world = await overtaken(tmp_path)
    result = await watched(world, "measure it again", "keep").tick()
    question = world.skin.asked[0]
    assert question.options == ("measure it again", "refuse", "later")
    assert "exp-002 was kept since: a yes repeats the change on that text" in question.message
    assert asked(world) == ["proposal-1", "keep-3", "wrap-up"]
    third = world.state.experiments[3]
    assert third.hypothesis.source == "person" and third.text_digest is not None
    assert world.state.texts[third.text_digest] == {"prompt.md": "Answer.\nbe neat\nbe exact\n"}
    assert [keep.number for keep in world.state.keeps] == [2, 3] and result.outcome == "improved"
    assert world.state.experiments[1].outcome == "deferred_needs_approval"


async def test_a_change_that_does_not_fit_the_new_text_is_refused_before_any_call(tmp_path: Path) -> None:
    world = await overtaken(tmp_path, OnOneLine)
    result = await watched(world, "measure it again").tick()
    third = world.state.experiments[3]
    assert third.outcome == "refused" and third.text_digest is None
    assert third.closed is not None
    assert third.closed.reason == ("prompt.md: what exp-001 changes was changed since; to have it, make it by hand")
    assert result.status == "finished" and len(world.state.keeps) == 1


async def test_a_run_that_may_not_go_on_offers_no_second_measurement(tmp_path: Path) -> None:
    world = World(tmp_path, breaks(0, lines=("be exact", "be neat")), lines=("be exact", "be neat"))
    await world.tick()
    assert world.state.stopped is not None and world.state.stopped.outcome == "saturated"
    result = await watched(world, "refuse").tick()
    assert world.skin.asked[0].options == ("refuse", "later") and result.status == "finished"
    assert "only a new run could try it again" in world.skin.asked[0].message


async def test_a_limit_that_is_raised_lets_a_run_go_on_though_something_waits(tmp_path: Path) -> None:
    world = World(
        tmp_path, in_parts, lines=("be exact", "be neat"), count=36, held_out=18, terms=terms(max_iterations=1)
    )
    assert (await world.tick()).exit_status == ExitStatus.NEEDS_PERSON
    world.terms = terms(max_iterations=2)
    assert (await world.tick()).exit_status == ExitStatus.NEEDS_PERSON
    assert [keep.number for keep in world.state.keeps] == [2] and len(world.state.waiting.proposals) == 1


async def test_a_run_that_is_stopped_for_good_may_refuse_what_waits(tmp_path: Path) -> None:
    world = World(tmp_path, breaks(0))
    await world.tick()
    await end_run(tmp_path, world.clock)
    assert (await world.tick()).exit_status == ExitStatus.NEEDS_PERSON
    state = await end_run(tmp_path, world.clock, refuse=True)
    assert state.waiting.settled[1].reason == "refused by a person: the run was ended"
    assert (await world.tick()).exit_status == ExitStatus.FINISHED
    log = parse_experiment_log((tmp_path / "experiment-log.yaml").read_bytes(), "log")
    assert [(one.experiment, one.cause, one.decision) for one in log.proposals] == [(1, "broken", "refused")]


async def test_a_run_killed_after_the_yes_goes_on_to_the_commit_and_asks_no_more(tmp_path: Path) -> None:
    class Unplugged(Exception):
        """The end of this process."""

    def unplugged(*_: object) -> str:
        raise Unplugged

    world = World(tmp_path, breaks(0))
    await world.tick()
    kept, world.backend.keep = world.backend.keep, unplugged  # type: ignore[method-assign]
    with pytest.raises(Unplugged):
        await watched(world, "accept").tick()
    world.backend.keep = kept  # type: ignore[method-assign]
    assert (await watched(world).tick()).outcome == "improved"
    assert asked(world) == ["wrap-up"] and len(world.backend.commits) == 1


@pytest.mark.parametrize(
    ("ours", "merged"),
    [
        ("a\nb\nc\n", "a\nB\nc\nd\n"),
        ("x\na\nb\nc\n", "x\na\nB\nc\nd\n"),
        ("a\nb\nc\ny\n", "a\nB\nc\ny\nd\n"),
        ("a\r\n\fx\na\nb\nc\n", "a\r\n\fx\na\nB\nc\nd\n"),
        ("a\nchanged\nc\n", None),
        ("", None),
    ],
)
def test_a_change_is_repeated_where_its_lines_still_stand(ours: str, merged: str | None) -> None:
    assert repeated("a\nb\nc\n", "a\nB\nc\nd\n", ours) == merged


@pytest.mark.parametrize(
    ("theirs", "ours", "merged"),
    [
        ("new\na\nb\n", "a\nb\nz\n", "new\na\nb\nz\n"),
        ("a\nnew\nb\n", "a\nother\nb\n", "a\nother\nnew\nb\n"),
        ("a\nnew\nb\n", "a\nchanged\n", "a\nnew\nchanged\n"),
        ("a\nnew\nb\n", "changed\nchanged\n", None),
        ("b\n", "a\nb\nc\n", "b\nc\n"),
        (TEXT["prompt.md"], "a\nb\n", TEXT["prompt.md"]),
    ],
)
def test_lines_go_in_and_out_where_the_base_had_them(theirs: str, ours: str, merged: str | None) -> None:
    assert repeated("a\nb\n", theirs, ours) == merged
