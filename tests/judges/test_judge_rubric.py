"""Scales and rubrics."""

from dataclasses import replace
from pathlib import Path

import pytest

from ceopt_tui.errors import InputError
from judges.rubric import PASS_FAIL, Rubric, Scale, levels, parse_scale, read_rubric_text, rubric_bound, stated_scale


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


FIVE = {5: "all of it", 4: "most of it", 3: "half", 2: "little", 1: "nothing"}


@pytest.mark.parametrize(
    "line",
    [
        "{score} - {words}",
        "{score} – {words}",
        "{score}: {words}",
        "{score} = {words}",
        "{score}. {words}",
        "{score}) {words}",
        "- {score}: {words}",
        "* **{score}** {words}",
        "**{score}**: {words}",
        "- **{score}:** {words}",
        "### Score {score}: {words}",
        "| {score} | {words} |",
        "{score}/5: {words}",
        "  {score} points: {words}",
    ],
)
def test_what_each_level_means_is_read_from_the_rubric(line: str) -> None:
    text = "Score 1-5.\n\n" + "\n".join(line.format(score=score, words=words) for score, words in FIVE.items())
    assert [(level.score, level.key, level.meaning) for level in levels(Rubric(text))] == [
        (score, str(score), FIVE[score]) for score in (1, 2, 3, 4, 5)
    ]


def test_a_level_goes_on_over_indented_lines_and_names_its_word() -> None:
    text = "5 (great): complete\n   and right\n\n4: good\nThe end.\n1 - 5 is the scale"
    assert [level.meaning for level in levels(Rubric(text))] == ["", "", "", "good", "great: complete and right"]


def test_levels_on_one_line() -> None:
    text = "Scale 1-5: read it whole.\n5 = perfect, 3 = half; 1 = useless"
    assert [level.meaning for level in levels(Rubric(text))] == ["useless", "", "half", "", "perfect"]


def test_a_numbered_list_of_something_else_is_no_levels() -> None:
    text = "1. Read the note.\n2. Score it.\n3. Say why.\n\n5 - perfect"
    assert [level.meaning for level in levels(Rubric(text))] == ["", "", "", "", "perfect"]
    assert {level.meaning for level in levels(Rubric("1. Read the note.\n2. Score it 1-5."))} == {""}


@pytest.mark.parametrize(
    ("scale", "scores", "keys"),
    [
        (Scale(0, 9), list(range(10)), "0123456789"),
        (Scale(0, 10), [0, 2, 4, 6, 8, 10], "123456"),
        (Scale(1, 10), list(range(1, 11)), "1234567890"),
        (Scale(0, 100), [0, 20, 40, 60, 80, 100], "123456"),
        (Scale(0, 1), [0, 0.25, 0.5, 0.75, 1], "12345"),
        (Scale(-2, 2), [-2, -1, 0, 1, 2], "12345"),
        (Scale(0, 13), [0, 13], "12"),
        (PASS_FAIL, [0, 1], "fp"),
    ],
)
def test_one_key_for_each_level(scale: Scale, scores: list[float], keys: str) -> None:
    given = levels(Rubric("r", scale))
    assert [level.score for level in given] == scores
    assert "".join(level.key for level in given) == keys


def test_pass_and_fail_have_their_meaning() -> None:
    given = levels(Rubric("Pass: names the date\nFail: does not", PASS_FAIL))
    assert [(level.key, level.meaning) for level in given] == [("f", "does not"), ("p", "names the date")]


def test_a_bound_rubric_has_another_digest_when_a_score_may_mean_something_else() -> None:
    rubric = Rubric("Be right.", secondary=("style",))
    bound = rubric_bound(rubric, "auto")
    assert (bound.lowest, bound.highest, bound.pass_at, bound.two_level) == (1, 5, 4, False)
    assert (bound.text, bound.primary, bound.secondary) == ("Be right.", "score", ("style",))
    changed = [
        replace(rubric, text="Be kind."),
        replace(rubric, scale=Scale(1, 4), passing=4),
        replace(rubric, passing=3),
        replace(rubric, primary="overall"),
        replace(rubric, secondary=()),
    ]
    digests = {bound.digest, rubric_bound(rubric, "sampled").digest, *(rubric_bound(r, "auto").digest for r in changed)}
    assert len(digests) == 7
    assert rubric_bound(replace(rubric, passing=4), "auto").digest == bound.digest
