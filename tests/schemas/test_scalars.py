"""Numbers and booleans only where a field asks for them, text exactly as written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from schemas.scalars import Flag, Integer, Number, Plain, Section, Text, exact_value, json_value


def value(kind: Any, given: Any) -> Any:
    return TypeAdapter(kind).validate_python(given)


def refusal(kind: Any, given: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        value(kind, given)
    return caught.value.errors()[0]["msg"]


@given(st.text(min_size=1).filter(lambda text: text not in ("~", "null")))
def test_unquoted_text_is_never_changed(text: str) -> None:
    assert value(Text, Plain(text)) == text
    assert type(value(Text, Plain(text))) is str


@pytest.mark.parametrize("word", ["", "~", "null"])
def test_no_value_is_not_a_text_unless_it_is_quoted(word: str) -> None:
    assert "in quotes" in refusal(Text, Plain(word))
    assert value(Text, word) == word


@pytest.mark.parametrize("wrong", [{"a": "b"}, ["a"], 5, True, None])
def test_text_is_not_made_from_other_values(wrong: object) -> None:
    assert "must be text" in refusal(Text, wrong)


@pytest.mark.parametrize(("word", "number"), [("0", 0), ("-7", -7), ("+12", 12), ("900", 900)])
def test_whole_numbers(word: str, number: int) -> None:
    assert value(Integer, Plain(word)) == number
    assert value(Integer, number) == number


@pytest.mark.parametrize("word", ["007", "010", "1_000", "1.0", "1e3", "0x1F", "1:30", "five", "", "no"])
def test_forms_that_readers_disagree_on_are_no_whole_numbers(word: str) -> None:
    assert "must be a whole number" in refusal(Integer, Plain(word))


@pytest.mark.parametrize(("word", "number"), [("1.10", 1.1), ("1e3", 1000.0), ("-0.5", -0.5), (".5", 0.5), ("5.", 5.0)])
def test_numbers(word: str, number: float) -> None:
    assert value(Number, Plain(word)) == number


@pytest.mark.parametrize("word", [".inf", "nan", "1,5", "01.5", ".", "1e999", "12:30"])
def test_what_is_no_number(word: str) -> None:
    assert "number" in refusal(Number, Plain(word))


def test_quoted_numbers_and_flags_are_texts() -> None:
    assert "remove the quotes" in refusal(Integer, "8")
    assert "remove the quotes" in refusal(Number, "8")
    assert "remove the quotes" in refusal(Flag, "true")


@pytest.mark.parametrize("wrong", [True, None, [1], {"a": 1}, float("nan")])
def test_python_values_that_are_no_numbers(wrong: object) -> None:
    assert "must be a" in refusal(Number, wrong)


@pytest.mark.parametrize("word", ["yes", "no", "on", "off", "1", "0", "y", ""])
def test_only_true_and_false_are_flags(word: str) -> None:
    assert "must be true or false" in refusal(Flag, Plain(word))


def test_flags() -> None:
    assert value(Flag, Plain("true")) is True
    assert value(Flag, Plain("False")) is False
    assert value(Flag, True) is True


def test_json_values_follow_yaml_except_where_text_would_be_lost() -> None:
    words = {"a": "true", "b": "5", "c": "1.10", "d": "1e3", "e": "null", "f": "no", "g": "007", "h": "12:30", "i": ""}
    read = json_value({key: Plain(word) for key, word in words.items()})
    expected = {"a": True, "b": 5, "c": 1.1, "d": 1000.0, "e": None, "f": "no", "g": "007", "h": "12:30", "i": None}
    assert read == expected
    assert json_value(["5", Plain("5"), 5]) == ["5", 5, 5]


def test_exact_values_are_numbers_only_where_their_text_says_so() -> None:
    words = ["5", "1.10", "1e3", "true", "True", "1.5", "null", "-0", "+5"]
    read = exact_value({"list": [Plain(word) for word in words]})
    assert read == {"list": [5, "1.10", "1e3", True, "True", 1.5, None, "-0", "+5"]}
    assert exact_value({"a": "5"}) == {"a": "5"}


class Inner(Section):
    a: Integer = 1


class Outer(Section):
    count: Integer = 3
    limit: Integer | None = 5
    inner: Inner = Inner()
    words: tuple[Text, ...] = ()


def test_null_means_no_value_where_a_field_allows_none() -> None:
    assert Outer.model_validate({"limit": Plain("null")}).limit is None
    assert "must be a whole number" in refusal(Outer, {"count": Plain("")})


def test_empty_sections_and_lists_are_left_out() -> None:
    read = Outer.model_validate({"inner": Plain(""), "words": Plain("~")})
    assert read == Outer()
    assert "inner" not in read.model_fields_set


def test_a_number_too_long_to_be_one_is_refused_in_our_words() -> None:
    said = "holds a number of 5000 digits, which is too long; put it in quotes"
    assert refusal(Integer, Plain("-" + "1" * 5000)) == said
    with pytest.raises(PydanticCustomError, match="5000 digits, which is too long"):
        json_value({"a": [Plain("1" * 5000)]})
    assert json_value("1" * 5000) == "1" * 5000
