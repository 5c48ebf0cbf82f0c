"""Scales and rubrics."""

from pathlib import Path

import pytest

from ceopt_tui.errors import InputError
from judges.rubric import PASS_FAIL, Rubric, Scale, parse_scale, read_rubric_text, stated_scale


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("1-5", Scale(1, 5)),
        ("0 to 1", Scale(0, 1)),
        ("0..100", Scale(0, 100)),
        ("-1-1", Scale(-1, 1)),
        ("pass/fail", PASS_FAIL),
    ],
)
def test_scales_are_read(text: str, scale: Scale) -> None:
    assert parse_scale(text) == scale


@pytest.mark.parametrize("text", ["", "5", "5-1", "1-1", "one to five", "1-5-9"])
def test_no_scale(text: str) -> None:
    with pytest.raises(ValueError, match="scale"):
        parse_scale(text)


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("Score 0 to 1. Give 1 only if the refund amount is right.", Scale(0, 1)),
        ("Rate the answer on a scale of 1-5:\n5 = perfect", Scale(1, 5)),
        ("Give a score between 0 and 10. Never score 0 to 10 by length.", Scale(0, 10)),
        ("A score from 1 to 5, or a rating of 0 to 1.", None),
        ("Orders 3 to 5 are late.", None),
    ],
)
def test_the_scale_a_rubric_states(text: str, scale: Scale | None) -> None:
    assert stated_scale(text) == scale


@pytest.mark.parametrize(
    ("scale", "pass_at"),
    [
        (Scale(1, 5), 4),
        (Scale(0, 10), 9),
        (Scale(0, 1), 0.75),
        (Scale(0, 100), 75),
        (PASS_FAIL, 1),
        (Scale(0, 2.5), 1.875),
    ],
)
def test_passing_is_one_level_below_the_top(scale: Scale, pass_at: float) -> None:
    assert Rubric("r", scale).pass_at == pass_at
    assert Rubric("r", scale, passing=0.5).pass_at == 0.5


def test_what_a_scale_holds() -> None:
    assert Scale(1, 5).holds(4.5)
    assert not PASS_FAIL.holds(0.5)
    assert not any(Scale(1, 5).holds(score) for score in (0.99, 5.01, float("nan"), float("inf")))


def test_rubric_files(tmp_path: Path) -> None:
    path = tmp_path / "rubric.txt"
    path.write_bytes(b"\xef\xbb\xbf Be right.\r\n")
    assert read_rubric_text(path) == "Be right."
    for content, reason in ((b" \n", "empty"), (b"\xff", "not UTF-8")):
        path.write_bytes(content)
        with pytest.raises(InputError, match=reason):
            read_rubric_text(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_rubric_text(tmp_path)
