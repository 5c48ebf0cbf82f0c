"""Which placeholders a text has, and filling them without touching anything else."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceopt_tui.errors import InputError
from texttargets.guard_placeholders import check_placeholders
from texttargets.placeholders import fill, find_placeholders, placeholders
from texttargets.syntax_guess import guess_syntax

DATA = Path(__file__).parent.parent / "data" / "texts"
PROMPT = (DATA / "B27_prompt.txt").read_text(encoding="utf-8")


def test_data_with_braces_is_sent_as_it_is() -> None:
    values = json.loads((DATA / "B27_item.json").read_text(encoding="utf-8"))["input"]
    sent = fill(PROMPT, values, "brace")
    assert sent == PROMPT.replace("{question}", "What do {x}, {{y}} and {# z mean?")
    assert '{"score": 0, "why": ""}' in sent
    assert "{# not a comment #} {% raw %}" in sent


def test_doubled_braces_are_marks_in_brace_syntax() -> None:
    assert placeholders(PROMPT, "brace") == Counter({"{question}": 1, "{{user.name}}": 1})


@pytest.mark.parametrize(
    ("syntax", "text", "wanted"),
    [
        ("brace", '{"a": {name}} {a b} {} x{2,3} {"b": 1} { "c": {} } [a-z]{3} \\d{2}', {"{name}": 1}),
        ("brace", "{0} {1} { spaced }", {"{0}": 1, "{1}": 1, "{ spaced }": 1}),
        (
            "brace",
            "{名前} {user-name} {naïve} {नाम} {שם}",
            dict.fromkeys(["{名前}", "{user-name}", "{naïve}", "{नाम}", "{שם}"], 1),
        ),
        ("brace", "import { useState } from 'react'\nconst { a } = b\nlet {name} be told", {"{name}": 1}),
        ("brace", "${HOME} ${{ ci.x }} \\frac{a}{b} \\begin{document}", {}),
        ("brace", "f\"{local}\" and f'{other}' but {real}", {"{real}": 1}),
        ("brace", "if (x) {return} {items[0]} {user.name} {cost:.2f} {x!r}", None),
        ("brace", "```\n{code}\n```", {"{code}": 1}),
        ("double-brace", "{{ a }} {{a}} {b} {{#each items}}{{/each}} ${{ ci }}", None),
        ("double-brace", "{{{raw}}}", {"{{{raw}}}": 1}),
        ("jinja", "{{ a | upper }} {% if b %}x{% endif %}{# {{ c }} #}{% raw %}{{ d }}{% endraw %}", None),
        ("shell", "${name} $name $${not} ${port:-80} {brace}", {"${name}": 1, "${port:-80}": 1}),
        ("none", "{a} {{b}} ${c}", {}),
    ],
)
def test_marks_of_each_syntax(syntax: str, text: str, wanted: dict[str, int] | None) -> None:
    more = {
        ("brace", "if"): {"{items[0]}": 1, "{user.name}": 1, "{cost:.2f}": 1, "{x!r}": 1},
        ("double-brace", "{{"): {"{{a}}": 2, "{{#each items}}": 1, "{{/each}}": 1},
        ("jinja", "{{"): {"{{a | upper}}": 1, "{%if b%}": 1, "{%endif%}": 1},
    }
    assert placeholders(text, syntax) == Counter(more[syntax, text[:2]] if wanted is None else wanted)


def test_spans_are_exact() -> None:
    for mark in find_placeholders(PROMPT, "brace"):
        assert PROMPT[mark.start : mark.end] == mark.text


@pytest.mark.parametrize(
    ("syntax", "text", "filled"),
    [
        ("brace", "{a} {b} {user.name} {list[1]} {n:.1f} {n}", "{b} {b} Ann two 1.2 1.25"),
        ("brace", "{ n } {user-name} {名前} {0} {1}", "1.25 Bo 花子 first {1}"),
        ("double-brace", "{{a}} {{ user.name }} {a} {{b}} {{{a}}}", "{b} Ann {a} {{b}} {b}"),
        ("shell", "${a} ${b} $a ${user.name}", "{b} ${b} $a Ann"),
        ("jinja", "{% if n %}{{ a }}{% endif %} {{ b|upper }} {{ user.name|upper }}\r\n", "{b} {{ b|upper }} ANN\r\n"),
        ("none", "{a}", "{a}"),
    ],
)
def test_fill_leaves_the_unknown_alone(syntax: str, text: str, filled: str) -> None:
    values = {"a": "{b}", "user": {"name": "Ann"}, "list": ["one", "two"], "n": 1.25}
    values |= {"user-name": "Bo", "名前": "花子", "0": "first"}
    assert fill(text, values, syntax) == filled


def test_values_that_are_no_text_are_written_as_json() -> None:
    assert fill("{a} {b} {c}", {"a": {"k": "é"}, "b": True, "c": 7}, "brace") == '{"k": "é"} true 7'
    assert fill("{{ a }}", {"a": ["é", None]}, "jinja") == '["é", null]'


def test_wrong_jinja_template_names_its_line() -> None:
    with pytest.raises(InputError, match="template:2: cannot be rendered"):
        fill("one\n{% if %}\n", {}, "jinja")


def test_jinja_template_cannot_reach_into_python() -> None:
    with pytest.raises(InputError, match="unsafe"):
        fill("{{ a.__class__.__mro__ }}", {"a": "x"}, "jinja")


@pytest.mark.parametrize(
    ("text", "inputs", "syntax"),
    [
        (PROMPT, [{"question": "?"}], "brace"),
        (PROMPT, [], "brace"),
        ("Hello {{ name }}", [], "double-brace"),
        ("Hello {{ name }} {thing}", [{"name": "x"}], "double-brace"),
        ("Frage: {名前}", [], "brace"),
        ("Question: { question }", [], "brace"),
        ("{% if a %}{{ a }}{% endif %}", [], "jinja"),
        ("{{ a | trim }}", [{"a": "x"}], "jinja"),
        ("Hello ${name}", ["a text"], "shell"),
        ('Reply {"score": 0}', [{"question": "?"}], "none"),
        ("```js\nconst {a} = b\n```\nHi", [], "none"),
        ("Review:\n```tsx\nreturn <p>{label}</p>\n```\n", [], "none"),
        ("Review:\n```python\n{code}\n```\n", [], "brace"),
        ("Review:\n```tsx\nreturn <p>{label}</p>\n```\n", [{"label": "x"}], "brace"),
    ],
)
def test_guess(text: str, inputs: list[object], syntax: str) -> None:
    assert guess_syntax(text, inputs) == syntax


@given(st.text(), st.text(alphabet="{}$#% abq\n"))
def test_filled_data_is_never_read_again(value: str, around: str) -> None:
    text = f"{around} | {{q}} | end"
    if placeholders(text, "brace") == {"{q}": 1}:  # `{ q}` is one as well
        assert fill(text, {"q": value}, "brace") == f"{around} | {value} | end"


@pytest.mark.parametrize(
    ("text", "values", "wanted"),
    [
        ("{{ user.name }}!", {"user": "text"}, "{{ user.name }}!"),
        ("{{ user.name }}!", {"user": {}}, "{{ user.name }}!"),
        ("{{ users[0].name|upper }}", {"users": []}, "{{ users[0].name|upper }}"),
        ("{{ users[0].name|upper }}", {"users": [{"name": "ann"}]}, "ANN"),
        ("{{ user.name|default('you') }}", {"user": {}}, "you"),
        ("{{ who|default('you') }}", {}, "you"),
        ("{% for user in all %}{{ user.name }}{% endfor %}", {"all": [{"name": "a"}], "user": "x"}, "a"),
        ("{{ name.upper() }} {{ range(2)|list }}", {"name": "ann"}, "ANN [0, 1]"),
    ],
)
def test_a_jinja_expression_that_leads_nowhere_stays(text: str, values: dict[str, object], wanted: str) -> None:
    assert fill(text, values, "jinja") == wanted


@pytest.mark.parametrize(
    ("added", "codes"),
    [
        ("```js\nfunction f({a}) { return {a}; }\n```\n", []),
        ("```css\n.a {b} .c {d}\n```\n", []),
        ("```js\nconst {a} = load('{question}')\n```\n", ["placeholder_invented"]),  # a value would be put in there
        ("```js\n{answer}\n```\n", ["placeholder_invented"]),
        ("```\nthe form {answer}\n```\n", ["placeholder_invented"]),
        ("Use the form {label}.\n", ["placeholder_invented"]),
    ],
)
def test_braces_of_code_in_a_block_are_no_invented_placeholders(added: str, codes: list[str]) -> None:
    before = "Answer {question} at once.\n"
    assert [refusal.code for refusal in check_placeholders(before, before + added, "brace")] == codes
