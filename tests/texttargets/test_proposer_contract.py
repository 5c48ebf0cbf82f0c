"""Output contracts inferred from expected values, and the shapes behind them."""

from __future__ import annotations

from typing import Any

import pytest

from texttargets.proposers.contract import Contract, infer_contract
from texttargets.proposers.json_contract import json_form
from texttargets.proposers.shapes import common_shape, spell

DATES = ["2025-03-14", "2026-11-02", "2024-07-30"]


def contract_of(*expected: Any) -> Contract:
    contract = infer_contract(expected)
    assert contract is not None
    return contract


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (DATES, "four digits, a hyphen, two digits, a hyphen, two digits"),
        (["AB-12", "CD-1", "XY-999"], "two capital letters, a hyphen, one to three digits"),
        (["12 EUR", "4 EUR", "199 EUR"], 'one to three digits, a space, the text "EUR"'),
        (["Room 12", "Room 7"], 'the text "Room ", one to two digits'),
        (["#7f", "#9c", "#1a"], "a hash sign, one digit, one small letter"),
    ],
)
def test_values_of_one_shape_are_spelled_out(values: list[str], words: str) -> None:
    shape = common_shape(values)
    assert shape is not None
    assert spell(shape) == words
    assert all(shape.matches(value) for value in values)
    assert not shape.matches(values[0] + " ")


@pytest.mark.parametrize(
    "values", [["2025-03-14", "14.03.2025"], ["red", "blue"], ["a-b", "c-d"], ["1/2", "1-2"], ["é1"]]
)
def test_values_without_a_common_shape_have_none(values: list[str]) -> None:
    assert common_shape(values) is None


def test_a_date_is_named_as_people_write_it() -> None:
    contract = contract_of(*DATES)
    assert contract.kind == "shape"
    assert contract.lines[0].startswith("Answer with only one value of the form YYYY-MM-DD (four digits")
    assert contract.accepts(" 2031-01-01\n")
    assert not contract.accepts("The date is 2031-01-01")
    assert contract_of("09:30", "12:15", "22:00").lines[0].count("HH:MM") == 1


def test_no_contract_quotes_what_answers_a_single_case() -> None:
    for values in (DATES, ["1.5", "2.25", "7"], ["Paris", "New York", "Oslo"]):
        said = " ".join(contract_of(*values).lines)
        assert not any(value in said for value in values)


def test_a_closed_set_of_short_answers_is_listed() -> None:
    contract = contract_of(*["billing", "returns", "billing", "returns", "account", "account"])
    assert contract.kind == "labels"
    assert contract.lines[0] == "Answer with exactly one of these: account, billing, returns."
    assert contract.accepts("returns")
    assert not contract.accepts("Returns.")


def test_labels_with_commas_are_listed_one_a_line() -> None:
    contract = contract_of(*["yes, later", "no"] * 3)
    assert contract.lines[1:3] == ("- no", "- yes, later")


@pytest.mark.parametrize(
    ("values", "words"),
    [(["12", "7", "130"], "without decimals"), (["1.50", "2.25", "3.00"], "with 2 digits after the point")],
)
def test_numbers_are_asked_for_as_they_are_written(values: list[str], words: str) -> None:
    contract = contract_of(*values)
    assert contract.kind == "number"
    assert words in contract.lines[0]
    assert contract.accepts("-4.5")
    assert not contract.accepts("about 4")


def test_short_answers_without_a_form_are_limited_in_words() -> None:
    contract = contract_of("Paris", "New York", "Oslo")
    assert contract.lines[0] == "Answer on one line with at most 2 words."
    assert contract.accepts("Rio")
    assert not contract.accepts("It is Rio")


def test_records_state_keys_types_and_closed_sets() -> None:
    records: list[Any] = [
        {"item": "desk", "quantity": 2, "size": "small"},
        '{"item": "lamp", "quantity": 1, "size": "large"}',
        {"item": "chair", "quantity": 4, "size": "small", "gift": True},
        {"item": "shelf", "quantity": 3, "size": "large"},
    ]
    contract = contract_of(*records)
    assert contract.kind == "json"
    assert contract.lines[1:5] == (
        "- item: a text in quotation marks",
        "- quantity: a whole number",
        '- size: one of "large", "small"',
        "- gift: true or false (left out when unknown)",
    )
    assert contract.accepts('{"item": "x", "quantity": 1, "size": "y"}')
    for wrong in ('{"item": "x", "quantity": "1", "size": "y"}', '{"item": "x"}', "[1]", '{"item": "x", "more": 1}'):
        assert not contract.accepts(wrong)


def test_values_of_different_kinds_have_no_form() -> None:
    assert json_form([{"a": 1}, "text"]) is None
    assert infer_contract(["a\nb", "c", "d"]) is None
    assert infer_contract([None, None, "one", "two"]) is None
    assert infer_contract(["", "a", "b"]) is None
