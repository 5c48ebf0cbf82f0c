"""Inputs of cases against the placeholders of a template: what is sent nowhere is named."""

from __future__ import annotations

from typing import Any

from schemas.evalset import Case
from texttargets.case_fit import case_fit


def fit(text: str, syntax: str, *inputs: Any) -> Any:
    cases = [Case(id=f"c{at}", input=value, expected="x") for at, value in enumerate(inputs)]
    return case_fit({"p": text}, cases, syntax)


def test_a_text_fills_the_one_placeholder_or_the_one_called_input() -> None:
    assert fit("Sort {message}.", "brace", "a text").lost == ()
    assert fit("Sort {input} into {queues}.", "brace", "a text").lost == ()
    assert fit("Sort {message} into {queues}.", "brace", "a text", {"message": "m", "queues": "q"}).lost == ("c0",)
    assert fit("Sort the message.", "brace", "a text").lost == ("c0",)


def test_of_a_jinja_text_every_word_may_be_asked_for() -> None:
    text = "Hello {{ user.name }}\n{% if late %}- hi {{ y|upper }}{% endif %}"
    assert fit(text, "jinja", "plain paper moon").lost == ("c0",)
    found = fit(text, "jinja", {"user": {"name": "a"}}, {"late": True})
    assert (found.lost, found.open) == ((), {})


def test_what_is_left_in_the_text_or_not_sent_is_named_with_its_cases() -> None:
    found = fit("{user.name}: {message}", "brace", {"user": {"name": "a"}, "mesage": "m"}, {"message": "m", "user": {}})
    assert found.lost == ()
    assert (found.open, found.unused) == ({"message": ("c0",)}, {"mesage": ("c0",)})
    assert fit("{message}", "brace", {"mesage": "m"}).lost == ("c0",)
