"""A guess at the syntax of placeholders, and the other syntaxes that could be meant as well."""

from __future__ import annotations

import pytest

from texttargets.syntax_guess import guess_syntax, outside_code, rival_syntaxes, syntax_of_name

SHELL = "Hi ${NAME}, $HOME is $OTHER, cost $5. {a}"


@pytest.mark.parametrize(
    ("text", "inputs", "rivals"),
    [
        (SHELL, [{"NAME": "n", "a": "aa"}], {"shell": "${NAME}"}),
        (SHELL, ["a text"], {"shell": "${NAME}"}),
        (SHELL, [{"a": "aa"}], {}),  # only one of the two is filled
        ("Dear {{name}}, {greeting}", ["a text"], {"double-brace": "{{name}}"}),
        ("Dear {{name}}, {greeting}", [{"name": "n"}], {}),
        ("{% if a %}{{ a }}{% endif %}", ["a text"], {}),
        ('Say {"a": 1} to {name}', ["a text"], {}),
        ("Sort the message.", ["a text"], {}),
    ],
)
def test_rivals(text: str, inputs: list[object], rivals: dict[str, str]) -> None:
    assert rival_syntaxes(text, inputs, guess_syntax(text, inputs)) == rivals


def test_code_is_shown_and_asks_for_nothing() -> None:
    text = "Use `{x}` in ``f-{y}``.\n```py\nf'{z}'\n```\nSort {message}, `open\n"
    assert outside_code(text) == "Use  in .\nSort {message}, `open\n"


def test_the_endings_of_files_say_what_they_are_where_they_agree() -> None:
    assert syntax_of_name(["a/b.j2", "c.JINJA"]) == "jinja"
    assert syntax_of_name(["a.j2", "b.md"]) is None
