"""Inputs of cases against the placeholders of a text: what is sent nowhere, or in two ways, is named."""

from __future__ import annotations

from typing import Any

import pytest

from ceopt_tui.errors import InputError
from schemas.evalset import Case
from texttargets.case_fit import AS_IT_IS, FILLED, FILLED_ALONE, case_fit
from texttargets.runners.case_messages import TextRole, case_messages

JINJA = "Hello {{ user.name }}\n{% if late %}- hi {{ y|upper }}{% endif %}"


def fit(text: str, syntax: str, *inputs: Any, role: TextRole = "template") -> Any:
    cases = [Case(id=f"c{at}", input=value, expected="x") for at, value in enumerate(inputs)]
    return case_fit({"p": text}, cases, syntax, role)


def test_a_text_fills_the_one_placeholder_or_the_one_called_input() -> None:
    assert fit("Sort {message}.", "brace", "a text").lost == ()
    assert fit("Sort {input} into {queues}.", "brace", "a text").lost == ()
    assert fit("Sort {message} into {queues}.", "brace", "a text", {"message": "m", "queues": "q"}).lost == ("c0",)
    assert fit("Sort the message.", "brace", "a text").lost == ("c0",)


@pytest.mark.parametrize(
    ("syntax", "text"),
    [
        ("brace", "Sort {message}."),
        ("double-brace", "Sort {{ message }}."),
        ("jinja", "Sort {{ message|trim }}{% if message %}!{% endif %}"),
        ("shell", "Sort ${message}."),
        ("brace", "Sort {mail.text}."),
        ("brace", "Sort {input} into {queues}."),
        ("jinja", "Sort {{ input }} into {{ queues }}."),
    ],
)
def test_what_is_not_lost_is_sent(syntax: str, text: str) -> None:
    sent = case_messages({"p": text}, Case(id="c0", input="paper moon"), "template", syntax)
    assert ("paper moon" in sent[0].content) is (fit(text, syntax, "paper moon").lost == ())
    assert "message" not in sent[0].content


def test_of_a_jinja_text_what_it_takes_from_outside_may_be_asked_for() -> None:
    assert fit(JINJA, "jinja", "plain paper moon").lost == ("c0",)
    found = fit(JINJA, "jinja", {"user": {"name": "a"}}, {"late": True, "user": {"name": "a"}, "y": "z"})
    assert (found.asked, found.lost, found.open) == (("user", "late", "y"), (), {})
    assert fit(JINJA, "jinja", {"user": {"name": "a"}, "late": True}).open == {"y|upper": ("c0",)}
    loop = "{% for one in all %}{{ one.name }}{{ loop.index }}{% endfor %}{{ range(2)|list }}"
    assert (fit(loop, "jinja", {"all": []}).asked, fit(loop, "jinja", {"all": [{"name": "a"}]}).open) == (("all",), {})


def test_a_case_that_a_template_cannot_be_rendered_with_is_named() -> None:
    with pytest.raises(InputError, match="case c1: cannot be rendered"):
        fit("{{ price + 1 }}", "jinja", {"price": 1}, {"price": {"eur": 1}})


def test_what_is_left_in_the_text_or_not_sent_is_named_with_its_cases() -> None:
    found = fit("{user.name}: {message}", "brace", {"user": {"name": "a"}, "note": "m"}, {"message": "m", "user": {}})
    assert found.lost == ()
    assert (found.open, found.unused) == ({"message": ("c0",), "user.name": ("c1",)}, {"note": ("c0",)})
    assert found.slips == {}


def test_a_misspelt_key_is_told_from_one_that_is_not_for_the_text() -> None:
    assert fit("{message}", "brace", {"mesage": "m"}).lost == ("c0",)
    found = fit("{user.name}: {message}", "brace", {"usr": {"name": "a"}, "message": "m"})
    assert (found.lost, found.slips) == ((), {"c0": ("usr", "user")})
    assert fit("{message}", "brace", {"message": "m", "messages": "n"}).slips == {}


def test_beside_its_inputs_a_text_is_sent_in_one_way_or_the_ways_are_named() -> None:
    text = "You are {shop}."
    assert fit(text, "brace", "Hi", {"question": "Hi"}, role="system").layouts == {AS_IT_IS: ("c0", "c1")}
    both = fit(text, "brace", {"shop": "Hill", "q": "Hi"}, {"shop": "Dale", "q": "Ho"}, role="system")
    assert (both.asked, both.layouts) == (("shop",), {FILLED: ("c0", "c1")})
    mixed = fit(text, "brace", "Hi", {"shop": "Hill"}, role="system")
    assert mixed.layouts == {AS_IT_IS: ("c0",), FILLED_ALONE: ("c1",)}


def test_a_text_that_only_looks_like_a_template_is_sent_as_it_stands() -> None:
    case = Case(id="c", input={"message": "m", "x": "y"})
    assert case_messages({"p": "Write {% if %} and {{ message }}."}, case, "system", "jinja")[0].content == (
        "Write {% if %} and {{ message }}."
    )


def test_no_line_end_is_cut_in_two() -> None:
    filled = case_messages({"p": "Sort {message}\r\n"}, Case(id="c", input={"message": "m"}), "system", "brace")
    assert [one.content for one in filled] == ["Sort m\r\n"]
    beside = case_messages({"p": "Sort it.\r\n"}, Case(id="c", input="m"), "user", "brace")
    assert [one.content for one in beside] == ["Sort it.\n\nm"]
