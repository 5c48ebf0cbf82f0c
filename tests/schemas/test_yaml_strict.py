"""The reader keeps what is written, names what it refuses, and is not exhausted by hostile files."""

from __future__ import annotations

import json
import time
import tracemalloc
from pathlib import Path

import pytest

from ceopt_tui.errors import InputError
from schemas.scalars import Plain
from schemas.yaml_dump import dump
from schemas.yaml_strict import load, read

DATA = Path(__file__).parents[1] / "data" / "schemas"


def refusal(text: str | bytes, **limits: int) -> str:
    with pytest.raises(InputError) as caught:
        load(text, "f.yaml", **limits)
    return str(caught.value)


def test_unquoted_scalars_stay_as_written() -> None:
    words = ["no", "007", "1e3", "12:30", "2024-05-01", "1.10", "~", "0x1F", "True"]
    data = load("\n".join(f"- {word}" for word in words), "f").data
    assert data == words
    assert all(isinstance(word, Plain) for word in data)


def test_quoted_scalars_are_plain_text_of_python() -> None:
    data = load("a: 'no'\nb: |\n  007\n", "f").data
    assert [type(value) for value in data.values()] == [str, str]


def test_lines_of_keys_items_and_what_is_missing() -> None:
    document = load("a: 1\nlist:\n  - x\n  - k: v\n    l: w\n", "f")
    assert document.line(("a",)) == 1
    assert document.line(("list", 1)) == 4
    assert document.line(("list", 1, "l")) == 5
    assert document.line(("list", 1, "absent", "deeper")) == 4
    assert document.line(()) == 1
    assert document.at(("list", 1, "l")) == "w"
    assert document.at(("list", 9)) is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("B32_dup", ["judge.threshold", "`threshold` stands twice, on lines 4 and 5"]),
        ("B32_bomb", ["anchors are not allowed", ":2:"]),
        ("B32_tab", [":2:", "tab"]),
        ("B32_brace", ["`prompt` must be text and should be quoted", ":2:"]),
    ],
)
def test_hostile_files_are_refused_at_once(name: str, said: list[str]) -> None:
    raw = (DATA / f"{name}.yaml").read_bytes()
    tracemalloc.start()
    started = time.process_time()
    message = refusal(raw)
    spent, (_, peak) = time.process_time() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert all(words in message for words in said)
    assert spent < 1
    assert peak < 20_000_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: *x\n", "aliases are not allowed (*x)"),
        ("a: &x 1\n", "anchors are not allowed (&x)"),
        ("a: !!python/object:os.system 1\n", "tags are not allowed (!!python/object:os.system)"),
        ("a: !x 1\n", "tags are not allowed (!x)"),
        ("check: != 0\n", "tags are not allowed (!=)"),
        ("<<: {a: 1}\n", "merge keys are not allowed"),
        ("? [a]\n: b\n", "a key must be text"),
        ("a: 1\n---\nb: 2\n", ":2: holds more than one YAML document"),
        ("a: {{question}}\n", '`a` must be text and should be quoted: "{{question}}"'),
        ("a: {x, y}\n", '`a` must be text and should be quoted: "{x, y}"'),
        ("a: {question} please\n", ":1: the value of `a` must be put in quotes"),
        ("a: [x] y\n", ":1: the value of `a` must be put in quotes"),
        ("  check: >= 0.5\n", "the value of `check` must be put in quotes"),
        ("a: @x\n", "the value of `a` must be put in quotes"),
        ("a: it is: so\n", "the value of `a` holds a colon"),
        ("a: 'x\n", "is not valid YAML"),
        ("a:\n  - b\n c: d\n", ":3:"),
    ],
)
def test_what_a_file_must_not_hold(text: str, said: str) -> None:
    assert said in refusal(text)


def test_every_doubled_key_is_named_and_the_first_value_stays() -> None:
    document = read("a: 1\nb: {x: [1], x: [2]}\na: 2\na: 3\n", "f")
    assert [problem.line for problem in document.problems] == [2, 3, 4]
    assert document.data == {"a": "1", "b": {"x": ["1"]}}
    assert document.sound


def test_quoted_and_unquoted_keys_are_the_same_key() -> None:
    assert "stands twice" in refusal("a: 1\n'a': 2\n")


def test_only_the_first_of_many_aliases_is_named() -> None:
    document = read((DATA / "B32_bomb.yaml").read_bytes(), "f")
    assert len(document.problems) == 1
    assert not document.sound


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"a: caf\xe9\n", "f.yaml:1: is not UTF-8: byte 0xE9 at 6"),
        (b"a: 1\nb: \x00\n", "f.yaml:2: holds the control character U+0000"),
        (b"a: \x1b[31m\n", "control character U+001B"),
        (b"\xff\xfea\x00", "is not UTF-8: byte 0xFF at 0"),
    ],
)
def test_bytes_that_are_no_text(raw: bytes, said: str) -> None:
    assert said in refusal(raw)


def test_half_a_character_is_named() -> None:
    assert "U+D83D" in refusal("a: \ud83d\n")


def test_a_mark_at_the_start_is_ignored() -> None:
    assert load(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", "f").data == {"a": "1", "b": "2"}


def test_size_and_depth_have_limits() -> None:
    assert "the limit is 10" in refusal("a: 34567890", limit=10)
    assert "nested deeper than 64 levels" in refusal("[" * 200)
    assert "nest" in refusal("[" * 100_000)
    assert load("[" * 60 + "]" * 60, "f").data != []


def test_json_is_yaml() -> None:
    data = {"a": {"b": ["x", "y: z", "{q}"]}, "c": ""}
    assert load(json.dumps(data), "f").data == data


def test_empty_files_hold_nothing() -> None:
    assert load("", "f").data is None
    assert load("# only a comment\n", "f").data is None


def test_two_thousand_cases_are_read_in_less_than_a_second() -> None:
    case = {"id": "c", "input": "a line\nand another\n", "expected": "x", "observed": "y", "tags": ["a", "b"]}
    text = dump({"name": "x", "cases": [{**case, "id": f"c{number}"} for number in range(2000)]})
    started = time.process_time()
    document = load(text, "f")
    assert time.process_time() - started < 1
    assert document.line(("cases", 1999, "id")) == text[: text.index("c1999")].count("\n") + 1
