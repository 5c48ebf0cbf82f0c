"""Replay: a cut last line is dropped with a copy, any other damage stops with file, line and what to do."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from ceopt_tui.errors import StorageError
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.journal import Journal
from ceopt_tui.journal.replay import replay
from schemas.records import AnyRecord, Noted

V1 = Path(__file__).parents[1] / "data" / "journals" / "v1.jsonl"


def now() -> datetime:
    return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def line(seq: int, **more: object) -> bytes:
    return json.dumps({"kind": "noted", "seq": seq, "text": f"note {seq}"} | more).encode() + b"\n"


def write(folder: Path, data: bytes) -> Path:
    path = folder / JOURNAL_NAME
    path.write_bytes(data)
    return path


def test_an_old_journal_with_every_kind_still_means_the_same() -> None:
    records = replay(V1).records
    kinds = {kind.model_fields["kind"].default for kind in get_args(get_args(AnyRecord)[0])}
    assert {record.kind for record in records} == kinds
    for written, record in zip(V1.read_bytes().splitlines(), records, strict=True):
        assert written_part(json.loads(written), json.loads(record.model_dump_json())) == json.loads(written)


def written_part(written: Any, read: Any) -> Any:
    """Of what is read that which was written: later fields have defaults, at any depth."""
    if isinstance(written, dict):
        return {key: written_part(value, read[key]) for key, value in written.items()}
    if isinstance(written, list) and len(written) == len(read):
        return [written_part(one, other) for one, other in zip(written, read, strict=True)]
    return read


def test_no_journal_has_no_records(tmp_path: Path) -> None:
    replayed = replay(tmp_path / JOURNAL_NAME)
    assert (replayed.records, replayed.good_bytes, replayed.torn) == ([], 0, None)


TORN_TAILS = {
    "cut": b'{"kind":"noted","seq":3,"te',
    "no newline": line(3)[:-1],
    "zeros": b"\0" * 50,
    "cut with newline": b'{"kind":"noted"\n',
    "zeros with newline": b"\0\0\n",
    "not a record": b"[1]\n",
    "not UTF-8": b"\xff\xfe\n",
    "empty": b"\n",
}


@pytest.mark.parametrize("tail", TORN_TAILS.values(), ids=TORN_TAILS.keys())
def test_a_torn_last_line_is_set_aside_and_cut_off(tmp_path: Path, tail: bytes) -> None:
    good = line(1) + line(2)
    path = write(tmp_path, good + tail)

    assert replay(path).torn == tail
    assert path.read_bytes() == good + tail, "reading alone changes nothing"

    with Journal.open(tmp_path, now=now) as journal:
        assert [record.seq for record in journal.replayed.records] == [1, 2]
        assert journal.replayed.torn == tail
        assert journal.torn_copy == tmp_path / "journal.jsonl.torn-20260102T030405Z"
        assert journal.torn_copy.read_bytes() == tail
        assert path.read_bytes() == good
        assert journal.append([Noted(text="after")])[0].seq == 3
    assert replay(path).torn is None


def test_copies_of_torn_lines_never_replace_each_other(tmp_path: Path) -> None:
    copies = []
    for tail in (b"first", b"second"):
        with (tmp_path / JOURNAL_NAME).open("ab") as stream:
            stream.write(tail)
        with Journal.open(tmp_path, now=now) as journal:
            copies.append(journal.torn_copy)
    assert [copy.read_bytes() for copy in copies if copy] == [b"first", b"second"]


def test_a_copy_that_a_kill_interrupted_leaves_nothing_behind(tmp_path: Path) -> None:
    write(tmp_path, line(1) + b"torn")
    (tmp_path / ".journal.jsonl.torn.ceopt-tmp").write_bytes(b"to")
    with Journal.open(tmp_path, now=now) as journal:
        assert journal.torn_copy is not None
        assert {path.name for path in tmp_path.iterdir()} == {JOURNAL_NAME, journal.torn_copy.name}


def test_a_journal_of_only_a_torn_line_is_empty(tmp_path: Path) -> None:
    write(tmp_path, b'{"kind":"run_st')
    with Journal.open(tmp_path, now=now) as journal:
        assert journal.replayed.records == []
        assert journal.append([Noted(text="a")])[0].seq == 1


@pytest.mark.parametrize("damage", [b"garbage\n", b"\n", b'{"kind":"noted","seq":2}\n', b'{"seq":2,"text":"x"}\n'])
def test_damage_before_the_last_line_names_file_line_and_remedy(tmp_path: Path, damage: bytes) -> None:
    path = write(tmp_path, line(1) + damage + line(3))
    with pytest.raises(StorageError, match="line 2: damaged") as caught:
        replay(path)
    assert str(path) in str(caught.value)
    assert "--fresh" in caught.value.hint
    with pytest.raises(StorageError):
        Journal.open(tmp_path, now=now)
    assert path.read_bytes() == line(1) + damage + line(3)


def test_a_whole_last_line_that_is_no_record_is_damage_not_a_tear(tmp_path: Path) -> None:
    path = write(tmp_path, line(1) + b'{"kind":"noted","seq":2}\n')
    with pytest.raises(StorageError, match="line 2: damaged"):
        replay(path)


@pytest.mark.parametrize(
    "newer",
    [line(2, v=2), line(2, v=2, surprise=1), line(2, surprise=1), line(2, kind="dreamt")],
    ids=["version", "version and field", "field", "kind"],
)
def test_a_newer_journal_asks_for_an_upgrade(tmp_path: Path, newer: bytes) -> None:
    path = write(tmp_path, line(1) + newer)
    with pytest.raises(StorageError, match="line 2: written by a newer ceopt") as caught:
        replay(path)
    assert "Upgrade" in caught.value.hint


@pytest.mark.parametrize("sequence", [(1, 3), (1, 1), (2, 3), (1, 2, 4), (0, 1)])
def test_a_gap_or_repeat_in_the_numbers_stops(tmp_path: Path, sequence: tuple[int, ...]) -> None:
    path = write(tmp_path, b"".join(line(seq) for seq in sequence))
    with pytest.raises(StorageError, match="belongs"):
        replay(path)


def test_an_unreadable_journal_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_NAME).mkdir()
    with pytest.raises(StorageError):
        replay(tmp_path / JOURNAL_NAME)
