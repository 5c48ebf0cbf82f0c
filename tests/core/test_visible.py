"""Text of others is shown literally; what could act on a terminal becomes a mark."""

from __future__ import annotations

import unicodedata

import pytest

from ceopt_tui.core.visible import columns, fitted, one_line, said, visible

FOREIGN = ["[/] end", "[bold]x[/bold] y", "[@click=app.quit]press[/]", "\\[x]", "arr[0] 日本語 é", "\x1b[31mred\x1b[0m"]


@pytest.mark.parametrize("text", FOREIGN)
def test_nothing_that_could_act_is_left_and_nothing_else_changes(text: str) -> None:
    seen = visible(text)
    assert not [character for character in seen if unicodedata.category(character) in {"Cc", "Cf", "Cs"}]
    assert [a for a, b in zip(text, seen, strict=True) if a != b] == [a for a in text if ord(a) < 0x20]


def test_each_control_character_has_a_mark_of_its_own() -> None:
    assert visible("\x1b[31mred\x1b[0m \x07") == "␛[31mred␛[0m ␇"
    assert visible("tab\there\x00\x7f") == "tab␉here␀␡"


def test_hidden_and_broken_characters_are_marked() -> None:
    assert visible("a\u202eb\u200bc\ufeffd\ud83de\x9b") == "a<U+202E>b<U+200B>c<U+FEFF>d<U+D83D>e<U+009B>"


def test_line_breaks_stay_in_texts_and_are_marked_on_one_line() -> None:
    assert visible("one\r\ntwo\nthree\r") == "one\ntwo\nthree␍"
    assert one_line("one\ntwo") == "one ↵ two"


def test_secrets_do_not_reach_the_screen() -> None:
    assert said("refused: sk-abcdefgh12345678") == "refused: sk-***"


@pytest.mark.parametrize(
    "text", ["", "short", "exactly ten", "提示提示提示", "a提示提示提示", "e\u0301" * 12, "x" * 500, "a\nb"]
)
def test_a_cell_is_always_as_wide_as_asked(text: str) -> None:
    assert columns(fitted(text, 10)) == 10


def test_only_what_does_not_fit_is_cut() -> None:
    assert fitted("提示提示提", 10) == "提示提示提"
    assert fitted("提示提示提示", 10) == "提示提示\u2026 "
    assert fitted("a\nb", 5) == "a\u21b5b  "
