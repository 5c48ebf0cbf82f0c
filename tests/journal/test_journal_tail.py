"""Reading on: what was added and nothing else, and never behind something that does not fit."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.journal import Journal
from ceopt_tui.journal.reading import read_record
from ceopt_tui.journal.replay import replay
from ceopt_tui.journal.tail import NO_FILE, read_all, read_on
from schemas.records import RECORDS, Noted

V1 = Path(__file__).parents[1] / "data" / "journals" / "v1.jsonl"


def write(folder: Path, *texts: str) -> None:
    with Journal.open(folder, now=lambda: datetime(2026, 1, 5, tzinfo=UTC)) as journal:
        journal.append([Noted(text=text) for text in texts])


def test_it_gives_what_was_added_since(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL_NAME
    write(tmp_path, "one", "two")
    _, position = read_all(path)
    assert read_on(path, position) == ([], position)
    write(tmp_path, "three")
    found = read_on(path, position)
    assert found is not None and found[0] == replay(path).records[2:]
    assert found[1] == read_all(path)[1]


def test_half_a_line_is_left_for_later(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL_NAME
    write(tmp_path, "one")
    _, position = read_all(path)
    write(tmp_path, "two")
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    assert read_on(path, position) == ([], position)
    path.write_bytes(whole)
    found = read_on(path, position)
    assert found is not None and len(found[0]) == 1


def test_what_does_not_follow_has_to_be_read_anew(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL_NAME
    write(tmp_path, "one", "two")
    _, position = read_all(path)
    whole = path.read_bytes()
    for other in (whole[:-9], whole + whole, whole + b"{}\n"):
        path.write_bytes(other)
        assert read_on(path, position) is None
    path.rename(tmp_path / "old")
    assert read_on(path, position) is None
    path.write_bytes(whole)
    assert read_on(path, position) is None, "another file in its place"


def test_a_journal_that_is_not_there_yet(tmp_path: Path) -> None:
    path = tmp_path / JOURNAL_NAME
    nothing, position = read_all(path)
    assert nothing.records == [] and position.file == NO_FILE
    assert read_on(path, position) == ([], position)
    write(tmp_path, "one")
    assert read_on(path, position) is None


def test_the_reader_of_a_kind_reads_what_the_union_reads() -> None:
    for line in V1.read_bytes().splitlines():
        assert read_record(line) == RECORDS.validate_json(line)


@pytest.mark.parametrize(
    "line",
    [b'{"kind":"noted"}', b'{"kind":"unheard_of"}', b"{}", b"[]", b'{"text":"\\"kind\\":\\"noted\\"", "seq": 1}'],
)
def test_what_is_no_record_is_refused_in_the_words_of_the_union(line: bytes) -> None:
    with pytest.raises(ValidationError) as one:
        read_record(line)
    with pytest.raises(ValidationError) as other:
        RECORDS.validate_json(line)
    assert str(one.value) == str(other.value)


def test_a_kind_named_within_a_text_is_not_taken_for_the_kind() -> None:
    noted = Noted(text='"kind":"looked"', by='"kind":"looked"')
    assert read_record(noted.model_dump_json().encode()) == noted
