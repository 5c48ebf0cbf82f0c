"""Text of others is shown literally; what could act on a terminal becomes a mark."""

from __future__ import annotations

import unicodedata

import pytest
from histories import FOREIGN

from ceopt_tui.ui.foreign import one_line, said, shown


@pytest.mark.parametrize("text", FOREIGN)
def test_nothing_that_could_act_is_left_and_nothing_else_changes(text: str) -> None:
    seen = shown(text)
    assert not [character for character in seen if unicodedata.category(character) in {"Cc", "Cf", "Cs"}]
    assert len(seen) == len(text)
    assert [a for a, b in zip(text, seen, strict=True) if a != b] == [a for a in text if ord(a) < 0x20]


def test_each_control_character_has_a_mark_of_its_own() -> None:
    assert shown("\x1b[31mred\x1b[0m \x07") == "␛[31mred␛[0m ␇"
    assert shown("tab\there\x00\x7f") == "tab␉here␀␡"


def test_hidden_and_broken_characters_are_marked() -> None:
    assert shown("a\u202eb\u200bc\ufeffd\ud83de\x9b") == "a\ufffdb\ufffdc\ufffdd\ufffde\ufffd"


def test_line_breaks_stay_in_texts_and_are_marked_on_one_line() -> None:
    assert shown("one\r\ntwo\nthree\r") == "one\ntwo\nthree␍"
    assert one_line("one\ntwo") == "one ↵ two"


def test_secrets_do_not_reach_the_screen() -> None:
    assert said("refused: sk-abcdefgh12345678") == "refused: sk-***"
