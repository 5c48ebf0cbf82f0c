"""Edits fit once and leave every other byte alone."""

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ceopt_tui.core.ports import ProposalRefused
from ceopt_tui.errors import ProposalError
from texttargets.edits import Edit, SectionEdit, apply_edits
from texttargets.rules import split_rules

DATA = Path(__file__).parent.parent / "data" / "texts"
LINES = st.lists(st.text(alphabet="ab \té日#-", max_size=6), min_size=1, max_size=6)


def codes(texts: dict[str, str], *edits: Edit | SectionEdit, budget: int = 4) -> list[str]:
    with pytest.raises(ProposalRefused) as caught:
        apply_edits(texts, edits, budget)
    assert isinstance(caught.value, ProposalError)
    return [refusal.code for refusal in caught.value.refusals]


def test_one_word_of_a_file_with_mark_and_crlf() -> None:
    text = (DATA / "B29_prompt.md").read_bytes().decode()
    after = apply_edits({"p": text}, [Edit("sort mail.", "sort letters.")])["p"]
    assert after == text.replace("mail", "letters")


def test_model_may_write_lf_over_crlf_lines() -> None:
    text = "\ufeff# Role\r\nYou sort.\r\nBe quick.\r\n"
    after = apply_edits({"p": text}, [Edit("# Role\nYou sort.\n", "# Role\nYou sort.\nTwice.\n")])["p"]
    assert after == "\ufeff# Role\r\nYou sort.\r\nTwice.\r\nBe quick.\r\n"


def test_crlf_from_a_model_becomes_lf_in_an_lf_file() -> None:
    assert apply_edits({"p": "a\nb\n"}, [Edit("a\r\nb", "a\r\nc\r\nb")])["p"] == "a\nc\nb\n"


def test_deleting_a_line_takes_its_whole_line_end() -> None:
    assert apply_edits({"p": "a\r\nb\r\nc"}, [Edit("b\n", "")])["p"] == "a\r\nc"
    assert apply_edits({"p": "a\r\nb\r\nc"}, [Edit("a\n", "")])["p"] == "b\r\nc"
    assert apply_edits({"p": "a\r\nb"}, [Edit("a", "a!")])["p"] == "a!\r\nb"


def test_edits_are_independent_of_their_order() -> None:
    edits = [Edit("two", "2"), Edit("one", "1")]
    assert apply_edits({"p": "one two"}, edits) == apply_edits({"p": "one two"}, edits[::-1]) == {"p": "1 2"}


def test_refusals() -> None:
    assert codes({"p": "a b a"}, Edit("x", "y")) == ["edit_not_found"]
    assert codes({"p": "a b a"}, Edit("a", "y")) == ["edit_ambiguous"]
    assert codes({"p": "aaa"}, Edit("aa", "b")) == ["edit_ambiguous"]
    assert codes({"p": "a", "q": "a"}, Edit("a", "y")) == ["edit_ambiguous"]
    assert codes({"p": "abc"}, Edit("ab", "x"), Edit("bc", "y")) == ["edit_overlap"]
    assert codes({"p": "abc"}, Edit("b", "b1"), Edit("b", "b2")) == ["edit_overlap"]
    assert codes({"p": "abc"}, Edit("a", "x"), Edit("b", "y"), budget=1) == ["edit_budget"]
    assert codes({"p": "abc"}, Edit("a", "x", path="elsewhere")) == ["out_of_scope"]
    assert codes({"p": "abc"}, Edit("", "x")) == ["edit_not_found"]
    assert codes({"p": "abc"}) == ["no_edits_applied"]


def test_refusal_shows_the_words_and_the_second_line() -> None:
    with pytest.raises(
        ProposalRefused, match=r"edit 1: “be short” occurs more than once \(again in line 3\)"
    ) as caught:
        apply_edits({"p": "be short\r\n\r\nbe short"}, [Edit("be short", "x")])
    assert caught.value.refusals[0].line == 3


def test_path_chooses_the_file() -> None:
    assert apply_edits({"p": "a", "q": "a"}, [Edit("a", "b", path="q")]) == {"p": "a", "q": "b"}


