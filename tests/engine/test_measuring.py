"""What is measured and who may see it: pools, drift, repeats, looks, clocks, and the secrecy of held-out cases."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeClock, FakeProposer, FakeSkin, cases, terms
from world import World, helps

from ceopt_tui.core.budget import Caps
from ceopt_tui.engine.digest import DIGEST_NAME
from ceopt_tui.engine.log_view import LOG_NAME
from ceopt_tui.errors import StorageError
from ceopt_tui.exits import ExitStatus
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.journal import Journal
from schemas.records import CaseRun, SplitFrozen


def draw(*parts: object) -> float:
    return hashlib.sha256("|".join(map(str, parts)).encode()).digest()[0] / 256


def noisy(share: Callable[[str], float]) -> Callable[..., str]:
    def answer(text: str, case: Any, sample: int) -> str:
        return f"answer {int(case.id[1:])}" if draw(text, case.id, sample) < share(text) else "no"

    return answer


def case_runs(world: World) -> list[CaseRun]:
    return [record for record in world.skin.records if record.kind == "case_run"]


async def test_a_runner_that_repeats_itself_is_asked_once_per_case(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"))
    await world.tick()
    assert world.state.deterministic
    later = [run for run in case_runs(world) if run.step not in {"baseline", "drift"}]
    assert ({(run.text_digest, run.case_id) for run in later} and max(run.sample for run in later) == 0) or all(
        run.step == "report" or run.sample == 0 for run in later
    )
    report = [run for run in later if run.step == "report"]
    assert len(report) == 2 * 10


async def test_thirty_cases_that_repeat_keep_a_third_of_the_held_out_ones_for_the_report(tmp_path: Path) -> None:
    class Thirty(World):
        def inputs(self) -> Any:
            inputs = super().inputs()
            split = inputs.split.model_copy(update={"report_only": inputs.split.holdout[:5]})
            return inputs.__class__(**{**inputs.__dict__, "split": split})

    world = Thirty(tmp_path, helps("be exact"), count=30, held_out=15)
    await world.tick()
    unseen = set(world.state.split.report_only)
    steps = {run.step for run in case_runs(world) if run.case_id in unseen}
    assert steps == {"report"}
    assert world.state.gain is not None and world.state.gain.fresh and world.state.gain.cases == 5


async def test_one_run_a_case_says_nothing_about_repeats(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), terms=terms(reference_runs=1))
    await world.tick()
    assert world.state.baseline is not None and not world.state.baseline.deterministic


async def test_another_output_for_the_same_text_ends_the_belief_in_repeats(tmp_path: Path) -> None:
    def later_noisy(text: str, case: Any, sample: int) -> str:
        good = helps("be exact")(text, case, 0)
        return f"{good}?" if text == "Answer.\n" and sample >= 4 else good

    world = World(tmp_path, later_noisy)
    await world.tick()
    assert world.state.baseline is not None and world.state.baseline.deterministic
    assert not world.state.deterministic and "gave another output for the same text" in world.state.nondeterminism
    assert "taken to repeat itself until" in (tmp_path / "report.md").read_text(encoding="utf-8")


async def test_drift_of_the_reference_measures_it_again(tmp_path: Path) -> None:
    def drifting(text: str, case: Any, sample: int) -> str:
        base = 0.7 if "be exact" in text else 0.05
        if text == "Answer.\n" and sample >= 4:
            base = 1.0  # the endpoint got better meanwhile
        return f"answer {int(case.id[1:])}" if draw(text, case.id, sample) < base else "no"

    world = World(tmp_path, drifting)
    await world.tick()
    resets = [record for record in world.skin.records if record.kind == "reference_reset"]
    assert len(resets) == 1 and "more than 3 standard errors" in resets[0].reason
    assert resets[0].text_digest == world.state.original_digest
    fresh = [run for run in case_runs(world) if run.step == "reference" and run.seq > resets[0].seq]
    assert {run.case_id for run in fresh} >= set(world.state.split.selection)
    assert not world.backend.commits


async def test_after_a_keep_the_reference_comes_before_the_next_first_cases(tmp_path: Path) -> None:
    world = World(tmp_path, noisy(lambda text: 0.2 + 0.4 * text.count("better")), lines=("better 1", "better 2"),
                  count=40, held_out=20)  # fmt: skip
    await world.tick()
    assert len(world.state.keeps) == 2
    first = world.state.keeps[0]
    pool = [run for run in case_runs(world) if run.seq > first.seq and run.experiment == 2]
    fresh = [run for run in pool if run.text_digest == first.text_digest and run.step == "reference"]
    assert len([run for run in fresh if run.case_id in world.state.split.selection]) == 4 * 20
    kinds = [run.text_digest == first.text_digest for run in pool]
    assert all(kinds[:80]) and not any(kinds[80:84])  # which cases come first depends on all of it
    assert True in kinds[84:]  # and the sweep after them is mixed with fresh runs of it, against drift


async def test_a_look_is_on_record_before_its_held_out_runs(tmp_path: Path) -> None:
    world = World(tmp_path, noisy(lambda text: 0.9 if "exact" in text else 0.3), lines=("be kind", "be exact"))
    await world.tick()
    looked = [record.seq for record in world.skin.records if record.kind == "looked"]
    held_out = [run.seq for run in case_runs(world) if run.case_id in world.state.split.holdout]
    assert len(looked) == len(world.state.looks) >= 1
    assert min(held_out) > looked[0]


async def test_nothing_held_out_reaches_the_proposer(tmp_path: Path) -> None:
    """Neither inputs, answers, outputs nor scores of held-out cases: ids, texts and the digest are searched."""
    world = World(tmp_path, lambda *_: "", lines=("by heart", "be exact", "be kind"))
    selection, digests = set(world.inputs().split.selection), []

    def answer(text: str, case: Any, sample: int) -> str:
        share = 0.95 if "be exact" in text or ("by heart" in text and case.id in selection) else 0.3
        return f"answer {int(case.id[1:])}" if draw(text, case.id, sample) < share else "no"

    world.runner.answer = answer

    class Reading(FakeProposer):
        async def hypotheses(self, brief: Any, wanted: int) -> Any:
            digests.append((tmp_path / DIGEST_NAME).read_text(encoding="utf-8"))
            return await super().hypotheses(brief, wanted)

    world.proposer = Reading(world.lines)
    await world.tick()
    assert [one.outcome for one in world.state.experiments.values()][:2] == ["inconclusive", "kept"] and digests
    for brief in world.proposer.briefs:
        words = json.dumps(asdict(brief), default=str)
        for case_id in world.state.split.holdout:
            case = cases(20)[case_id]
            assert f'"{case_id}"' not in words
            assert f'"{case.input}"' not in words and f'"{case.expected}"' not in words
            assert case_id not in brief.digest
        assert "p =" not in brief.digest and "held-out cases (z" not in brief.digest
        assert not any("p =" in tried.reason or "held-out" in tried.reason for tried in brief.tried)
    last = world.proposer.briefs[-1].digest
    assert "say: by heart (category 0): not confirmed; did not hold up on unseen cases" in last
    assert "say: be exact (category 1): kept; held up on unseen cases; fixed " in last
    assert last.count("say: be kind") == 1


async def test_a_clock_that_moved_is_noted_and_eats_no_budget(tmp_path: Path) -> None:
    clock, calls = FakeClock(), 0

    def asleep(text: str, case: Any, sample: int) -> str:
        nonlocal calls
        calls += 1
        if calls == 45:
            clock.wall += timedelta(hours=17)
            clock.seconds += 1
        if calls == 60:
            clock.wall -= timedelta(hours=1)
        return helps("be exact")(text, case, sample)

    world = World(tmp_path, asleep, clock=clock, terms=terms(max_active_s=3600.0))
    result = await world.tick()
    assert result.outcome == "improved"
    assert [note.text for note in world.state.notes] == ["clock moved 17 h", "clock moved -60 min"]
    assert world.state.active_s == pytest.approx(1.0)
    numbers = [one.number for one in world.state.experiments.values()]
    assert numbers == sorted(numbers)


async def test_the_pool_never_exceeds_its_concurrency(tmp_path: Path) -> None:
    under_way = most = 0
    inner = World(tmp_path, helps("be exact"))

    class Counting:
        async def run(self, texts: Any, case: Any, sample: int) -> Any:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            result = await inner.runner.run(texts, case, sample)
            under_way -= 1
            return result

    await inner.tick(runner=Counting())
    assert 1 <= most <= 4


async def test_half_a_character_of_a_model_does_not_stop_the_journal(tmp_path: Path) -> None:
    world = World(tmp_path, lambda text, case, sample: "half \ud83d of an emoji")
    assert (await world.tick()).outcome == "no_improvement"
    assert case_runs(world)[0].output == "half ? of an emoji"


async def test_a_full_disk_stops_the_run_and_what_was_there_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, helps("be exact"))
    append, room = Journal.append, 30

    def full(self: Journal, records: Any) -> Any:
        nonlocal room
        room -= 1
        if room < 0:
            raise StorageError(f"{self.path}: no space left on the disk")
        return append(self, records)

    monkeypatch.setattr(Journal, "append", full)
    with pytest.raises(StorageError, match="no space left") as caught:
        await world.tick()
    assert caught.value.exit_status == ExitStatus.STOPPED
    monkeypatch.setattr(Journal, "append", append)
    assert (tmp_path / JOURNAL_NAME).stat().st_size > 0
    assert (await world.tick()).outcome == "improved"


async def test_the_view_and_the_report_follow_the_journal(tmp_path: Path) -> None:
    world = World(tmp_path, helps("be exact"), lines=("be kind", "be exact"))
    await world.tick()
    view = (tmp_path / LOG_NAME).read_text(encoding="utf-8")
    assert view.count("id: exp-001") == view.count("id: exp-002") == 1
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert report.startswith("# fake: improved\n")
    assert "c01 (passed in 1 of 1 run; before: failed in 1 of 1)" in report
    assert "10 held-out cases" in report and "| exp-001 | reverted | say: be kind |" in report
    assert world.backend.published[0]["docs/optimize/fake-report.md"].decode() == report


async def test_questions_show_prices_only_where_they_are_known(tmp_path: Path) -> None:
    priced = World(
        tmp_path / "a", helps("x"), approved=False, terms=terms(attended=True, budget=Caps(2000, 5.0, 0.002))
    )
    await priced.tick()
    assert "USD; typical to worst" in priced.skin.asked[0].message and "5.00 USD" in priced.skin.asked[0].message
    free = World(tmp_path / "b", helps("x"), approved=False, terms=terms(attended=True, budget=Caps(None, None, None)))
    free.skin = FakeSkin(answers=["proceed"])
    await free.tick()
    spec, baseline = free.skin.asked
    assert "price unknown" in spec.message and "uncapped in money" in spec.message and "no cap on calls" in spec.message
    assert "price unknown" in baseline.message


def test_a_split_never_shares_a_case() -> None:
    split = World(Path("unused"), helps("x")).inputs().split
    assert isinstance(split, SplitFrozen) and not set(split.selection) & set(split.holdout)
