"""Reading the outputs to score."""

import json
from pathlib import Path

import pytest

from ceopt_tui.errors import InputError
from judges.items import read_items
from judges.judged_item import JudgedItem


def _write(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "items.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def _problems(path: Path) -> list[tuple[int, str]]:
    with pytest.raises(InputError) as caught:
        read_items(path)
    return [(problem.line, problem.message) for problem in caught.value.problems]


def test_items_keep_their_text(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        {"id": "007", "input": {"q": "x"}, "output": "a\u2028b", "expected": ""},
        "",
        {"id": 7, "input": "", "output": "", "expected": 5, "tags": ["more"]},
    )
    assert read_items(path).items == (JudgedItem("007", {"q": "x"}, "a\u2028b", ""), JudgedItem("7", "", "", "5"))


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a", "input": "", "output": ""}\r\n')
    assert read_items(path).items == (JudgedItem("a", "", ""),)


def test_every_bad_line_is_named(tmp_path: Path) -> None:
    problems = _problems(
        _write(
            tmp_path,
            '{"id": "a", "inp',
            [1],
            {"id": " ", "input": "", "output": ""},
            {"id": True, "input": "", "output": ""},
            {"id": "b", "input": "", "output": None},
            {"id": "c", "input": "", "output": {}},
            {"id": "d", "output": ""},
            '{"id": "e", "input": "", "output": "\\ud83d"}',
            "[" * 100_000,
            '{"id": "f", "input": {"x": NaN}, "output": ""}',
        )
    )
    assert [line for line, _ in problems] == list(range(1, 11))
    assert "there is no output" in problems[4][1]
    assert "surrogate" in problems[7][1]


def test_doubled_ids(tmp_path: Path) -> None:
    one, other = {"id": "x", "input": "", "output": "1"}, {"id": "x", "input": "", "output": "2"}
    assert "lines 1 and 2 (identical" in read_items(_write(tmp_path, one, one)).notes[0]
    assert _problems(_write(tmp_path, one, one, other)) == [
        (3, "duplicate id 'x' on lines 1 and 3 (different content)")
    ]


def test_files_that_are_none(tmp_path: Path) -> None:
    assert "cannot be read" in _problems(tmp_path / "absent.jsonl")[0][1]
    assert _problems(_write(tmp_path, "")) == [(0, "there are no items in this file")]
    (tmp_path / "latin.jsonl").write_bytes(b'{"id": "caf\xe9"}')
    assert _problems(tmp_path / "latin.jsonl") == [(0, "not UTF-8: byte 0xE9 at 11")]


@pytest.mark.parametrize("output", ["", " \n\t", "\u200b\ufeff\u2060", "\u3164\u2800", "\u00a0\ufe0f\u034f"])
def test_invisible_outputs_are_empty(output: str) -> None:
    assert JudgedItem("a", "q", output).is_empty
    assert JudgedItem("a", "q", output, expected="something").is_empty
    assert not JudgedItem("a", "q", output, expected=" ").is_empty


@pytest.mark.parametrize("output", [".", "\u200bx", "🙂", "0"])
def test_visible_outputs_are_not(output: str) -> None:
    assert not JudgedItem("a", "q", output).is_empty


def test_items_may_name_a_bucket(tmp_path: Path) -> None:
    line = {"input": "", "output": ""}
    items = read_items(
        _write(tmp_path, {"id": "a", "bucket": "long", **line}, {"id": "b", **line}, {"id": "c", "bucket": 7, **line})
    )
    assert items.buckets == {"a": "long", "c": "7"}
    problems = _problems(
        _write(
            tmp_path,
            {"id": "a", "bucket": " ", **line},
            {"id": "b", "bucket": ["x"], **line},
            {"id": "c", "bucket": "x", **line},
            {"id": "c", "bucket": "y", **line},
        )
    )
    assert [line for line, _ in problems] == [1, 2, 4]
    assert "duplicate id" in problems[2][1]
