"""Tables and JSON Lines in any encoding, with any line ends and any characters: what went in comes out."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ceopt_tui.errors import InputError
from texttargets.importers.reading import read_failures

QUIET = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
ODD = "\u2028\u2029\u0085\x0b\x0c\x1c\ufeff\u200b\"',;\t|\\\r\n é日👍🏽"
texts = st.text(
    st.one_of(st.sampled_from(ODD), st.characters(codec="utf-8", exclude_characters="\0")), min_size=1
).filter(lambda text: text.strip() != "")
ids = st.one_of(
    st.sampled_from(["007", "1e3", "no", "1.10", "12:30", "2024-05-01", "=1+1", "a/b", "..", "ID", "id", "+49"]),
    st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=8),
)  # fmt: skip
records = st.lists(st.tuples(ids, texts), min_size=1, max_size=5, unique_by=lambda record: record[0])
BAD = [
    *(b"\0" * 7, b'{"id": "x", "input": "a\0"}', b'{"id": "x", "inp', b'{"id": "x"}{"id": "y"}', b"\xff\xfe"),
    *(rb'{"id": "x", "input": "\ud83d"}', rb'{"id": "x", "input": "\udc4d\ud83d"}', b'{"input": "\xed\xa0\xbd"}'),
]
encodings = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])


def read(path: Path, content: bytes, encoding: str, **options: Any) -> list[tuple[str, Any]]:
    path.write_bytes(content)
    named = None if encoding in ("utf-8", "utf-8-sig") else encoding
    result = read_failures([path], encoding=named, keep_secrets=True, **options)
    return [(case.id, case.input) for case in result.cases]


@QUIET
@given(records, encodings, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_json_lines_come_back(
    tmp_path: Path, rows: list[tuple[str, str]], encoding: str, line_end: str, escaped: bool, last: bool
) -> None:
    lines = [json.dumps({"id": name, "input": text}, ensure_ascii=escaped) for name, text in rows]
    content = (line_end.join(lines) + line_end * last).encode(encoding)
    assert read(tmp_path / "f.jsonl", content, encoding) == rows


@QUIET
@given(records, encodings, st.sampled_from(["\n", "\r\n"]), st.sampled_from(",;\t|"))
def test_tables_come_back(
    tmp_path: Path, rows: list[tuple[str, str]], encoding: str, line_end: str, delimiter: str
) -> None:
    table = io.StringIO()
    writer = csv.writer(table, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "input"), *rows])
    assert read(tmp_path / "f.csv", table.getvalue().encode(encoding), encoding) == rows


@QUIET
@given(records, st.sampled_from(["cp1252", "latin-1", "cp437"]))
def test_other_encodings_are_named_or_read(tmp_path: Path, rows: list[tuple[str, str]], encoding: str) -> None:
    written = [(name, text.encode(encoding, "ignore").decode(encoding)) for name, text in rows]
    kept = [(name, text) for name, text in written if text.strip()]
    content = "".join(json.dumps({"id": n, "input": t}, ensure_ascii=False) + "\n" for n, t in kept).encode(encoding)
    if not kept:
        return
    assert read(tmp_path / "f.jsonl", content, encoding) == kept
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        with pytest.raises(InputError, match="not UTF-8: byte 0x"):
            read_failures([tmp_path / "f.jsonl"])


@QUIET
@given(records, st.sampled_from(BAD), st.integers(0, 5))
def test_a_bad_line_is_named_and_costs_no_other(
    tmp_path: Path, rows: list[tuple[str, str]], bad: bytes, place: int
) -> None:
    lines = [json.dumps({"id": name, "input": text}).encode() for name, text in rows]
    place = min(place, len(lines))
    content = b"\n".join([*lines[:place], bad, *lines[place:]])
    path = tmp_path / "f.jsonl"
    if not (place == 0 and bad == b"\xff\xfe"):  # these two bytes at the very beginning are a mark
        assert read(path, content, "utf-8", skip_bad=True) == rows
        assert [mention.line for mention in read_failures([path], skip_bad=True).skipped] == [place + 1]
        with pytest.raises(InputError, match=f"f.jsonl:{place + 1}: "):
            read_failures([path])


@QUIET
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4), st.randoms())
def test_a_second_import_changes_nothing_in_any_order(tmp_path: Path, rows: list[tuple[str, str]], chance: Any) -> None:
    path = tmp_path / "f.jsonl"

    def write(records: list[tuple[str, str]]) -> None:
        path.write_text("".join(json.dumps({"input": q, "output": a}) + "\n" for q, a in records), "utf-8")

    write(rows)
    first = read_failures([path]).evalset("s")
    shuffled = list(dict(rows).items())
    chance.shuffle(shuffled)
    write(shuffled)
    again = read_failures([path], existing=first).evalset("s", first)
    assert [case.id for case in again.cases] == [case.id for case in first.cases]
