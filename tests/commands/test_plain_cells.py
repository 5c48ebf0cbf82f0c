"""Foreign text on a plain terminal."""

import pytest

from ceopt_tui.commands.plain_cells import columns, fitted, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\tc\r", "a\u21b5b c"),
        ("\x1b[31m\x00\x7f", "\u241b[31m\u2400\u2421"),
        ("\u202eevil\u2028\ud83d\x9b", "\ufffdevil\ufffd\ufffd\ufffd"),
        ("[bold]x[/bold] 提示 é", "[bold]x[/bold] 提示 é"),
    ],
)
def test_nothing_acts_and_nothing_vanishes(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text", ["", "short", "exactly ten", "提示提示提示", "a提示提示提示", "e\u0301" * 12, "x" * 500]
)
def test_a_cell_is_always_as_wide_as_asked(text: str) -> None:
    assert columns(fitted(text, 10)) == 10


def test_only_what_does_not_fit_is_cut() -> None:
    assert fitted("提示提示提", 10) == "提示提示提"
    assert fitted("提示提示提示", 10) == "提示提示\u2026 "
