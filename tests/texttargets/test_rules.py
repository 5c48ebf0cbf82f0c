"""Rules partition a text, and their ids survive edits elsewhere."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from texttargets.rules import REMOVABLE, split_rules, without_rules
from texttargets.sections import find_sections

DATA = Path(__file__).parent.parent / "data" / "texts"
TEXT = """\
You sort mail.
Be kind.

# Rules

- First rule
  goes on here

  and here.
- Second rule
  - with a part
1. Numbered

```python
# no heading

- no item
```
## Details ##
<example>
Input: x
</example>

Title
=====
Last.
"""


def kinds(text: str) -> list[tuple[str, str]]:
    return [(rule.kind, rule.content) for rule in split_rules(text)]


def test_kinds() -> None:
    assert kinds(TEXT) == [
        ("paragraph", "You sort mail.\nBe kind."),
        ("heading", "# Rules"),
        ("list_item", "- First rule\n  goes on here\n\n  and here."),
        ("list_item", "- Second rule\n  - with a part"),
        ("list_item", "1. Numbered"),
        ("code", "```python\n# no heading\n\n- no item\n```"),
        ("heading", "## Details ##"),
        ("tag", "<example>"),
        ("paragraph", "Input: x"),
        ("tag", "</example>"),
        ("heading", "Title\n====="),
        ("paragraph", "Last."),
    ]


def test_front_matter_and_fences_are_never_split() -> None:
    for name in ("B28_SKILL.md", "B28_SKILL_crlf.md"):
        text = (DATA / name).read_bytes().decode()
        found = [rule.kind for rule in split_rules(text)]
        assert found == ["front_matter", "heading", "paragraph", "break", "paragraph", "code"]


def test_two_blocks_of_code_are_two_rules() -> None:
    assert [kind for kind, _ in kinds("```\na\n```\n```\nb\n```\n")] == ["code", "code"]


def test_lines_and_headings_lead_to_the_place() -> None:
    rule = next(rule for rule in split_rules(TEXT) if rule.content == "Input: x")
    assert rule.headings == ("Rules", "Details")
    assert TEXT.split("\n")[rule.line - 1] == "Input: x"


def test_ids_survive_edits_elsewhere_renumbering_and_line_ends() -> None:
    before = {rule.content: rule.id for rule in split_rules("# A\n\n1. one\n2. two\n")}
    after = {rule.content: rule.id for rule in split_rules("new\r\n\r\n# A\r\n\r\n1. zero\r\n2. one\r\n3. two\r\n")}
    assert after["2. one"] == before["1. one"]
    assert after["3. two"] == before["2. two"]
    assert after["# A"] == before["# A"]


def test_equal_rules_have_ids_of_their_own() -> None:
    first, second = split_rules("- same\n- same\n")
    assert second.id == f"{first.id}-2"


@pytest.mark.parametrize("wanted", ["Rules", "# rules", "rules:"])
def test_section_runs_to_the_next_heading_of_its_level(wanted: str) -> None:
    (section,) = find_sections(TEXT, wanted)
    assert TEXT[section.start : section.end].startswith("# Rules\n")
    assert TEXT[section.start : section.end].endswith("</example>")


def test_removing_rules() -> None:
    text = "\ufeffIntro.\r\n\r\n- a\r\n- b\r\n"
    rules = split_rules(text)
    assert without_rules(text, {rules[0].id}) == "\ufeff- a\r\n- b\r\n"
    assert without_rules(text, {rule.id for rule in rules if rule.kind in REMOVABLE}) == "\ufeff"
    assert without_rules(text, ()) == text


@given(
    st.lists(st.sampled_from([*TEXT.splitlines(), "---", "", "~~~", "a: b", "\t- x", "\u2028"]), max_size=14), st.data()
)
def test_rules_joined_give_the_text_back(lines: list[str], data: st.DataObject) -> None:
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    text = data.draw(st.sampled_from(["", "\ufeff"])) + end.join(lines) + data.draw(st.sampled_from(["", end]))
    rules = split_rules(text)
    assert "".join(rule.text for rule in rules) == text
    assert all(text[rule.start : rule.end] == rule.text for rule in rules)
    assert len({rule.id for rule in rules}) == len(rules)


@pytest.mark.parametrize("comment", ["<!--\n# Old\n\n- gone\n-->", "  <!-- a\n\n## Old\n- gone\nb --> and on"])
def test_a_comment_is_one_rule_and_holds_no_heading(comment: str) -> None:
    text = f"# Now\n\n{comment}\n\n- rule\n"
    assert [kind for kind, _ in kinds(text)] == ["heading", "paragraph", "list_item"]
    assert split_rules(text)[-1].headings == ("Now",)
    assert "".join(rule.text for rule in split_rules(text)) == text


def test_comments_that_end_at_once_or_never_or_are_code_hide_nothing() -> None:
    for before in ("<!-- a -->", "<!-- never closed", "```\n<!--\n```"):
        assert [kind for kind, _ in kinds(f"{before}\n\n# Now\n\n- rule\n")][1:] == ["heading", "list_item"]
