"""Cases whose check says nothing, in whole runs: who never sees them again, what is said of them, what a kill does."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fakes import FakeSkin, terms
from world import World, helps

from ceopt_tui.engine.log_view import LOG_NAME
from ceopt_tui.errors import AuthError, BudgetError, StorageError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.replay import replay
from schemas.evalset import Case
from schemas.experiment_log import parse_experiment_log
from schemas.harness_records import FlaggedCase


@dataclass
class Examiner:
    """Flags these cases, and remembers what it was shown."""

    flags: Collection[str]
    seen: list[tuple[list[str], frozenset[str]]] = field(default_factory=list)

    def __call__(self, cases: Sequence[Case], outputs: Collection[str]) -> Sequence[FlaggedCase]:
        self.seen.append(([case.id for case in cases], frozenset(outputs)))
        return [
            FlaggedCase(case_id=case.id, fault="never_fails", reason="its check accepts whatever comes out")
            for case in cases
            if case.id in self.flags
        ]


FLAGS = ("c00", "c01", "c03")  # one to tune on, two held out


async def test_flagged_cases_leave_the_gate_and_the_proposers_view(tmp_path: Path) -> None:
    world, examiner = World(tmp_path, helps("be exact"), count=24, held_out=12), Examiner(FLAGS)
    result = await world.tick(examiner=examiner)
    assert result.outcome == "improved"
    baseline = [call for call in world.runner.calls if call[1] == "c00"]
    assert [text for text, _, _ in baseline] == ["Answer.\n"] * 4  # the baseline's own runs, and no more
    assert not [call for call in world.runner.calls if call[1] in {"c01", "c03"}]
    for brief in world.proposer.briefs:
        assert "c00" not in {item.case.id for item in brief.selection}
        assert "left out" not in brief.digest and not any(case in brief.digest for case in FLAGS)
    kept = world.state.experiments[1]
    assert kept.closed is not None and not {*kept.closed.fixed, *kept.closed.regressions} & set(FLAGS)
    assert world.state.gain is not None and world.state.gain.cases == 10
    assert world.state.baseline is not None and world.state.baseline.scored == 11 * 4


async def test_checks_are_tried_on_what_the_baseline_gave_and_on_nothing_held_out(tmp_path: Path) -> None:
    world, examiner = World(tmp_path, helps("be exact")), Examiner(FLAGS)
    await world.tick(examiner=examiner)
    ((cases, outputs),) = examiner.seen
    assert set(cases) == set(world.inputs().cases)
    assert outputs == {"something else", "answer 0", "answer 6", "answer 12", "answer 18"}  # selection cases


async def test_a_kill_after_the_flags_examines_nothing_again(tmp_path: Path) -> None:
    world, examiner = World(tmp_path, helps("be exact"), approved=False), Examiner(FLAGS)
    world.skin = FakeSkin()
    assert (await world.tick(examiner=examiner)).outcome == "needs_person"  # the baseline is to be approved
    world.approved = True
    assert (await world.tick(examiner=examiner)).outcome == "improved"
    assert len(examiner.seen) == 1
    kinds = [record.kind for record in replay(tmp_path / JOURNAL_NAME).records]
    assert kinds.count("harness_examined") == 1
    assert kinds.index("harness_examined") < kinds.index("baseline_measured") < kinds.index("hypothesis_added")
    assert world.state.harness.flagged == replay_flags(tmp_path)


def replay_flags(folder: Path) -> tuple[FlaggedCase, ...]:
    (record,) = [one for one in replay(folder / JOURNAL_NAME).records if one.kind == "harness_examined"]
    return record.flagged


async def test_a_person_reads_of_them_before_the_loop_and_in_the_log(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), approved=False, terms=terms(attended=True))
    world.skin = FakeSkin(answers=["proceed", "proceed", "keep"])
    await world.tick(examiner=Examiner(FLAGS))
    (question,) = [asked for asked in world.skin.asked if asked.id == "baseline"]
    assert "on 9 selection cases (36 runs" in question.message
    lines = question.message.split("\n")
    at = lines.index("Checks     3 of 20 cases left out: their checks cannot tell outputs apart; put right, they count")
    assert lines[at + 1 : at + 4] == [
        "           c00 (selection): its check accepts whatever comes out",
        "           c01 (held out): its check accepts whatever comes out",
        "           c03 (held out): its check accepts whatever comes out",
    ]
    log = parse_experiment_log((tmp_path / LOG_NAME).read_bytes(), LOG_NAME)
    assert [(one.case, one.side, one.fault) for one in log.harness_flagged] == [
        ("c00", "selection", "never_fails"), ("c01", "holdout", "never_fails"), ("c03", "holdout", "never_fails")
    ]  # fmt: skip


async def test_very_many_of_them_are_counted_and_not_listed(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), count=40, approved=False, terms=terms(attended=True))
    world.skin = FakeSkin(answers=["proceed", "stop"])
    await world.tick(examiner=Examiner([f"c{number:02d}" for number in range(8)]))
    lines = world.skin.asked[-1].message.split("\n")
    listed = [line for line in lines if "its check accepts" in line]
    assert len(listed) == 6 and "           and 2 more; `ceopt log` has them all" in lines


async def test_too_few_left_is_said_with_their_names_and_reported(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), count=8, held_out=4)
    result = await world.tick(examiner=Examiner(["c00", "c01", "c02", "c04"]))
    assert (result.outcome, result.exit_status) == ("too_few_cases", ExitStatus.FINISHED)
    assert result.reason == (
        "4 cases left, needs at least 5: the checks of c00, c02, c04, c01 cannot tell outputs apart; "
        "put them right or add cases"
    )
    assert not world.proposer.briefs and world.state.baseline is None
    assert result.reason in (tmp_path / "report.md").read_text(encoding="utf-8")


async def test_a_run_at_the_maximum_proposes_harder_cases_from_what_it_tuned_on(tmp_path: Path) -> None:
    world = World(tmp_path, helps("Answer."))
    assert (await world.tick()).outcome == "no_headroom"
    (brief,) = world.case_proposer.briefs
    assert {item.case.id for item in brief.selection} == set(world.inputs().split.selection)
    assert world.state.harness.proposed is not None
    assert (await world.tick()).outcome == "no_headroom" and len(world.case_proposer.briefs) == 1


@pytest.mark.parametrize("error", [AuthError("the key is refused"), BudgetError("the cap is reached")])
async def test_a_model_that_cannot_be_asked_for_cases_holds_up_no_report(tmp_path: Path, error: Exception) -> None:
    world = World(tmp_path, helps("Answer."))
    world.case_proposer.fail = error
    result = await world.tick()
    assert (result.outcome, result.exit_status) == ("no_headroom", ExitStatus.FINISHED)
    assert world.state.harness.proposed is not None and world.state.harness.proposed.note == str(error)
    assert (tmp_path / "report.md").is_file()


async def test_a_full_disk_still_parks_the_run(tmp_path: Path) -> None:
    world = World(tmp_path, helps("Answer."))
    world.case_proposer.fail = StorageError("the disk is full")
    assert (await world.tick()).outcome == "storage"
