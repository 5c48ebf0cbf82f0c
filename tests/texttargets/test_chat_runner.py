"""The chat runner: what is sent for a text and a case, and what becomes of failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ceopt_tui.core.ports import Accept, Message, ModelReply, ModelRequest, ResolvedModel
from ceopt_tui.errors import CallFailed, QuotaError
from schemas.evalset import Case
from schemas.records import CallFacts
from texttargets.runners.chat import ChatRunner

MODEL = ResolvedModel("cheap", "openai/m", "openai", params={"top_p": 0.5})
FACTS = CallFacts(role="task", model="openai/m")


class Completer:
    def __init__(self, answer: Callable[[ModelRequest], ModelReply]) -> None:
        self.requests: list[ModelRequest] = []
        self._answer = answer

    async def complete(self, request: ModelRequest, accept: Accept | None = None) -> ModelReply:
        self.requests.append(request)
        return self._answer(request)


def sent(text: str | dict[str, str], case_input: Any, **settings: Any) -> list[tuple[str, str]]:
    texts = {"p.md": text} if isinstance(text, str) else text
    runner = ChatRunner(Completer(lambda _: ModelReply("", FACTS)), MODEL, **settings)
    return [(message.role, message.content) for message in runner.messages(texts, Case(id="c", input=case_input))]


def test_the_text_is_the_system_message_and_the_input_the_users() -> None:
    assert sent("\ufeffBe {short}.\r\n", "Hi {x}", syntax="brace") == [
        ("system", "Be {short}.\r\n"),
        ("user", "Hi {x}"),
    ]


def test_as_user_message_text_and_input_are_one() -> None:
    assert sent("Be short.\n", "Hi", role="user") == [("user", "Be short.\n\nHi")]


def test_an_empty_text_sends_the_input_alone() -> None:
    assert sent("\n", "Hi") == [("user", "Hi")]


def test_a_template_is_filled_and_data_is_never_interpreted() -> None:
    text = 'Answer {question} as {"a": 1}. {other}'
    filled = 'Answer What do {x}, {question} mean? as {"a": 1}. {other}'
    assert sent(text, {"question": "What do {x}, {question} mean?"}, role="template", syntax="brace") == [
        ("user", filled)
    ]


def test_an_input_of_one_text_fills_the_only_placeholder() -> None:
    assert sent("Sort: {message}", "hello", role="template", syntax="brace") == [("user", "Sort: hello")]
    assert sent("{tone}: {input}", "hello", role="template", syntax="brace") == [("user", "{tone}: hello")]


def test_a_mapping_fills_what_the_text_asks_for_and_the_rest_is_the_users_message() -> None:
    case_input = {"shop": "Hill", "question": "Open?", "day": "Sunday"}
    assert sent("You are {shop}.", {"shop": "Hill", "question": "Open?"}, syntax="brace") == [
        ("system", "You are Hill."),
        ("user", "Open?"),
    ]
    assert sent("You are {shop}.", case_input, syntax="brace")[1] == ("user", "question: Open?\nday: Sunday")


def test_several_files_follow_one_another_by_name() -> None:
    assert sent({"b.md": "two", "a.md": "one"}, "Hi")[0] == ("system", "one\n\ntwo")


async def test_one_call_is_sent_with_sample_and_parameters_in_order_of_precedence() -> None:
    completer = Completer(lambda _: ModelReply("blue", FACTS))
    runner = ChatRunner(completer, MODEL, params={"max_tokens": 9}, timeout_s=5, retries=1)
    result = await runner.run({"p.md": "Name it."}, Case(id="c", input="sky"), 3)
    assert (result.output, result.error, result.truncated, result.facts) == ("blue", None, False, FACTS)
    request = completer.requests[0]
    assert request.params == {"temperature": 0, "top_p": 0.5, "max_tokens": 9}
    assert (request.role, request.sample, request.timeout_s, request.retries) == ("task", 3, 5, 1)
    assert request.messages == (Message("system", "Name it."), Message("user", "sky"))
    assert request.response_schema is None


async def test_a_truncated_reply_is_an_output_that_says_so() -> None:
    runner = ChatRunner(Completer(lambda _: ModelReply("", FACTS, truncated=True)), MODEL)
    result = await runner.run({"p.md": "t"}, Case(id="c", input="x"), 0)
    assert (result.output, result.truncated, result.error) == ("", True, None)


async def test_a_failed_call_is_no_output_and_what_ends_the_run_is_raised() -> None:
    def fail(_: ModelRequest) -> ModelReply:
        raise CallFailed("no choices", reason="no_choices")

    def quota(_: ModelRequest) -> ModelReply:
        raise QuotaError("nothing left")

    result = await ChatRunner(Completer(fail), MODEL).run({"p.md": "t"}, Case(id="c", input="x"), 0)
    assert (result.output, result.error, result.facts) == ("", "no choices", None)
    with pytest.raises(QuotaError):
        await ChatRunner(Completer(quota), MODEL).run({"p.md": "t"}, Case(id="c", input="x"), 0)
