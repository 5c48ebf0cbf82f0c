"""What a reply is worth: right, wrong, or in no form that can be scored."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from ceopt_tui.core.study.scoring import Unreadable, golden_reply, score_reply, word_search
from schemas.study_cases import Answer, GateAnswer, JudgedAnswer, ProseAnswer

ANSWERS: TypeAdapter[Answer] = TypeAdapter(Answer)
CODES = ["sql", "no-timeout", "leak"]

CODE = st.from_regex(r"[a-z][a-z0-9]{2,8}", fullmatch=True).filter(
    lambda code: code not in {"non", "not", "nor", "none", "never", "without", "neither", "absent"}
)
TYPES = st.one_of(
    st.fixed_dictionaries({"type": st.just("exact"), "value": CODE}),
    st.lists(CODE, min_size=2, unique=True).map(lambda some: {"type": "route", "value": some[0], "labels": some}),
    st.fixed_dictionaries({"type": st.just("number"), "value": st.floats(-1e6, 1e6, allow_subnormal=False)}),
    st.fixed_dictionaries({"type": st.just("boolean"), "value": st.booleans()}),
    st.fixed_dictionaries({"type": st.just("set"), "values": st.lists(CODE, min_size=1)}),
    st.lists(CODE, min_size=1, unique=True).flatmap(
        lambda some: st.integers(0, len(some)).map(lambda n: {"type": "findings", "planted": some[:n], "codes": some})
    ),
)


def answer(**parts: Any) -> Answer:
    return ANSWERS.validate_python(parts)


def score(wanted: Answer, reply: str, prompt: str = "") -> float:
    return score_reply(wanted, reply, prompt).score


@settings(max_examples=50)
@given(TYPES)
def test_the_golden_reply_has_the_whole_score_and_silence_has_none(parts: dict[str, Any]) -> None:
    wanted = answer(**parts)
    assert score(wanted, golden_reply(wanted), "Which?") == 1
    with pytest.raises(Unreadable, match="empty"):
        score(wanted, " \n")


@settings(max_examples=50)
@given(TYPES, st.text())
def test_any_reply_has_a_score_from_0_to_1_or_cannot_be_read(parts: dict[str, Any], reply: str) -> None:
    try:
        assert 0 <= score(answer(**parts), reply) <= 1
    except Unreadable:
        assert parts["type"] in {"number", "boolean", "set"} or not reply.strip()


@pytest.mark.parametrize(
    ("parts", "reply", "wanted"),
    [
        ({"type": "exact", "value": "Yes"}, " Yes\n", 1),
        ({"type": "exact", "value": "Yes"}, "yes", 0),
        ({"type": "route", "value": "a", "labels": ["a", "b"]}, "A.", 1),
        ({"type": "route", "value": "a", "labels": ["a", "b"]}, "b", 0),
        ({"type": "route", "value": "a", "labels": ["a", "b"]}, "This belongs to a", 0),
        ({"type": "number", "value": 3, "tolerance": 0.5}, "3.5", 1),
        ({"type": "number", "value": 3}, "3.01", 0),
        ({"type": "boolean", "value": False}, "false", 1),
        ({"type": "boolean", "value": False}, " true ", 0),
        ({"type": "set", "values": ["a", "b"]}, '["b", "a", "b"]', 1),
        ({"type": "set", "values": ["a", "b"]}, '["a", "c"]', 1 / 3),
        ({"type": "findings", "planted": ["sql", "leak"], "codes": CODES}, "- SQL in line 3", 0.5),
        ({"type": "findings", "planted": ["sql"], "codes": CODES}, "sqlite is used", 0),
        ({"type": "findings", "planted": ["no-timeout"], "codes": CODES}, "no-timeout", 1),
        ({"type": "findings", "planted": [], "codes": CODES}, "none", 1),
        ({"type": "findings", "planted": [], "codes": CODES}, "leak", 0),
        ({"type": "findings", "planted": ["sql"], "codes": CODES}, "No. 1: sql", 1),
    ],
)
def test_scores(parts: dict[str, Any], reply: str, wanted: float) -> None:
    assert score(answer(**parts), reply) == wanted


@pytest.mark.parametrize("reply", ["There is no sql here", "sql: not found", "Free of sql", "it isn't sql"])
def test_what_is_denied_is_not_found(reply: str) -> None:
    assert score(answer(type="findings", planted=["sql"], codes=CODES), reply) == 0


def test_what_repeats_the_prompt_is_not_found() -> None:
    wanted = answer(type="findings", planted=["sql", "leak"], codes=CODES)
    prompt = "Codes you may name:\n  sql, no-timeout, leak\nBegin."
    assert score(wanted, "Codes you may name:\nsql, no-timeout, leak\nBegin.\nI see a leak", prompt) == 0.5


@pytest.mark.parametrize(
    ("parts", "reply", "why"),
    [
        ({"type": "boolean", "value": False}, '"false"', "true or false, and is a text"),
        ({"type": "boolean", "value": True}, "1", "and is something else"),
        ({"type": "boolean", "value": True}, "True", "not JSON"),
        ({"type": "boolean", "value": True}, "Yes.", "not JSON"),
        ({"type": "boolean", "value": True}, "[" * 100_000, "not JSON"),
        ({"type": "number", "value": 1}, "about 1", "no number"),
        ({"type": "number", "value": 1}, "1e999", "no number"),
        ({"type": "number", "value": 1}, '"1"', "no number"),
        ({"type": "set", "values": ["a"]}, '{"a": 1}', "a JSON list of texts"),
        ({"type": "set", "values": ["a"]}, "[1]", "a JSON list of texts"),
    ],
)
def test_what_cannot_be_read_is_no_wrong_answer(parts: dict[str, Any], reply: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        score(answer(**parts), reply)


def test_a_boolean_reply_is_never_equal_to_a_number() -> None:
    assert json.loads("1") == True  # noqa: E712 - why identity is asked for, and the type before
    with pytest.raises(Unreadable):
        score(answer(type="boolean", value=True), "1")


PROSE = ProseAnswer(
    planted=("It leaks.", "It loops."), tokens={"It leaks.": ("leak", "unclosed"), "It loops.": ("loop",)}
)


@pytest.mark.parametrize(
    ("reply", "share"),
    [
        ("The file stays UNCLOSED.", 0.5),
        ("It leaks and it loops.", 1.0),
        ("There is no leak.\nIt loops.", 0.5),
        ("Does it leak?", 0.0),
    ],
)
def test_a_search_for_words_finds_what_is_asserted(reply: str, share: float) -> None:
    assert word_search(PROSE, reply, "Does it leak?") == share


def test_without_words_nothing_is_searched() -> None:
    assert word_search(ProseAnswer(planted=("It leaks.",)), "It leaks.", "") is None


@pytest.mark.parametrize("answer", [PROSE, JudgedAnswer(dimensions={"quality": "q.md"}, good="Good.")])
def test_no_rule_scores_what_is_for_a_judge(answer: ProseAnswer | JudgedAnswer) -> None:
    assert golden_reply(answer) in ("It leaks.\nIt loops.", "Good.")
    with pytest.raises(TypeError):
        score_reply(answer, "It leaks.", "")


def test_no_reply_stands_for_what_a_program_leaves_behind() -> None:
    gate = GateAnswer(commands=("true",), golden="golden")
    for ask in (lambda: golden_reply(gate), lambda: score_reply(gate, "Done.", "")):
        with pytest.raises(TypeError):
            ask()
