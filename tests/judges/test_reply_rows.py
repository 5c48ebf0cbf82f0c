"""Which row of a reply belongs to which item."""

import json

from judges.reply import parse_reply
from judges.rubric import Rubric

RUBRIC = Rubric("r", primary="overall", secondary=("style",))


def _reply(*rows: dict[str, object]) -> str:
    return json.dumps({"marker": "m", "verdicts": rows})


def test_rows_are_found_by_id_in_any_order() -> None:
    reply = _reply(
        {"item_id": "b", "overall": 2, "style": 9, "feedback": " Say why. ", "ambiguous": True},
        {"item_id": "a", "score": "4", "style": "bad", "feedback": None, "ambiguous": "yes"},
    )
    rows = parse_reply(reply, ["a", "b"], RUBRIC, marker="m").rows
    assert (rows["a"].score, rows["a"].feedback, rows["a"].ambiguous, rows["a"].secondary) == (
        4,
        "",
        False,
        {"style": None},
    )
    assert (rows["b"].score, rows["b"].feedback, rows["b"].ambiguous, rows["b"].secondary) == (
        2,
        "Say why.",
        True,
        {"style": 9},
    )


def test_missing_doubled_and_unknown_ids_void_only_themselves() -> None:
    rows = [{"item_id": name, "overall": 3} for name in ("a", "b", "b", "zzz")] + [{"overall": 3}]
    parsed = parse_reply(_reply(*rows), ["a", "b", "c"], RUBRIC, marker="m")
    assert set(parsed.rows) == {"a"}
    assert parsed.faults == {
        "b": "the reply has two rows for this item",
        "c": "the reply has no row for this item",
    }


def test_a_bad_score_voids_only_its_row() -> None:
    parsed = parse_reply(
        _reply({"item_id": "a", "overall": 6}, {"item_id": "b", "overall": 5}), ["a", "b"], RUBRIC, marker="m"
    )
    assert set(parsed.rows) == {"b"}
    assert parsed.faults["a"] == "the score 6 is off the scale 1-5"


def test_a_text_id_is_compared_as_text() -> None:
    assert not parse_reply(_reply({"item_id": "7", "overall": 3}), ["007", "x"], RUBRIC, marker="m").rows


def test_a_numeric_id_counts_only_where_one_item_fits() -> None:
    reply = _reply({"item_id": 7, "overall": 3})
    assert set(parse_reply(reply, ["007", "8"], RUBRIC, marker="m").rows) == {"007"}
    assert not parse_reply(reply, ["007", "7"], RUBRIC, marker="m").rows
    assert not parse_reply(_reply({"item_id": True, "overall": 3}), ["1", "2"], RUBRIC, marker="m").rows


def test_a_secondary_field_named_score_does_not_decide() -> None:
    rubric = Rubric("r", primary="overall", secondary=("score",))
    row = parse_reply('{"overall": 2, "score": 5}', ["a"], rubric).rows["a"]
    assert (row.score, row.secondary) == (2, {"score": 5})
    assert not parse_reply('{"score": 5}', ["a"], rubric).rows


def test_rows_that_are_no_objects_are_passed_over() -> None:
    assert set(parse_reply('[1, "x", {"item_id": "a", "score": 3}]', ["a", "b"], RUBRIC).rows) == {"a"}
