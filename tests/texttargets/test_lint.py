"""`ceopt lint` on recorded rewrites: accepted or refused, and why."""

import json
from pathlib import Path

import pytest

from schemas.evalset import Case
from texttargets.leak_sources import LeakSources
from texttargets.lint import LintResult, lint, lint_json

DATA = Path(__file__).parent.parent / "data" / "texts"


def text(name: str) -> str:
    return (DATA / name).read_bytes().decode("utf-8")


def lint_files(before: str, after: str, syntax: str | None = None) -> LintResult:
    return lint({"p": text(before)}, {"p": text(after)}, syntax=syntax)


@pytest.mark.parametrize("syntax", [None, "brace"])
def test_placeholders_of_a_prompt(syntax: str | None) -> None:
    lost = lint_files("B27_prompt.txt", "B27_candidate_lost.txt", syntax)
    assert lint_json(lost) == {
        "accepted": False,
        "refusals": [
            {"code": "placeholder_lost", "message": "placeholder {question} is missing (was in line 2)", "line": 2}
        ],
    }
    escaped = lint_files("B27_prompt.txt", "B27_candidate_escaped.txt", syntax)
    assert {refusal.code for refusal in escaped.refusals} == {"placeholder_escaped"}
    messages = " ".join(refusal.message for refusal in escaped.refusals)
    assert "{{question}}" in messages
    assert "{ user.name }" in messages
    assert lint_files("B27_prompt.txt", "B27_candidate_moved.txt", syntax) == LintResult(True)


def test_front_matter_of_a_skill() -> None:
    bad = lint_files("B28_SKILL.md", "B28_candidate_bad.md")
    assert [(refusal.code, refusal.line) for refusal in bad.refusals] == [("front_matter", 3)]
    assert lint_files("B28_SKILL.md", "B28_candidate_good.md").accepted


def test_one_word_changed_in_a_file_with_mark_and_crlf() -> None:
    before = text("B29_prompt.md")
    assert lint({"p": before}, {"p": before.replace("mail", "post")}).accepted


def test_copied_item() -> None:
    items = [json.loads(line) for line in text("B44_items.jsonl").splitlines()]
    cases = [Case(id=item["id"], input=item["input"], expected=item["expected"]) for item in items]
    before = {"p": "Answer the customer.\n"}
    after = {"p": "Answer the customer. If it is about the blue kettle refund of 41.17 euro, pay it.\n"}
    (refusal,) = lint(before, after, sources=LeakSources(cases)).refusals
    assert refusal.message.startswith("copies item t1 “the blue kettle refund of 41.17 euro”")


@pytest.mark.parametrize(
    ("syntax", "before", "after", "found"),
    [
        ("brace", "Hi {name}.", "Hi {name}, {name}.", "placeholder {name} occurs more often than the 1 time before"),
        ("brace", "Hi {name}, {name}.", "Hi {name}.", "placeholder {name} is missing 1 of 2 times"),
        ("brace", "Hi {name}.", "Hi {name} of {town}.", "placeholder {town} is new"),
        ("brace", "Hi {name}.", "Hi <name>.", "placeholder {name} became <name>"),
        ("brace", "Hi {name}.", "Hi \\{name\\}.", "placeholder {name} became \\{name\\}"),
        ("double-brace", "Hi {{ name }}.", "Hi {name}.", "placeholder {{ name }} became {name}"),
        ("jinja", "{% if a %}x{% endif %}.", "{% if a %}x.", "placeholder {% endif %} is missing"),
        ("shell", "Hi ${name}.", "Hi $name there.", "placeholder ${name} is missing"),
    ],
)
def test_every_way_to_spoil_a_placeholder(syntax: str, before: str, after: str, found: str) -> None:
    result = lint({"p": before}, {"p": after}, syntax=syntax)
    assert [found in refusal.message for refusal in result.refusals] == [True]


def test_spaces_inside_a_mark_do_not_count() -> None:
    assert lint({"p": "Hi {{name}}."}, {"p": "Hello {{ name }}."}, syntax="double-brace").accepted


CLERK = "You are a clerk who reads letters with care.\nQuestion: MARK\nAnswer in one short line.\n"


@pytest.mark.parametrize(
    ("mark", "spoilt", "code"),
    [
        ("{名前}", "名前", "placeholder_lost"),
        ("{user-name}", "user-name", "placeholder_lost"),
        ("{ question }", "question", "placeholder_lost"),
        ("{0}", "{1}", "placeholder_lost"),
        ("{question}", "{ question }", "placeholder_escaped"),
        ("{{ q }}", "{% raw %}{{ q }}{% endraw %}", "placeholder_invented"),
        ("{{ q }}", "{# {{ q }} #}", "placeholder_invented"),
        ("{{ q }}", "{% if false %}{{ q }}{% endif %}", "placeholder_invented"),
        ("{{ q }}", '{{ "{{ q }}" }}', "placeholder_invented"),
        ("{{ q }}", "{{! {{ q }} }}", "placeholder_invented"),
        ("{{ q }}", "{#\n{{ q }}\n#}", "placeholder_invented"),
        ("{{ q | trim }}", "{# {{ q | trim }} #}", "placeholder_lost"),
        ("{{ q | trim }}", "{% if false %}{{ q | trim }}{% endif %}", "placeholder_invented"),
    ],
)
def test_a_mark_that_is_lost_or_switched_off_whatever_its_syntax(mark: str, spoilt: str, code: str) -> None:
    before = CLERK.replace("MARK", mark)
    result = lint({"p": before}, {"p": before.replace(mark, spoilt)})
    assert code in [refusal.code for refusal in result.refusals]
    assert lint({"p": before}, {"p": before.replace("short", "brief")}).accepted


def test_template_tags_the_text_already_had_may_stay() -> None:
    before = "{# greet #}\n{{ q }}\nBe short.\n"
    assert lint({"p": before}, {"p": before.replace("short", "brief")}, syntax="double-brace").accepted
