"""Many texts on many cases in one pool: scores by text, failures that are no scores, outages that end it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest
from fakes import FakeRunner, cases, exact

from ceopt_tui.core.judging_ports import OutputToJudge, OutputVerdict, Verdicts
from ceopt_tui.core.ports import RunResult
from ceopt_tui.engine.measuring import HarnessFailed
from ceopt_tui.engine.sweeping import Sweep, SweepRun
from ceopt_tui.errors import BudgetError, ProviderError
from schemas.evalset import Case

KNOWN = cases(6)


def runs(*texts: str, samples: int = 1) -> list[SweepRun]:
    return [
        SweepRun(text, {"p.md": text}, case, sample)
        for sample in range(samples)
        for case in KNOWN.values()
        for text in texts
    ]


def sweep(runner: FakeRunner, judge: object = None, told: list[tuple[str, int, int]] | None = None) -> Sweep:
    def progress(*step: object) -> None:
        if told is not None:
            told.append(step)  # type: ignore[arg-type]

    return Sweep(runner, None if judge else exact, judge, 3, progress)  # type: ignore[arg-type]


def right(text: str, case: Case, sample: int) -> str:
    return f"answer {int(case.id[1:])}" if "good" in text else "no"


async def test_scores_are_kept_by_text_and_case_in_the_order_of_samples() -> None:
    def answer(text: str, case: Case, sample: int) -> str:
        return right("good" if sample == 1 else text, case, sample)

    told: list[tuple[str, int, int]] = []
    work = sweep(FakeRunner(answer), told=told)
    await work.run("all", runs("good", "bad", samples=3))
    assert work.scores("good") == {case: [1.0, 1.0, 1.0] for case in KNOWN}
    assert work.scores("bad") == {case: [0.0, 1.0, 0.0] for case in KNOWN}
    assert work.scores("other") == {}
    assert told[0] == ("all", 0, 36) and told[-1] == ("all", 36, 36)


async def test_nothing_to_run_is_no_news() -> None:
    told: list[tuple[str, int, int]] = []
    await sweep(FakeRunner(right), told=told).run("none", [])
    assert told == []


async def test_a_text_repeats_itself_when_outputs_and_scores_do() -> None:
    def answer(text: str, case: Case, sample: int) -> str:
        return f"no {sample}" if text == "varies" and case.id == "c03" else "no"

    work = sweep(FakeRunner(answer))
    await work.run("all", runs("same", "varies", samples=2))
    assert work.repeats_itself("same", list(KNOWN), 2)
    assert not work.repeats_itself("varies", list(KNOWN), 2)  # the same score, another output
    assert not work.repeats_itself("same", list(KNOWN), 3)
    assert not work.repeats_itself("same", list(KNOWN), 1)


async def test_a_failed_call_and_a_cut_output_are_no_scores() -> None:
    def answer(text: str, case: Case, sample: int) -> str | RunResult:
        if case.id == "c02":
            return RunResult("", error="500")
        return RunResult("answer 3", truncated=True) if case.id == "c03" else right(text, case, sample)

    work = sweep(FakeRunner(answer))
    await work.run("all", runs("good"))
    assert sorted(work.scores("good")) == ["c00", "c01", "c04", "c05"]


async def test_a_dead_endpoint_costs_one_call() -> None:
    runner = FakeRunner(lambda text, case, sample: RunResult("", error="connection refused"))
    with pytest.raises(HarnessFailed, match="connection refused"):
        await sweep(runner).run("all", runs("good"))
    assert len(runner.calls) == 1


async def test_an_outage_ends_the_sweep() -> None:
    def answer(text: str, case: Case, sample: int) -> str | RunResult:
        return RunResult("", error="500") if sample else "no"

    runner = FakeRunner(answer)
    with pytest.raises(ProviderError, match="5 calls in a row failed"):
        await sweep(runner).run("all", runs("good", samples=3))
    assert len(runner.calls) <= 6 + 5 + 2


async def test_what_ends_all_calls_comes_out_and_nothing_new_starts() -> None:
    def answer(text: str, case: Case, sample: int) -> str | Exception:
        return BudgetError("the cap is reached") if len(runner.calls) == 4 else "no"

    runner = FakeRunner(answer)
    with pytest.raises(BudgetError):
        await sweep(runner).run("all", runs("good", samples=5))
    assert len(runner.calls) <= 4 + 2


class HalfJudge:
    """Gives an output half its sample's mark; will not score c05. Knows no text by its ids."""

    def __init__(self, fails: bool = False) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.fails = fails

    async def judge(
        self, outputs: Sequence[OutputToJudge], sample: int, *, fresh: bool = False
    ) -> AsyncGenerator[Verdicts, None]:
        self.asked.append(tuple(output.id for output in outputs))
        await asyncio.sleep(0)
        if self.fails:
            raise ProviderError("the judge is down")
        for output in outputs:
            if output.case.id == "c05":
                yield Verdicts((OutputVerdict(output.id, unscored="no verdict"),))
            else:
                yield Verdicts((OutputVerdict(output.id, 1.0 + sample + (output.output != "no"), True),))


async def test_a_judge_scores_all_texts_mixed() -> None:
    judge = HalfJudge()
    work = sweep(FakeRunner(right), judge)
    await work.run("all", runs("good", "bad", samples=2))
    assert work.scores("good") == {case: [2.0, 3.0] for case in KNOWN if case != "c05"}
    assert work.scores("bad") == {case: [1.0, 2.0] for case in KNOWN if case != "c05"}
    assert [len(ids) for ids in judge.asked] == [12, 12]
    assert all(list(ids) == sorted(ids) for ids in judge.asked)
    assert not any("good" in name or "c0" in name for ids in judge.asked for name in ids)


async def test_a_judge_that_is_down_ends_the_sweep() -> None:
    with pytest.raises(ProviderError, match="the judge is down"):
        await sweep(FakeRunner(right), HalfJudge(fails=True)).run("all", runs("good"))
