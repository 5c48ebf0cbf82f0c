"""Changes in words: nothing lost, nothing invented, and only what changed is marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ceopt_tui.core.word_diff import DiffLine, Piece, lines_of, word_diff

texts = st.text(st.sampled_from("ab \n\r\t\x0c\u2028é"), max_size=40)


def only(before: str, after: str) -> list[DiffLine]:
    (file,) = word_diff({"p": before}, {"p": after})
    return [line for hunk in file.hunks for line in hunk]


def test_within_a_line_the_words_that_changed_are_marked() -> None:
    gone, come = only("Answer in one word.\n", "Answer in two words.\n")
    assert gone.pieces == (
        Piece("Answer in ", False), Piece("one", True), Piece(" ", False), Piece("word", True), Piece(".", False)
    )  # fmt: skip
    assert (come.sign, come.old, come.new, come.text) == ("+", None, 1, "Answer in two words.")
    assert [piece.text for piece in come.pieces if piece.changed] == ["two", "words"]


def test_a_line_without_likeness_is_taken_out_and_put_in_whole() -> None:
    gone, come = only("abc def\n", "Γειά σου, κόσμε!\n")
    assert gone.pieces == (Piece("abc def", True),) and come.pieces == (Piece("Γειά σου, κόσμε!", True),)


def test_a_passage_too_long_to_compare_by_word_is_shown_whole() -> None:
    long = "word " * 2100
    gone, come = only(f"{long}a\n", f"{long}b\n")
    assert len(gone.pieces) == len(come.pieces) == 1


def test_lines_around_a_change_are_shown_and_far_ones_are_not() -> None:
    before = "".join(f"line {number}\n" for number in range(20))
    (file,) = word_diff({"p": before}, {"p": before.replace("line 3\n", "line three\n").replace("line 15\n", "")})
    first, second = file.hunks
    assert [line.sign for line in first] == [" ", " ", "-", "+", " ", " "]
    assert [line.old for line in second] == [14, 15, 16, 17, 18] and [line.new for line in second][2] is None


def test_a_line_break_that_comes_or_goes_is_seen() -> None:
    gone, come = only("end", "end\n")
    assert (gone.ended, come.ended, gone.text) == (False, True, "end")
    gone, come = only("a\r\n", "a\n")
    assert (gone.text, come.text) == ("a\r", "a") and gone.pieces[-1] == Piece("\r", True)


def test_files_that_come_go_or_stay() -> None:
    files = word_diff({"gone": "x\n", "same": "y\n"}, {"come": "z\n", "same": "y\n"})
    assert [file.path for file in files] == ["come", "gone"]
    assert [file.hunks[0][0].sign for file in files] == ["+", "-"]


@given(texts, texts)
def test_both_sides_can_be_read_back(before: str, after: str) -> None:
    if before == after:
        return
    (file,) = word_diff({"p": before}, {"p": after}, around=10**6)
    lines = [line for hunk in file.hunks for line in hunk]
    ends = {True: "\n", False: ""}
    assert "".join(line.text + ends[line.ended] for line in lines if line.sign in " -") == before
    assert "".join(line.text + ends[line.ended] for line in lines if line.sign in " +") == after
    assert "".join(lines_of(before)) == before
