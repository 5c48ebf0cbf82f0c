"""A text without one rule, copies that say the same, and which case a rule asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from texttargets.ablation import ALONE, NEEDED, neutral_copies, removals
from texttargets.case_ideas import case_idea
from texttargets.placeholders import placeholders
from texttargets.rules import REMOVABLE, split_rules

TEXT = "\r\n".join(
    (
        "\ufeff# Queue",
        "",
        "Answer {name} in one word.",
        "- Never guess.",
        "-\tKeep  two blanks. ",
        "",
        "```",
        "- x",
        "```",
    )
)

lines = st.sampled_from(
    ["# Head", "- one", "- two", "  - nested", "A paragraph.", "", "```", "{name}", "1. first", "---", "<tag>", "- one"]
)
line_ends = st.sampled_from(["\n", "\r\n"])


def test_every_rule_goes_alone_and_nothing_else_does() -> None:
    found = removals({"p.md": TEXT}, "none")
    assert [one.rule.words for one in found] == [
        "Answer {name} in one word.", "Never guess.", "Keep two blanks.", "``` - x ```",
    ]  # fmt: skip
    for one in found:
        assert one.texts == {"p.md": TEXT[: one.rule.start] + TEXT[one.rule.end :]}


def test_a_rule_with_a_placeholder_stays() -> None:
    first, *others = removals({"p.md": TEXT}, "brace")
    assert (first.texts, first.kept) == (None, NEEDED)
    assert all(one.texts is not None for one in others)


def test_a_rule_that_is_the_whole_text_stays() -> None:
    (only,) = removals({"p.md": "\ufeffAnswer.\n"}, "none")
    assert (only.texts, only.kept) == (None, ALONE)
    assert all(one.texts for one in removals({"p.md": "Answer.\n", "q.md": "Be kind.\n"}, "none"))


def test_front_matter_and_headings_are_no_rules_of_their_own() -> None:
    text = "---\nname: x\ndescription: y\n---\n# Head\n\nDo it.\n"
    assert [one.rule.words for one in removals({"SKILL.md": text}, "none")] == ["Do it."]


def test_files_follow_by_name_and_the_others_stay_whole() -> None:
    texts = {"b.md": "B.\n", "a.md": "A.\n\nC.\n"}
    found = removals(texts, "none")
    assert [(one.path, one.rule.words) for one in found] == [("a.md", "A."), ("a.md", "C."), ("b.md", "B.")]
    assert found[0].texts == {"a.md": "C.\n", "b.md": "B.\n"}


@given(st.lists(lines, max_size=12), line_ends, st.booleans())
def test_removal_is_exact_whatever_the_text(parts: list[str], line_end: str, mark: bool) -> None:
    text = ("\ufeff" if mark else "") + line_end.join(parts)
    rules = {rule.id: rule for rule in split_rules(text) if rule.kind in REMOVABLE}
    found = removals({"p.md": text}, "brace")
    assert [one.rule.id for one in found] == list(rules)
    for one in found:
        if one.texts is None:
            continue
        left = one.texts["p.md"]
        assert placeholders(left, "brace") == placeholders(text, "brace")
        assert left.removeprefix("\ufeff") == (text[: one.rule.start] + text[one.rule.end :]).removeprefix("\ufeff")
        assert left.startswith("\ufeff") == mark


@given(st.lists(lines, max_size=12), line_ends, st.integers(1, 5))
def test_neutral_copies_differ_in_blank_lines_alone(parts: list[str], line_end: str, wanted: int) -> None:
    text = line_end.join(parts)
    copies = neutral_copies({"p.md": text}, wanted)
    places = [rule for rule in split_rules(text)[:-1] if rule.kind != "front_matter"]
    assert len(copies) == (wanted if places else 0)
    assert len({copy["p.md"] for copy in copies} | {text}) == len(copies) + 1
    for copy in copies:
        assert [rule.id for rule in split_rules(copy["p.md"])] == [rule.id for rule in split_rules(text)]
        assert [line for line in copy["p.md"].split("\n") if line.strip()] == [
            line for line in text.split("\n") if line.strip()
        ]


def test_neutral_copies_of_several_files_change_one_each() -> None:
    texts = {"a.md": "A.\n\nB.\n", "b.md": "C.\n\nD.\n"}
    changed = [[path for path in texts if copy[path] != texts[path]] for copy in neutral_copies(texts, 4)]
    assert changed == [["a.md"], ["a.md"], ["b.md"], ["b.md"]]


@pytest.mark.parametrize(
    ("rule", "start"),
    [
        ("- Never promise a date.", "Write a case whose input invites what “Never promise a date.” forbids"),
        ("If the parcel is lost, say so.", "Write a case in which the condition of “If the parcel is lost, say so.”"),
        ("Answer as JSON.", "Write a case whose check sees the form that “Answer as JSON.” asks for"),
        ("For example, 'hi' is greeting.", "Write a case close to the example in “For example, 'hi' is greeting.”"),
        ("Be kind.", "Write a case that comes out wrong when “Be kind.” is not followed."),
        ("```\nx\n```", "Write a case whose right answer follows the block “``` x ```”"),
        ("Antworte freundlich.", "Write a case that comes out wrong when “Antworte freundlich.” is not followed."),
    ],
)
def test_the_idea_follows_the_wording(rule: str, start: str) -> None:
    (found,) = split_rules(rule)
    idea = case_idea(found)
    assert idea.startswith(start) and idea.endswith(".") and "\n" not in idea


def test_an_idea_survives_braces_and_controls_in_the_rule() -> None:
    (found,) = split_rules("Say {rule} and {0} \x1b[31m" + "x" * 90)
    assert "{rule} and {0}" in case_idea(found) and "\x1b" not in case_idea(found)
