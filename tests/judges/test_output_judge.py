"""The judge of a run over the real client: parts with their calls, singletons, fresh questions."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from judge_endpoint import Seen, bench, plays_judge, seen_items
from stub_endpoint import StubEndpoint, failure

from ceopt_tui.core.judging_ports import OutputToJudge, OutputVerdict, Verdicts
from ceopt_tui.core.ports import ResolvedModel
from ceopt_tui.errors import AuthError, BudgetError, ProviderError
from judges.judge_settings import JudgeSettings
from judges.ledger import Caps
from judges.output_judge import RunJudge
from judges.rubric import Rubric
from schemas.evalset import Case
from schemas.records import CallFacts


class Store(dict[str, Any]):
    put = dict.__setitem__


def output(number: int, *tags: str, text: str | None = None) -> OutputToJudge:
    case = Case(id=f"case-{number}", input=f"question {number}", expected=f"wanted {number}", tags=tags)
    return OutputToJudge(f"n{number}", case, f"answer {number}" if text is None else text)


OUTPUTS = [output(number) for number in range(1, 8)]


async def judged(
    judge: RunJudge, outputs: list[OutputToJudge] = OUTPUTS, sample: int = 0, *, fresh: bool = False
) -> tuple[dict[str, OutputVerdict], list[CallFacts]]:
    parts = [part async for part in judge.judge(outputs, sample, fresh=fresh)]
    verdicts = [verdict for part in parts for verdict in part.verdicts]
    assert sorted(verdict.id for verdict in verdicts) == sorted(one.id for one in outputs)
    return {verdict.id: verdict for verdict in verdicts}, [facts for part in parts for facts in part.calls]


async def until_the_end(judge: RunJudge, outputs: list[OutputToJudge], into: list[Verdicts]) -> None:
    async for part in judge.judge(outputs, 0):
        into.append(part)


def by_number(seen: Seen) -> dict[str, Any]:
    return {"score": 1 + int(seen.output[-1]) % 5, "feedback": f"more of {seen.output}", "style": 2}


async def test_every_output_has_a_verdict_and_every_call_stands_beside_it() -> None:
    with StubEndpoint(respond=plays_judge(by_number)) as endpoint:
        async with bench(endpoint, batch_size=3, rubric=Rubric("r", secondary=("style",))) as at:
            verdicts, calls = await judged(RunJudge(at.client, at.settings))
        assert endpoint.posts == len(calls) == 3
        shown = json.dumps(endpoint.bodies)
    assert [verdicts[f"n{n}"].score for n in range(1, 8)] == [2, 3, 4, 5, 1, 2, 3]
    assert verdicts["n4"] == OutputVerdict("n4", 5, True, None, "more of answer 4", False, {"style": 2})
    assert "wanted 1" in shown
    assert "case-1" not in shown


async def test_singletons_go_alone_and_by_their_own_rubric() -> None:
    outputs = [*OUTPUTS[:4], output(8, "singleton"), output(9, "singleton", "short")]
    with StubEndpoint(respond=plays_judge(by_number)) as endpoint:
        async with bench(endpoint, singleton_rubric=Rubric("Be brief.")) as at:
            await judged(RunJudge(at.client, at.settings), outputs)
        asked = [("Be brief." in body["messages"][0]["content"], len(seen_items(body))) for body in endpoint.bodies]
    assert asked == [(False, 4), (True, 1), (True, 1)]


async def test_singletons_without_a_rubric_of_their_own_go_alone_all_the_same() -> None:
    with StubEndpoint(respond=plays_judge(by_number)) as endpoint:
        async with bench(endpoint) as at:
            await judged(RunJudge(at.client, at.settings), [output(1), output(2), output(3, "singleton")])
        assert [len(seen_items(body)) for body in endpoint.bodies] == [2, 1]


async def test_a_fresh_question_is_a_real_one_and_leaves_what_is_known_alone() -> None:
    store, answers = Store(), iter([5, 1, 2])
    with StubEndpoint(respond=plays_judge(lambda seen: {"score": next(answers)})) as endpoint:
        async with bench(endpoint, batch_size=1) as at:
            judge = RunJudge(at.client, at.settings, store=store)
            scores = []
            for fresh in (False, True, True, False):
                verdicts, calls = await judged(judge, [output(1)], fresh=fresh)
                scores.append((verdicts["n1"].score, len(calls)))
        assert endpoint.posts == 3
    assert scores == [(5, 1), (1, 1), (2, 1), (5, 0)]
    assert [value["score"] for value in store.values()] == [5]


async def test_a_fresh_question_is_not_kept_either_where_nothing_was_known() -> None:
    store = Store()
    with StubEndpoint(respond=plays_judge(by_number)) as endpoint:
        async with bench(endpoint) as at:
            await judged(RunJudge(at.client, at.settings, store=store), fresh=True)
            assert not store
            await judged(RunJudge(at.client, at.settings, store=store))
        assert endpoint.posts == 4


async def test_samples_are_questions_of_their_own_and_read_back() -> None:
    store = Store()
    with StubEndpoint(respond=plays_judge(by_number)) as endpoint:
        async with bench(endpoint, batch_size=7) as at:
            for sample in (0, 1, 2, 1):
                await judged(RunJudge(at.client, at.settings, store=store), sample=sample)
        assert endpoint.posts == 3


async def test_identical_and_empty_outputs_cost_no_call_of_their_own() -> None:
    twin = OutputToJudge("twin", OUTPUTS[0].case, OUTPUTS[0].output)
    with StubEndpoint(respond=plays_judge(by_number)) as endpoint:
        async with bench(endpoint) as at:
            verdicts, calls = await judged(
                RunJudge(at.client, at.settings), [OUTPUTS[0], twin, output(3, text=" \u200b\n")]
            )
        assert (endpoint.posts, len(seen_items(endpoint.last))) == (1, 1)
    assert (verdicts["twin"].score, verdicts["n3"].score, verdicts["n3"].passed, len(calls)) == (2, 1, False, 1)


async def test_a_dead_endpoint_is_found_out_once_for_both_rubrics() -> None:
    with StubEndpoint("quota") as endpoint:
        async with bench(endpoint, singleton_rubric=Rubric("Be brief.")) as at:
            judge = RunJudge(at.client, at.settings)
            for outputs in ([output(1)], [output(2, "singleton")]):
                with pytest.raises(ProviderError):
                    await judged(judge, outputs)
        assert endpoint.posts == 1


async def test_a_call_that_failed_is_told_from_a_judge_that_gave_no_verdict() -> None:
    answer = plays_judge(lambda seen: {"score": 9 if seen.id == "n2" else 3})

    def respond(body: dict[str, Any]) -> Any:
        return failure(500, "down") if seen_items(body)[0].id == "n3" else answer(body)

    with StubEndpoint(respond=respond) as endpoint:
        async with bench(endpoint, batch_size=1, retries=0) as at:
            verdicts, _ = await judged(RunJudge(at.client, at.settings), OUTPUTS[:3])
    assert [(verdicts[f"n{n}"].score is None, verdicts[f"n{n}"].failed) for n in (1, 2, 3)] == [
        (False, False),
        (True, False),
        (True, True),
    ]
    assert "off the scale" in str(verdicts["n2"].unscored)
    assert [bool(verdicts[f"n{n}"].raw) for n in (1, 2, 3)] == [False, True, False]
    assert json.loads(verdicts["n2"].raw)["verdicts"][0]["score"] == 9


@pytest.mark.parametrize("cap", [1, 5, 31, 32, 33])
async def test_a_cap_holds_at_any_concurrency_and_nothing_paid_for_is_lost(cap: int) -> None:
    outputs = [output(number) for number in range(1, 61)]
    with StubEndpoint(respond=plays_judge(by_number), delay_s=0.02) as endpoint:
        async with bench(endpoint, batch_size=1, caps=Caps(max_calls=cap), concurrency=32) as at:
            got: list[Verdicts] = []
            with pytest.raises(BudgetError):
                await until_the_end(RunJudge(at.client, at.settings), outputs, got)
        assert endpoint.posts == cap
    assert len(got) == cap
    assert all(len(part.calls) == 1 and part.verdicts[0].score is not None for part in got)


async def test_a_key_that_is_refused_half_way_keeps_what_came_in() -> None:
    answer = plays_judge(by_number)

    def respond(body: dict[str, Any]) -> Any:
        return "401echo" if seen_items(body)[0].id == "n4" else answer(body)

    with StubEndpoint(respond=respond) as endpoint:
        async with bench(endpoint, batch_size=1, concurrency=1) as at:
            got: list[Verdicts] = []
            with pytest.raises(AuthError):
                await until_the_end(RunJudge(at.client, at.settings), OUTPUTS, got)
        assert endpoint.posts == 4
    assert [verdict.id for part in got for verdict in part.verdicts] == ["n1", "n2", "n3"]


def test_singletons_are_judged_alone_by_the_rubric_for_them() -> None:
    model, rubric, brief = ResolvedModel("cheap", "openai/m", "openai"), Rubric("Be right."), Rubric("Be brief.")
    settings = JudgeSettings(rubric, model, batch_size=3, singleton_rubric=brief)
    assert (settings.for_singletons.rubric, settings.for_singletons.batch_size) == (brief, 1)
    assert replace(settings, singleton_rubric=None).for_singletons.rubric == rubric
    assert replace(settings, method="expected").items_per_call == 1
