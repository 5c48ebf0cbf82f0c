"""Sections put into texts: every other byte stays, and each text keeps its own manners."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from texttargets.proposers.insertion import Place, has_lines, insert_section

LINES = ("One line.", "Two lines.")


@pytest.mark.parametrize(
    ("text", "place", "wanted"),
    [
        ("Rule.\n", "end", "Rule.\n\n## Output\n\nOne line.\nTwo lines.\n"),
        ("Rule.", "end", "Rule.\n\n## Output\n\nOne line.\nTwo lines.\n"),
        ("Rule.\r\n\r\nMore.\r\n", "end", "Rule.\r\n\r\nMore.\r\n\r\n## Output\r\n\r\nOne line.\r\nTwo lines.\r\n"),
        ("# Task\n\nRule.\n", "start", "# Task\n\n## Output\n\nOne line.\nTwo lines.\n\nRule.\n"),
        ("\ufeffRule.\n", "start", "\ufeff## Output\n\nOne line.\nTwo lines.\n\nRule.\n"),
        ("---\nname: x\n---\nRule.\n", "start", "---\nname: x\n---\n\n## Output\n\nOne line.\nTwo lines.\n\nRule.\n"),
        ("## Deep\n\nRule.\n", "end", "## Deep\n\nRule.\n\n### Output\n\nOne line.\nTwo lines.\n"),
        ("", "end", "## Output\n\nOne line.\nTwo lines.\n"),
    ],
)
def test_a_section_is_put_in(text: str, place: Place, wanted: str) -> None:
    assert insert_section(text, "Output", LINES, place) == wanted


def test_in_a_template_the_end_is_before_the_input() -> None:
    text = "Sort the message.\n\nMessage: {message}\nAnswer:"
    wanted = "Sort the message.\n\n## Output\n\nOne line.\nTwo lines.\n\nMessage: {message}\nAnswer:"
    assert insert_section(text, "Output", LINES, "end", "brace") == wanted


def test_lines_are_found_whole() -> None:
    assert has_lines("a\r\n One line. \r\nTwo lines.", LINES)
    assert not has_lines("One line. Two lines.", LINES)


@given(text=st.text(alphabet="aB#-. {}\r\n\t\ufeff", max_size=60), place=st.sampled_from(["start", "end"]))
def test_what_was_there_stays_in_order(text: str, place: Place) -> None:
    after = insert_section(text, "Output", LINES, place, "brace")
    position = -1
    for character in text:
        position = after.find(character, position + 1)
        assert position >= 0
    assert has_lines(after, LINES)
