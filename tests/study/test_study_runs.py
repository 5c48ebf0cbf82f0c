"""Running the cells of a study: each attempt on record before it is made, and the right outcome of every fault."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeClock
from study_project import CHECKLIST, PLAIN, make_study, review

from ceopt_tui.core.ports import RunResult
from ceopt_tui.core.study.attempts import StudyState
from ceopt_tui.errors import BudgetError, BusyError, CallFailed, InputError, ProviderError, SetupError, StorageError
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.study.adapters.mock import MockRunner
from ceopt_tui.study.adapters.mock_weak import MockWeakRunner
from ceopt_tui.study.planning import StudyPlan, plan_study
from ceopt_tui.study.reporting import report_of
from ceopt_tui.study.starting import Surroundings, read_study, recorded_report, run_study
from schemas.evalset import Case
from schemas.records import CallFacts

Reply = Callable[[str, str, int], RunResult]


class Fake:
    """A runner that answers as it is told, and keeps what it was asked."""

    def __init__(self, reply: Reply) -> None:
        self._reply = reply
        self.asked: list[tuple[str, str, int]] = []

    async def run(self, texts: Mapping[str, str], case: Case, sample: int) -> RunResult:
        [text] = texts.values()
        self.asked.append((text, str(case.input), sample))
        return self._reply(text, str(case.input), sample)


def good(_text: str, _input: str, _sample: int) -> RunResult:
    return RunResult("none")


def small(folder: Path, **changes: Any) -> StudyPlan:
    """Two texts on two targets, one case, twice: eight cells, one at a time."""
    asked = changes.pop("asked", [review(0)])
    return plan_study(make_study(folder, asked=asked, **{"k": 2, "parallel": 1, **changes}), {})


def around(reply: Reply | None = None, **more: Any) -> Surroundings:
    runners = more.pop("runners", None) or ({"strong": Fake(reply)} if reply else {})
    return Surroundings({}, FakeClock(), lambda text: None, lambda done, total: None, more=runners)


async def run(plan: StudyPlan, reply: Reply | None = None) -> StudyState:
    return await run_study(plan, around(reply))


def lines(plan: StudyPlan) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (plan.folder / "journal.jsonl").read_text("utf-8").splitlines()]


async def test_a_study_of_stand_ins_is_measured_and_the_strong_one_is_stronger(tmp_path: Path) -> None:
    plan = plan_study(make_study(tmp_path), {})
    report = report_of(plan.loaded, await run(plan))
    assert report["complete"] and report["coverage"] == {"scored": 320, "cells": 320}
    scores = {(level["target"], level["text"], level["group"]): level["score"]["value"] for level in report["levels"]}
    for group in ("review", "route"):
        assert scores["strong", "checklist", group] > scores["weak", "checklist", group] > 0
        assert scores["strong", "plain", group] == scores["weak", "plain", group] == 0


async def test_the_same_study_gives_the_same_replies(tmp_path: Path) -> None:
    plans = [small(tmp_path / name) for name in ("a", "b")]
    first, second = [(await run(plan)).scores for plan in plans]
    assert {cell: end.reply_sha256 for cell, end in first.items()} == {c: e.reply_sha256 for c, e in second.items()}


async def test_a_start_is_on_disk_before_the_call(tmp_path: Path) -> None:
    plan = small(tmp_path)
    seen: list[str] = []

    def reply(text: str, asked: str, sample: int) -> RunResult:
        seen.append(lines(plan)[-1]["kind"])
        return RunResult("none")

    await run(plan, reply)
    assert seen == ["cell_started"] * 4
    kinds = [line["kind"] for line in lines(plan)]
    assert kinds[0] == "study_registered" and kinds[1::2] == ["cell_started"] * 8


async def test_arms_differ_in_their_text_alone_and_no_prompt_names_them(tmp_path: Path) -> None:
    fake = Fake(good)
    await run_study(small(tmp_path), around(runners={"strong": fake}))
    texts, inputs, _ = map(set, zip(*fake.asked, strict=True))
    assert texts == {PLAIN, CHECKLIST}
    assert len(inputs) == 1
    said = " ".join(inputs)
    assert not [word for word in ("plain", "checklist", "review-0", "eval_injection", "H1") if word in said]


async def test_the_text_is_the_snapshot_that_was_read(tmp_path: Path) -> None:
    plan = small(tmp_path)
    fake = Fake(good)
    (plan.loaded.folder / "variants" / "plain.md").write_text("Something else.", encoding="utf-8")
    await run_study(plan, around(runners={"strong": fake}))
    assert {text for text, _, _ in fake.asked} == {PLAIN, CHECKLIST}


async def test_one_cell_that_raises_is_an_error_and_the_rest_finish(tmp_path: Path) -> None:
    def reply(text: str, asked: str, sample: int) -> RunResult:
        if text == PLAIN and sample == 0:
            raise RuntimeError("boom")
        return RunResult("none")

    plan = small(tmp_path)
    report = report_of(plan.loaded, await run(plan, reply))
    assert report["coverage"] == {"scored": 7, "cells": 8}
    assert report["lost"] == [{"cell": "strong/review-0/plain/0", "why": "RuntimeError: boom"}]
    level = next(one for one in report["levels"] if (one["target"], one["text"]) == ("strong", "plain"))
    assert (level["scored"], level["cells"]) == (1, 2)
    assert level["score"]["tags"][0] == "underpowered"
    assert report["complete"]  # a fault of the pipeline is not asked again


@pytest.mark.parametrize(
    ("result", "why"),
    [
        (RunResult("runs_foreign_code", truncated=True), "cut by its length limit"),
        (RunResult(""), "the reply is empty"),
        (RunResult("", error="no route to host"), "no route to host"),
    ],
)
async def test_what_is_no_whole_reply_is_no_miss(tmp_path: Path, result: RunResult, why: str) -> None:
    plan = small(tmp_path)
    report = report_of(plan.loaded, await run(plan, lambda *_: result))
    assert len(report["lost"]) == 4
    assert all(why in one["why"] for one in report["lost"])
    assert [one["score"] for one in report["levels"] if one["target"] == "strong"] == [None, None]


async def test_a_boolean_in_quotes_is_no_answer(tmp_path: Path) -> None:
    asked = [review(0), {"id": "flag", "input": "Is it safe?", "answer": {"type": "boolean", "value": False}}]
    plan = small(tmp_path, asked=asked)
    replies = {"eval": "none", "safe": '"false"'}
    state = await run(plan, lambda _t, said, _s: RunResult(next(r for word, r in replies.items() if word in said)))
    lost = {
        cell.split("/")[1]
        for cell in (c.id for c in plan.cells)
        if cell.startswith("strong") and cell not in state.scores
    }
    assert lost == {"flag"}
    assert "is a text" in state.failure("strong/flag/plain/0")


async def test_what_echoes_or_denies_finds_nothing(tmp_path: Path) -> None:
    asked = [review(0)]
    asked[0]["input"] += "\nCodes: runs_foreign_code, shell_injection"
    plan = small(tmp_path, asked=asked)
    for echo in ("Codes: runs_foreign_code, shell_injection", "no runs_foreign_code and no shell_injection"):
        folder = tmp_path / str(len(echo))
        state = await run(small(folder, asked=asked), lambda *_, said=echo: RunResult(said))
        assert {end.score for cell, end in state.scores.items() if cell.startswith("strong")} == {0.0}
    assert plan.cells


async def test_a_failed_call_is_tried_again_at_the_next_start_and_no_more_than_three_times(tmp_path: Path) -> None:
    plan = small(tmp_path)

    def fail(*_: object) -> RunResult:
        raise CallFailed("timed out", reason="timeout")

    for number in (1, 2, 3):
        state = await run(plan, fail)
        assert len(state.attempts["strong/review-0/plain/0"]) == number
    assert report_of(plan.loaded, state)["complete"]
    fake = Fake(good)
    await run_study(plan, around(runners={"strong": fake}))
    assert not fake.asked


async def test_a_failure_that_later_succeeds_is_resolved(tmp_path: Path) -> None:
    plan = small(tmp_path)
    await run(plan, lambda *_: RunResult("", error="busy"))
    report = report_of(plan.loaded, await run(plan, good))
    assert report["complete"] and not report["lost"]


@pytest.mark.parametrize("ending", [BudgetError("the cap of 3 calls is reached"), ProviderError("no more answers")])
async def test_what_ends_a_study_stops_new_calls_and_is_recorded(tmp_path: Path, ending: Exception) -> None:
    plan, asked = small(tmp_path), []

    def reply(*_: object) -> RunResult:
        asked.append(1)
        if len(asked) == 3:
            raise ending
        return RunResult("none")

    with pytest.raises(type(ending)):
        await run(plan, reply)
    state = read_study(plan.folder)
    assert (len(asked), len(state.scores)) == (3, 4)  # two of the weak target among them
    report = recorded_report(plan.loaded.folder, "run")
    assert not report["complete"] and report["stopped"] == str(ending)
    assert report_of(plan.loaded, await run(plan, good))["complete"]


async def test_an_interrupted_attempt_counts_and_is_made_again(tmp_path: Path) -> None:
    plan = small(tmp_path)

    def interrupt(*_: object) -> RunResult:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await run(plan, interrupt)
    [attempt] = read_study(plan.folder).unresolved
    state = await run(plan, good)
    assert state.unresolved == (attempt,)
    assert len(state.scores) == 8
    assert report_of(plan.loaded, state)["unresolved"] == [attempt]


async def test_an_interrupt_is_heard_between_cells_that_answer_at_once(tmp_path: Path) -> None:
    plan = small(tmp_path)

    def reply(*_: object) -> RunResult:
        work.cancel()
        return RunResult("none")

    work = asyncio.create_task(run(plan, reply))
    with pytest.raises(asyncio.CancelledError):
        await work
    state = read_study(plan.folder)
    assert (len(state.scores), state.unresolved) == (1, ())


async def test_a_line_that_was_half_written_is_cut_off_and_its_cell_run_again(tmp_path: Path) -> None:
    plan = small(tmp_path)
    await run(plan, good)
    journal = plan.folder / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-30])
    assert len(read_study(plan.folder).scores) == 7
    assert len((await run(plan, good)).scores) == 8
    assert len(list(plan.folder.glob("journal.jsonl.torn-*"))) == 1


async def test_a_journal_that_cannot_be_is_refused(tmp_path: Path) -> None:
    plan = small(tmp_path)
    await run(plan, good)
    journal = plan.folder / "journal.jsonl"
    kept = journal.read_text("utf-8").splitlines()
    end = json.loads(kept[-1])
    with journal.open("a") as stream:
        stream.write(json.dumps(end | {"seq": end["seq"] + 1}) + "\n")
    with pytest.raises(StorageError, match="ends twice"):
        await run(plan, good)


async def test_what_was_scored_is_not_run_again_nor_overwritten(tmp_path: Path) -> None:
    plan = small(tmp_path)
    await run(plan, good)
    before = (plan.folder / "journal.jsonl").read_bytes()
    await run(plan, good)
    assert (plan.folder / "journal.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("cases/all.yaml", "use", "uses", "cases/all.yaml was changed"),
        ("variants/plain.md", "one word", "one Word", "variants/plain.md was changed"),
        ("hypotheses.yaml", "0.25", "0.24", "hypotheses.yaml was changed"),
        ("study.yaml", "k: 2", "k: 3", "study.yaml was changed"),
    ],
)
async def test_a_changed_byte_is_refused_naming_its_file(
    tmp_path: Path, file: str, old: str, new: str, named: str
) -> None:
    plan = small(tmp_path)
    await run(plan, good)
    path = plan.loaded.folder / file
    path.write_text(path.read_text("utf-8").replace(old, new, 1), encoding="utf-8")
    fake = Fake(good)
    with pytest.raises(InputError, match=f"{named} since the first call"):
        await run_study(plan_study(plan.loaded.folder, {}), around(runners={"strong": fake}))
    assert not fake.asked
    with pytest.raises(SetupError, match=file):
        recorded_report(plan.loaded.folder, "run")


async def test_a_copied_output_is_another_output(tmp_path: Path) -> None:
    plan = small(tmp_path)
    await run(plan, good)
    plan.folder.rename(plan.folder.with_name("other"))
    with pytest.raises(InputError, match="the output was renamed"):
        await run(plan_study(plan.loaded.folder, {}, "other"), good)


async def test_a_second_process_is_refused_at_once(tmp_path: Path) -> None:
    plan = small(tmp_path)
    with RunLock.acquire(plan.folder, now=FakeClock().now), pytest.raises(BusyError):
        await run(plan, good)


async def test_fresh_is_for_what_holds_no_call(tmp_path: Path) -> None:
    plan = small(tmp_path)
    await run(plan, good)
    with pytest.raises(SetupError, match="calls are on record"):
        await run_study(plan, around(good), fresh=True)
    head = (plan.folder / "journal.jsonl").read_bytes().split(b"\n")[0] + b"\n"
    (plan.folder / "journal.jsonl").write_bytes(head)
    assert len((await run_study(plan, around(good), fresh=True)).scores) == 8
    assert [path.read_bytes() for path in plan.folder.glob("*.archived-*")] == [head]


async def test_costs_of_replies_are_added_up(tmp_path: Path) -> None:
    facts = CallFacts(role="task", model="p/m", usd=0.25)
    plan = small(tmp_path)
    report = report_of(plan.loaded, await run(plan, lambda *_: RunResult("none", facts=facts)))
    assert report["spent"]["usd"] == {"value": 1.0, "tags": ["measured"]}
    soft = small(tmp_path / "soft")
    guessed = facts.model_copy(update={"estimated": True})
    report = report_of(soft.loaded, await run(soft, lambda *_: RunResult("none", facts=guessed)))
    assert report["spent"]["usd"]["tags"] == ["soft"]


def test_a_case_that_no_reply_can_answer_is_refused_before_any_call(tmp_path: Path) -> None:
    case = review(0)
    case["input"] += "\n" + case["answer"]["planted"][0]
    with pytest.raises(InputError, match=r"case review-0 .* does not give its own answer the whole score"):
        small(tmp_path, asked=[case])


def test_a_case_whose_question_is_its_answer_is_refused(tmp_path: Path) -> None:
    told = {"id": "told", "input": "4", "answer": {"type": "number", "value": 4}}
    with pytest.raises(InputError, match="with the text `checklist` gives the whole score to its own question"):
        small(tmp_path, asked=[review(0), told])


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden"])
def test_an_output_stays_below_artifacts(tmp_path: Path, name: str) -> None:
    with pytest.raises(SetupError, match="no name for an output"):
        plan_study(make_study(tmp_path), {}, name)


async def test_the_weak_stand_in_forgets_rules_and_invents_none() -> None:
    texts = {"t": "- `a`: one\n* `b`: two\n- `c` three\n"}
    case = Case(id="x", input="a b c")
    assert (await MockRunner().run(texts, case, 0)).output == "one\ntwo"
    replies = {(await MockWeakRunner(7).run(texts, case, sample)).output for sample in range(40)}
    assert replies == {"one\ntwo", "one", "two", "none"}


async def test_what_a_fault_says_is_masked_and_can_be_stored(tmp_path: Path) -> None:
    def fail(*_: object) -> RunResult:
        raise RuntimeError("refused sk-proj-abcdefghijklmnopqrstuvwxyz0123456789 \ud800")

    state = await run(small(tmp_path), fail)
    said = state.failure("strong/review-0/plain/0")
    assert said.startswith("RuntimeError: refused ") and "abcdefghijkl" not in said and said.endswith("?")
