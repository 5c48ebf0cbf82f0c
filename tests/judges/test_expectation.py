"""Expected scores: golden numbers from log-probabilities, and the written number wherever they are unclear."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judge_endpoint import Seen, bench, plays_judge, spelt
from stub_endpoint import StubEndpoint, completion, failure

from ceopt_tui.core.ports import ResolvedModel
from ceopt_tui.errors import InputError, ProviderError, SetupError
from judges.expectation import with_expectations
from judges.judge import Judge
from judges.judge_settings import JudgeSettings, require_levels
from judges.judged_item import JudgedItem
from judges.reply import parse_reply
from judges.rubric import PASS_FAIL, Rubric, Scale, parse_scale
from schemas.loading import load_spec, parse_spec

ITEMS = [JudgedItem(f"i{n}", f"question {n}", f"answer {n}") for n in range(1, 7)]
FIVE = Scale(1, 5)
SURE = {"4": 0.7, "5": 0.2, "3": 0.1}  # 4 * .7 + 5 * .2 + 3 * .1 = 4.1


def read(text: str, logprobs: Any, scale: Scale = FIVE, ids: tuple[str, ...] = ("a",)) -> list[float]:
    rubric = Rubric("r", scale)
    rows = with_expectations(parse_reply(text, ids, rubric), text, logprobs, rubric)
    return [rows[item_id].score for item_id in ids]


def one(score: str, shares: Mapping[str, float], scale: Scale = FIVE) -> float:
    text = f'{{"item_id": "a", "score": {score}, "feedback": "ok"}}'
    return read(text, spelt(text, [shares])["content"], scale)[0]


@pytest.mark.parametrize(
    ("score", "shares", "expected"),
    [
        ("4", SURE, 4.1),
        ("4", {"4": 1.0}, 4.0),
        ("3", {"3": 0.5, "4": 0.5}, 3.5),
        ("5", {"5": 0.6, "1": 0.4}, 3.4),
        ("4", {"4": 0.5, "five": 0.4, "6": 0.05, "0": 0.05}, 4.0),  # over the levels alone
        ("4", {"4": 0.4, "3": 0.2, '"': 0.4}, 3.6667),
        ("4", {"4": 0.3, " 4": 0.3, " 5": 0.4}, 4.4),  # one level in two spellings
        ("4", {"4": 0.3, "3": 0.19, "x": 0.51}, 4.0),  # less than half of it on levels
    ],
)
def test_the_score_is_the_expectation_over_the_levels(score: str, shares: dict[str, float], expected: float) -> None:
    assert one(score, shares) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("score", "shares", "scale", "expected"),
    [
        ("8", {"8": 0.5, "10": 0.3, "1": 0.2}, Scale(0, 10), (8 * 0.5 + 10 * 0.3 + 0.2) / 1.0),  # 10 is one token
        ("8", {"8": 0.6, "1": 0.4}, Scale(0, 10), 8.0),  # 1 may be the start of 10
        ("1", {"1": 0.9, "2": 0.1}, Scale(0, 10), 1.0),
        ("85", {"85": 0.5, "90": 0.5}, Scale(0, 100), 87.5),
        ("1", {"1": 0.6, "0": 0.4}, Scale(0, 1), 1.0),  # fractions are usual there
        ("1", {"1": 0.6, "0": 0.4}, PASS_FAIL, 1.0),
        ("1", {"1": 0.6, "2": 0.4}, Scale(-1, 2), 1.0),
    ],
)
def test_only_whole_levels_told_apart_by_their_first_token(
    score: str, shares: dict[str, float], scale: Scale, expected: float
) -> None:
    assert one(score, shares, scale) == pytest.approx(expected, abs=1e-4)


def test_a_fraction_stays_as_written() -> None:
    text = '{"score": 4.5}'
    tokens: list[dict[str, Any]] = [
        {"token": part, "logprob": 0.0} for part in ('{"', "score", '": ', "4", ".", "5", "}")
    ]
    tokens[3]["top_logprobs"] = [{"token": "4", "logprob": math.log(0.6)}, {"token": "2", "logprob": math.log(0.4)}]
    assert read(text, tokens) == [4.5]


@pytest.mark.parametrize(
    "parts",
    [('{"score":', " 4", "}"), ('{"score"', ":4", "}"), ('{"score":"', "4", '"}'), ('{"score": ', "4}")],
)
def test_a_score_is_found_however_the_reply_is_cut_into_tokens(parts: tuple[str, ...]) -> None:
    tokens: list[dict[str, Any]] = [{"token": part, "logprob": -0.5} for part in parts]
    number = next(token for token in tokens if "4" in token["token"])
    number["top_logprobs"] = [
        {"token": number["token"].replace("4", level), "logprob": math.log(share)} for level, share in SURE.items()
    ]
    assert read("".join(parts), tokens) == [pytest.approx(4.1)]


def test_words_in_the_feedback_that_look_like_a_score_are_passed_over() -> None:
    text = '{"item_id": "a", "feedback": "not \\"score\\": 2 but more; é提", "score": 4}'
    before, after = text.rsplit("4", 1)
    # Tokens may cut through a character: their bytes count, not their text.
    raw = before.encode()
    tokens: list[dict[str, Any]] = [
        {"token": "�", "bytes": list(raw[start : start + 3]), "logprob": 0.0} for start in range(0, len(raw), 3)
    ]
    top = [{"token": level, "logprob": math.log(share)} for level, share in SURE.items()]
    tokens += [{"token": "4", "logprob": math.log(0.7), "top_logprobs": top}, {"token": after, "logprob": 0.0}]
    assert read(text, tokens) == [pytest.approx(4.1)]


def test_each_row_of_a_batch_has_its_own_token() -> None:
    rows = [{"item_id": name, "feedback": "x", "score": score} for name, score in (("b", 2), ("a", 4))]
    text = "Here:\n```json\n" + json.dumps({"verdicts": rows}) + "\n```"
    shares = [{"2": 0.5, "1": 0.5}, {"4": 0.7, "5": 0.2, "3": 0.1}]
    assert read(text, spelt(text, shares)["content"], ids=("a", "b")) == [pytest.approx(4.1), pytest.approx(1.5)]


def test_rows_that_cannot_be_told_apart_keep_their_numbers() -> None:
    rows = [{"item_id": "a", "score": 4, "scores": {"score": 4}}, {"item_id": "b", "score": 2}]
    text = json.dumps({"verdicts": rows})
    logprobs = spelt(text, [SURE, SURE, {"2": 0.5, "1": 0.5}])["content"]
    rubric = Rubric("r")
    assert with_expectations(parse_reply(text, ("a", "b"), rubric), text, logprobs, rubric)["b"].score == 2


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        [],
        "no",
        [None],
        [{}],
        [{"token": "other"}],
        [{"token": '{"score": 4}', "top_logprobs": None}],
        [{"token": '{"score": ', "logprob": 0}, {"token": "4", "logprob": "x", "top_logprobs": [7]}, {"token": "}"}],
        [{"token": '{"score": ', "logprob": 0}, {"token": "4", "logprob": math.nan}, {"token": "}"}],
    ],
)
def test_log_probabilities_of_no_use_leave_the_number(logprobs: Any) -> None:
    assert read('{"score": 4}', logprobs) == [4]


def sure(seen: Seen) -> dict[str, Any]:
    return {"score": 4, "probabilities": SURE}


@pytest.mark.parametrize("batch_size", [1, 4])
async def test_auto_takes_expectations_where_the_endpoint_gives_them(batch_size: int) -> None:
    with StubEndpoint(respond=plays_judge(sure)) as endpoint:
        async with bench(endpoint, method="auto", batch_size=batch_size, ask_for_feedback=True) as at:
            judgement = await Judge(at.client, at.settings).judge(ITEMS)
        assert endpoint.posts == math.ceil(6 / batch_size)
        assert (endpoint.last["logprobs"], endpoint.last["top_logprobs"]) == (True, 20)
    assert [verdict.score for verdict in judgement.verdicts] == [pytest.approx(4.1)] * 6
    assert {(verdict.passed, verdict.feedback) for verdict in judgement.verdicts} == {(True, "Say why.")}


async def test_auto_costs_nothing_where_the_endpoint_gives_none() -> None:
    with StubEndpoint(respond=plays_judge(lambda seen: {"score": 4})) as endpoint:
        async with bench(endpoint, method="auto") as at:
            judgement = await Judge(at.client, at.settings).judge(ITEMS)
        assert endpoint.posts == 2
    assert [verdict.score for verdict in judgement.verdicts] == [4] * 6


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "Unsupported parameter: logprobs"),
        (400, "top_logprobs must be at most 5"),
        (422, "'logprobs' is not a field of this request"),
        (500, "logprobs are not enabled on this server"),
    ],
)
async def test_an_endpoint_that_refuses_log_probabilities_is_asked_once_without(status: int, words: str) -> None:
    answer = plays_judge(lambda seen: {"score": 4})
    respond = lambda body: failure(status, words) if "top_logprobs" in body else answer(body)  # noqa: E731
    with StubEndpoint(respond=respond) as endpoint:
        async with bench(endpoint, method="auto", batch_size=1) as at:
            judgement = await Judge(at.client, at.settings).judge(ITEMS)
        assert endpoint.posts == 7
        assert "logprobs" not in endpoint.last
    assert [verdict.score for verdict in judgement.verdicts] == [4] * 6
    assert judgement.dropped == frozenset()


async def test_sampled_asks_for_none_and_reads_what_is_written() -> None:
    with StubEndpoint(respond=plays_judge(sure)) as endpoint:
        async with bench(endpoint, method="sampled") as at:
            judgement = await Judge(at.client, at.settings).judge(ITEMS[:1])
        assert "logprobs" not in endpoint.last
    assert judgement.verdicts[0].score == 4


async def test_expected_asks_for_the_score_alone_and_for_feedback_where_an_item_fails() -> None:
    low = {"2": 0.6, "3": 0.4}
    verdict = lambda seen: {"score": 2, "probabilities": low} if seen.id == "i1" else sure(seen)  # noqa: E731
    with StubEndpoint(respond=plays_judge(verdict)) as endpoint:
        async with bench(endpoint, method="expected", batch_size=5, ask_for_feedback=True) as at:
            judgement = await Judge(at.client, at.settings).judge(ITEMS[:3])
        alone = [body for body in endpoint.bodies if "logprobs" in body]
        again = [body for body in endpoint.bodies if "logprobs" not in body]
        assert (len(alone), len(again)) == (3, 1)
        assert all('"feedback"' not in json.dumps(body["response_format"]) for body in alone)
        assert '"i1": the feedback is missing' in again[0]["messages"][-1]["content"]
    assert [verdict.score for verdict in judgement.verdicts] == [pytest.approx(score) for score in (2.4, 4.1, 4.1)]
    assert [(verdict.passed, verdict.feedback) for verdict in judgement.verdicts] == [
        (False, "Say why."),
        (True, ""),
        (True, ""),
    ]
    assert len(judgement.calls) == 4


async def test_expected_refuses_an_endpoint_without_log_probabilities_after_one_request() -> None:
    with StubEndpoint(respond=plays_judge(lambda seen: {"score": 4})) as endpoint:
        async with bench(endpoint, method="expected") as at:
            with pytest.raises(ProviderError, match="no log-probabilities"):
                await Judge(at.client, at.settings).judge(ITEMS)
        assert endpoint.posts == 1


async def test_an_unusable_reply_is_asked_for_once_more_before_its_feedback_is() -> None:
    replies: Iterator[dict[str, Any]] = iter(
        [{"score": 9, "probabilities": {"9": 1.0}}, {"score": 2, "probabilities": {"2": 1.0}}, {"score": 1}]
    )
    with StubEndpoint(respond=plays_judge(lambda seen: next(replies))) as endpoint:
        async with bench(endpoint, method="expected", ask_for_feedback=True) as at:
            (verdict,) = (await Judge(at.client, at.settings).judge(ITEMS[:1])).verdicts
        assert endpoint.posts == 3
    assert (verdict.score, verdict.feedback) == (2, "Say why.")


async def test_the_method_is_part_of_a_verdicts_identity() -> None:
    class Store(dict[str, Any]):
        put = dict.__setitem__

    store = Store()
    with StubEndpoint(respond=plays_judge(sure)) as endpoint:
        async with bench(endpoint) as at:
            for method in ("sampled", "auto", "expected", "sampled", "auto", "expected"):
                settings: JudgeSettings = replace(at.settings, method=method)
                await Judge(at.client, settings, store=store).judge(ITEMS[:1])
        assert endpoint.posts == 3


def test_expected_needs_a_scale_of_levels() -> None:
    for scale in (Scale(0, 1), PASS_FAIL, Scale(0, 2.5), Scale(-1, 1)):
        with pytest.raises(SetupError, match="whole levels"):
            require_levels("expected", scale)
        require_levels("auto", scale)
    require_levels("expected", Scale(0, 100))


@pytest.mark.parametrize("more", [{}, {"singleton_rubric": Rubric("r", PASS_FAIL)}])
def test_no_judge_can_be_set_up_to_expect_what_has_no_levels(more: dict[str, Any]) -> None:
    rubric = Rubric("r") if more else Rubric("r", Scale(0, 1))
    model = ResolvedModel("cheap", "openai/m", "openai")
    with pytest.raises(SetupError, match="whole levels"):
        JudgeSettings(rubric, model, method="expected", **more)
    assert JudgeSettings(rubric, model, method="auto", **more).method == "auto"


@pytest.mark.parametrize("scale", ["0-1", "0-2", "1-5", "1-2", "-1-3", "0-100", "0-101", "pass/fail"])
def test_a_spec_refuses_what_the_judge_would(scale: str) -> None:
    """Two places know which scales have levels, since a spec stands below the judges."""
    path = Path(__file__).parents[1] / "data" / "schemas" / "judged_code.yaml"
    data = load_spec(path).document.data
    data["metric"]["judge"] |= {"scale": scale, "scoring": {"primary": "mean_score", "method": "expected"}}
    if parse_scale(scale).has_levels:
        assert parse_spec(data, str(path)).metric.judge
    else:
        with pytest.raises(InputError) as refused:
            parse_spec(data, str(path))
        assert [problem.key for problem in refused.value.problems] == ["metric.judge.scoring.method"]


async def test_a_reply_without_a_rows_key_still_reads_its_words() -> None:
    with StubEndpoint(respond=lambda body: completion("PASS", logprobs={"content": []})) as endpoint:
        async with bench(endpoint, method="auto", rubric=Rubric("r", PASS_FAIL)) as at:
            (verdict,) = (await Judge(at.client, at.settings).judge(ITEMS[:1])).verdicts
    assert verdict.score == 1
