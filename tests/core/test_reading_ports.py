"""What a reader of changes is told, and what counts as a reading when nothing is said."""

from __future__ import annotations

from dataclasses import fields

from ceopt_tui.core.reading_ports import ChangeToRead, Reading


def test_a_reader_is_told_what_is_wanted_and_what_was_changed_and_nothing_else() -> None:
    assert [field.name for field in fields(ChangeToRead)] == [
        "description",
        "constraints",
        "diff",
        "of_code",
        "attempt",
    ]


def test_a_reading_that_says_nothing_speaks_against_nothing() -> None:
    assert (Reading().reverted, Reading().unusable) == (False, "")
