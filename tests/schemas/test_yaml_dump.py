"""What ceopt writes for people reads back exactly, here and in other readers."""

from __future__ import annotations

import math
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.scalars import json_value
from schemas.yaml_dump import dump
from schemas.yaml_strict import load

AWKWARD = [
    "", " ", "\n", "\n\n", "\n\n a", "a\n", "a\n\n", "a\n\n\n", "a\nb", "a\nb\n", " a\nb", "\ta\nb",
    "a \nb  \n", "a\n   ", "a\n  \n", "a\tb", "a\r\nb\r\n", "\ufeffmark\nb", "a\u2028b\nc", "a\x85b\nc",
    "007", "1.10", "1e3", "no", "Yes", "null", "~", "12:30", "2024-05-01", "- a", "a: b", "a #b", "#a",
    "{question}", "{{q}}", "[x] y", "&a", "*a", "!x", "%x", "@x", "`x`", "'", "\"", "\\", "a\\\nb", "…",
    "日本語\nテキスト", "👍\nb", "---", "---\nb", "...\nx", "<<", "=", "?", "? a", "a:", ":a", "x" * 200,
    "a\u0000b\nc", "\x7f", "true\nfalse", "| a\nb", "\n ", "a\n\tb\n", "\xa0a", "a\xa0", "y", "N", "0x1F",
    ".5", "+1", "1_000",
]  # fmt: skip

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(AWKWARD)
LINES = st.lists(st.sampled_from(["", " ", "a", " b", "\t", "c ", "- d", "e: f", "#", "日本"]), max_size=6).map(
    "\n".join
)
NUMBER = st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT | LINES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT | LINES, inner, max_size=4),
    max_leaves=12,
)


def read_back(data: Any) -> Any:
    return json_value(load(dump(data), "f").data)


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_text_comes_back_in_every_place(text: str) -> None:
    data = {"text": text, text: [text, [text], {"in": text}], "list": [text]}
    assert load(dump(data), "f").data == data


@pytest.mark.parametrize("text", AWKWARD)
def test_another_reader_reads_the_same_text(text: str) -> None:
    assert yaml.safe_load(dump({"k": text, "l": [text]})) == {"k": text, "l": [text]}


@given(JSON)
@settings(max_examples=100, deadline=None)
def test_every_value_comes_back(data: Any) -> None:
    assert read_back(data) == data


@given(st.dictionaries(TEXT, TEXT | LINES, max_size=4))
@settings(max_examples=50, deadline=None)
def test_text_stays_text_without_any_schema(data: dict[str, str]) -> None:
    assert load(dump(data), "f").data == data


def test_prose_stays_readable() -> None:
    text = dump({"text": "日本語の一行目  \n二行目\n", "tags": ["a", "b"], "count": 1, "crlf": "eins\r\nzwei"})
    assert text == (
        'text: |\n  日本語の一行目  \n  二行目\ntags: [a, b]\ncount: 1\ncrlf: "eins\\r\\n\\\n  zwei"\n'
    )  # fmt: skip


def test_a_mapping_in_a_list_starts_beside_its_dash() -> None:
    assert (
        dump({"cases": [{"id": "a", "x": ["b\nc"]}]}) == "cases:\n  - id: a\n    x:\n      - |-\n        b\n        c\n"
    )


def test_a_long_key_is_written_so_that_it_is_found() -> None:
    data = {"k" * 3000: {"a": "b"}}
    assert load(dump(data), "f").data == data


@pytest.mark.parametrize("value", [math.nan, math.inf, {1: "a"}, "\ud83d", object()])
def test_what_cannot_be_read_back_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"cannot be written|is not text"):
        dump({"k": value})