def test_section_by_heading_and_by_rule_id() -> None:
    text = "# One\r\n\r\n- a\r\n- b\r\n\r\n## Sub\r\n\r\nx\r\n\r\n# Two\r\n\r\ny\r\n"
    assert apply_edits({"p": text}, [SectionEdit("one", "# One\n\n- c\n\n## Sub\n")])["p"] == (
        "# One\r\n\r\n- c\r\n\r\n## Sub\r\n\r\n# Two\r\n\r\ny\r\n"
    )
    rule = next(rule for rule in split_rules(text) if rule.content.strip() == "- b")
    assert apply_edits({"p": text}, [SectionEdit(rule.id, "- bb")])["p"] == text.replace("- b\r\n", "- bb\r\n")


def test_section_that_occurs_twice_or_never() -> None:
    text = "# A\n\nx\n\n# A\n\ny\n"
    assert codes({"p": text}, SectionEdit("A", "# A\n")) == ["edit_ambiguous"]
    assert codes({"p": text}, SectionEdit("B", "# B\n")) == ["edit_not_found"]


@given(LINES, LINES, st.data())
def test_every_byte_outside_the_edit_is_the_same(lines: list[str], more: list[str], data: st.DataObject) -> None:
    ends = data.draw(st.lists(st.sampled_from(["\n", "\r\n"]), min_size=len(lines), max_size=len(lines)))
    mark = data.draw(st.sampled_from(["", "\ufeff"]))
    final = data.draw(st.booleans())
    head = mark + "".join(line + end for line, end in zip(lines, ends, strict=True))
    text = head + "UNIQUE middle" + ("\r\n" if final else "") + head.removeprefix(mark)
    after = apply_edits({"p": text}, [Edit("UNIQUE middle", "\n".join(more))])["p"]
    assert after.startswith(head)
    assert after.endswith(text[len(head) + len("UNIQUE middle") :])


@given(st.text(alphabet="ab\n", min_size=1, max_size=30), st.text(alphabet="ab\n", max_size=6), st.data())
def test_crlf_file_is_edited_like_its_lf_twin(text: str, replace: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    search = text[start : data.draw(st.integers(start + 1, len(text)))]
    assume("\n" in text)
    assume(text.find(search) == text.rfind(search))
    assume(text.find(search, text.find(search) + 1) < 0)
    plain = apply_edits({"p": text}, [Edit(search, replace)])["p"]
    twin = apply_edits({"p": "\ufeff" + text.replace("\n", "\r\n")}, [Edit(search, replace)])["p"]
    assert twin == "\ufeff" + plain.replace("\n", "\r\n")


def test_large_text() -> None:
    text = "".join(f"line {number} of a long file\r\n" for number in range(5000))
    edits = [Edit(f"line {number} of", f"line {number} from") for number in (1111, 2222, 3333, 4444)]
    assert apply_edits({"p": text}, edits)["p"].count(" from ") == 4


NESTED = "# A\n\n- one\n\n## A1\n\n- two\n\n## A2\n\n- three\n\n# B\n\n- four\n"


@pytest.mark.parametrize("name", ["# A", "A", "a:"])
def test_a_section_with_subsections_is_not_replaced_by_one_that_lacks_them(name: str) -> None:
    for replace in ("# A\n\n- new", "", "# A\n\n- new\n\n## A1\n\n- a1"):
        with pytest.raises(ProposalRefused) as caught:
            apply_edits({"p": NESTED}, [SectionEdit(name, replace)])
        (refusal,) = caught.value.refusals
        assert refusal.code == "subsection_lost" and "A2" in refusal.message and refusal.line == 1
        assert ("A1" in refusal.message) is ("A1" not in replace)


def test_a_section_is_replaced_with_all_its_subsections_or_a_subsection_alone() -> None:
    whole = apply_edits({"p": NESTED}, [SectionEdit("# A", "# A\n\n- new\n\n## A2\n\n- x\n\n## A1\n")])["p"]
    assert whole == "# A\n\n- new\n\n## A2\n\n- x\n\n## A1\n\n# B\n\n- four\n"
    assert apply_edits({"p": NESTED}, [SectionEdit("A1", "")])["p"] == NESTED.replace("## A1\n\n- two", "")
    fenced = "# A\n\n```\n# no heading\n```\n\n# B\n"
    assert apply_edits({"p": fenced}, [SectionEdit("A", "# A\n\n- new")])["p"] == "# A\n\n- new\n\n# B\n"
