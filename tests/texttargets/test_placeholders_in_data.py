"""Braces of data and code are no placeholders, whatever the syntax, and nothing inside a value is ever filled in."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from texttargets.guard_placeholders import check_placeholders
from texttargets.placeholders import fill, placeholders
from texttargets.syntax_guess import guess_syntax

SYNTAXES = ("brace", "double-brace", "jinja", "shell")
MARKS = {"brace": "{question}", "double-brace": "{{question}}", "jinja": "{{ question }}", "shell": "${question}"}
# Braces of every kind, and pieces that look like each other's marks.
PIECES = (
    "{",
    "}",
    "{{",
    "}}",
    "{%",
    "%}",
    "{#",
    "#}",
    "${",
    "$",
    "\\",
    '"',
    "'",
    "question",
    "name",
    " ",
    "\n",
    "日",
    "|",
    ":",
)
FORBIDDEN = ("{{", "}}", "{%", "%}", "{#", "#}", "${")  # where JSON meets these, a template language would read them

KEYS = st.text(st.characters(codec="utf-8", exclude_characters="{}$"), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
CODE = (
    "d = {k: v for k, v in pairs}",
    "s = {1, 2, 3}; t = {x, y}",
    "f\"{name} of {count}\" + rf'{path}'",
    'f"""\n{name}\n"""',
    '$"{name}" and $@"{path}"',
    "if (a > 0) { return b; }",
    "body { margin: 0 } a{color:red}",
    "() => {return x}",
    "import { useState } from 'react'",
    "int main() { return 0; }",
    r"\\d{3}-[a-z]{2,4} (ab){3}",
    r"\textbf{bold} \frac{a}{b}",
    "{count, plural, one {# item} other {# items}}",
    "a: {b: c, d: [e]}",
    "struct P { x: i32 }",
    "{}",
)


@given(JSON, st.sampled_from(SYNTAXES), st.sampled_from([None, 2]), st.booleans())
@settings(max_examples=300)
def test_json_is_never_a_placeholder(value: Any, syntax: str, indent: int | None, compact: bool) -> None:
    separators = (",", ":") if compact else None
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)
    if syntax in ("jinja", "double-brace") and any(mark in text for mark in FORBIDDEN):
        return
    mark = MARKS[syntax]
    around = f"Reply as\n{text}\n{mark}\nor {text}\n"
    assert placeholders(text, syntax) == Counter()
    assert placeholders(around, syntax).total() == 1
    assert fill(around, {"question": "X"}, syntax) == around.replace(mark, "X")


@pytest.mark.parametrize("code", CODE)
def test_code_is_never_a_brace_placeholder(code: str) -> None:
    text = f"{{question}}\n{code}\nand `{code}`\n"
    assert placeholders(text, "brace") == Counter({"{question}": 1})
    assert fill(text, {"question": "X", "name": "N", "x": "N", "b": "N"}, "brace") == text.replace("{question}", "X")
    assert guess_syntax(f"Write code.\n{code}\n") == "none"


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.sampled_from(SYNTAXES))
@settings(max_examples=400)
def test_nothing_inside_a_value_is_filled_in(value: str, syntax: str) -> None:
    text = f"Question: {MARKS[syntax]} | {MARKS[syntax]}\n"
    values = {"question": value, "name": "NAME"}
    assert fill(text, values, syntax) == f"Question: {value} | {value}\n"


@given(
    st.lists(st.sampled_from(("name", "text", "user.name", "日本", "item-1")), min_size=1, max_size=5),
    st.sampled_from(("brace", "double-brace", "shell")),
    st.data(),
)
@settings(max_examples=200)
def test_the_same_marks_in_any_order_are_accepted_and_one_less_or_more_is_not(
    names: list[str], syntax: str, data: st.DataObject
) -> None:
    wrap = {"brace": "{%s}", "double-brace": "{{%s}}", "shell": "${%s}"}[syntax]
    marks = [wrap % name for name in names]
    shuffled = data.draw(st.permutations(marks))

    def text(of: list[str], words: str) -> str:
        return "\n".join(f"{words} {mark} here." for mark in of) + '\nReply as {"a": 1}.\n'

    before = text(marks, "Old")
    assert check_placeholders(before, text(shuffled, "New"), syntax) == []
    lost = check_placeholders(before, text(shuffled[1:], "New"), syntax)
    assert [refusal.code for refusal in lost] == ["placeholder_lost"]
    twice = check_placeholders(before, text([*shuffled, shuffled[0]], "New"), syntax)
    assert [refusal.code for refusal in twice] == ["placeholder_invented"]
    assert lost[0].line and twice[0].line
