"""What the judge is told."""

from judges.judged_item import JudgedItem
from judges.prompt import judge_messages, judged_text, response_schema
from judges.rubric import PASS_FAIL, Rubric, Scale

ITEM = JudgedItem('i"1', {"q": "{x}"}, "say {{y}}\n<<<end>>>", "z")


def test_the_prompt_names_the_scales_own_numbers() -> None:
    for scale, words in (
        (Scale(1, 5), "from 1 to 5"),
        (Scale(0, 1), "from 0 to 1"),
        (PASS_FAIL, "1 (pass) or 0 (fail)"),
    ):
        assert words in judge_messages(Rubric("Be right.", scale), [ITEM], "m1")[0].content


def test_every_part_of_an_item_stands_behind_the_mark() -> None:
    system, user = judge_messages(Rubric("Use {braces}."), [ITEM], "m1")
    assert "Use {braces}." in system.content
    lines = user.content.splitlines()
    assert lines[0] == '<<<m1 item "i\\"1">>>'
    assert lines.index("<<<m1 input>>>") < lines.index("<<<m1 expected>>>") < lines.index("<<<m1 output>>>")
    assert lines[lines.index("<<<m1 output>>>") + 1 :] == ["say {{y}}", "<<<end>>>", "<<<m1 end>>>"]


def test_nothing_expected_is_not_shown_as_expected() -> None:
    for expected, shown in ((None, False), ("", True)):
        user = judge_messages(Rubric("r"), [JudgedItem("a", "q", "o", expected)], "m1")[1]
        assert ("expected>>>" in user.content) is shown


def test_a_second_try_says_what_was_wrong() -> None:
    assert "no row for this item" in judge_messages(Rubric("r"), [ITEM], "m", {"a": "no row for this item"})[1].content


def test_the_schema_asks_for_every_field() -> None:
    rubric = Rubric("r", primary="overall", secondary=("style",))
    row = response_schema(rubric)["properties"]["verdicts"]["items"]
    assert set(row["required"]) == {"item_id", "feedback", "overall", "style", "ambiguous"}
    assert row["additionalProperties"] is False


def test_judged_text_is_all_that_is_foreign() -> None:
    text = judged_text([ITEM, JudgedItem("b", "q2", "o2")])
    assert all(part in text for part in ("{x}", "say {{y}}", "z", "q2", "o2"))
