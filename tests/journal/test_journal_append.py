"""Appending: numbered, dated, durable, and the file never ends in something that was refused."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ceopt_tui.errors import StorageError
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.journal import Journal
from ceopt_tui.journal.replay import replay
from schemas.records import Compared, Decided, Learnt, Noted

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def now() -> datetime:
    return MOMENT


def texts(path: Path) -> list[str]:
    return [record.text for record in replay(path).records if isinstance(record, Noted)]


def test_records_are_numbered_and_dated_in_order(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "new" / "run", now=now) as journal:
        first, second = journal.append([Noted(text="a"), Learnt(text="b")])
        [third] = journal.append([Noted(text="c")])
    assert [first.seq, second.seq, third.seq] == [1, 2, 3]
    assert {first.at, third.at} == {"2026-01-02T03:04:05+00:00"}
    assert replay(journal.path).records == [first, second, third]


def test_times_are_stored_in_utc(tmp_path: Path) -> None:
    zone = MOMENT.astimezone(tz=None) - timedelta(0)
    with Journal.open(tmp_path, now=lambda: zone) as journal:
        assert journal.append([Noted(text="a")])[0].at == "2026-01-02T03:04:05+00:00"


def test_a_reopened_journal_goes_on_counting(tmp_path: Path) -> None:
    with Journal.open(tmp_path, now=now) as journal:
        journal.append([Noted(text="a")])
    with Journal.open(tmp_path, now=now) as journal:
        assert [record.seq for record in journal.replayed.records] == [1]
        assert journal.torn_copy is None
        assert journal.append([Noted(text="b")])[0].seq == 2
    assert texts(journal.path) == ["a", "b"]


def test_appending_nothing_writes_nothing(tmp_path: Path) -> None:
    with Journal.open(tmp_path, now=now) as journal:
        assert journal.append([]) == []
    assert journal.path.read_bytes() == b""


def test_text_of_every_kind_comes_back_unchanged(tmp_path: Path) -> None:
    odd = "提示 \r\n\x00\x1b[31m [/] \u2028 🙂 \\"
    with Journal.open(tmp_path, now=now) as journal:
        journal.append([Noted(text=odd), Noted(text="after")])
    assert texts(journal.path) == [odd, "after"]


def test_what_append_returns_equals_what_a_replay_reads(tmp_path: Path) -> None:
    """Inside free-form parameters a tuple becomes a list: the caller must see that now, not after a resume."""
    record = Decided(
        number=1, step="holdout", decision="keep", next_measurement="", reason="", numbers={"high": float("inf")}
    )
    with Journal.open(tmp_path, now=now) as journal:
        returned = journal.append([record])
    assert returned == replay(journal.path).records
    assert isinstance(returned[0], Decided)
    assert returned[0].numbers == {"high": None}


@pytest.mark.parametrize(
    "unreadable",
    [
        Noted(text="lone \ud800 surrogate"),
        Compared(
            number=1,
            comparison="holdout",
            reference_digest="",
            candidate_digest="",
            workload="",
            reference={"m": (float("nan"),)},
            candidate={},
        ),
    ],
    ids=["surrogate", "nan"],
)
def test_a_record_that_could_not_be_read_back_is_refused_whole(tmp_path: Path, unreadable: Noted) -> None:
    with Journal.open(tmp_path, now=now) as journal:
        with pytest.raises(ValueError, match="cannot be stored"):
            journal.append([Noted(text="a"), unreadable])
        assert journal.path.read_bytes() == b""
        assert journal.append([Noted(text="b")])[0].seq == 1


def full_disk(after_bytes: int) -> Callable[[int, bytes], int]:
    """An os.write that takes `after_bytes` more bytes and then has no space."""
    left = after_bytes
    write = os.write

    def limited(descriptor: int, data: bytes) -> int:
        nonlocal left
        if left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = write(descriptor, data[:left])
        left -= taken
        return taken

    return limited


@pytest.mark.parametrize("room", [0, 1, 60])
def test_a_full_disk_leaves_the_earlier_log_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    with Journal.open(tmp_path, now=now) as journal:
        journal.append([Noted(text="a")])
        before = journal.path.read_bytes()
        monkeypatch.setattr(os, "write", full_disk(room))
        with pytest.raises(StorageError, match="no space left"):
            journal.append([Noted(text="b"), Noted(text="c")])
        assert journal.path.read_bytes() == before
        with pytest.raises(StorageError, match="no space left"):
            journal.append([Noted(text="d")])
    monkeypatch.undo()
    with Journal.open(tmp_path, now=now) as journal:
        assert journal.append([Noted(text="e")])[0].seq == 2


def test_a_failed_fsync_is_not_an_acknowledgement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with Journal.open(tmp_path, now=now) as journal:
        monkeypatch.setattr(os, "fsync", refuse)
        with pytest.raises(StorageError):
            journal.append([Noted(text="a")])
    assert journal.path.read_bytes() == b""


def test_the_kernel_cutting_a_write_short_is_survived(tmp_path: Path) -> None:
    """A real short write, by a limit on file size, in a process of its own."""
    program = (
        "import resource, sys; from pathlib import Path; from datetime import datetime, UTC\n"
        "from ceopt_tui.journal.journal import Journal; from schemas.records import Noted\n"
        "journal = Journal.open(Path(sys.argv[1]), now=lambda: datetime.now(UTC))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "while True: journal.append([Noted(text='x' * 300)])\n"
    )
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False)
    assert "StorageError: no space left" in ended.stderr
    replayed = replay(tmp_path / JOURNAL_NAME)
    assert len(replayed.records) > 5
    assert replayed.torn is None


def test_a_second_writer_is_noticed(tmp_path: Path) -> None:
    with Journal.open(tmp_path, now=now) as journal:
        journal.append([Noted(text="a")])
        with journal.path.open("ab") as stream:
            stream.write(b"{}\n")
        with pytest.raises(StorageError, match="Something else wrote"):
            journal.append([Noted(text="b")])
    assert journal.path.read_bytes().endswith(b"{}\n")


def test_a_deleted_journal_is_noticed(tmp_path: Path) -> None:
    with Journal.open(tmp_path, now=now) as journal:
        journal.path.unlink()
        with pytest.raises(StorageError, match="was deleted"):
            journal.append([Noted(text="a")])


def test_one_append_is_one_write_and_one_fsync_however_long_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def counted(name: str) -> Callable[..., object]:
        original = getattr(os, name)

        def call(*given: object) -> object:
            calls.append(name)
            return original(*given)

        return call

    with Journal.open(tmp_path, now=now) as journal:
        journal.append([Noted(text="x" * 200) for _ in range(2_000)])
        for name in ("write", "fsync", "pread"):
            monkeypatch.setattr(os, name, counted(name))
        journal.append([Noted(text="b"), Noted(text="c")])
    assert calls == ["write", "fsync", "pread"]


def test_a_state_folder_that_is_a_file_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("mine")
    with pytest.raises(StorageError):
        Journal.open(tmp_path / "run", now=now)
