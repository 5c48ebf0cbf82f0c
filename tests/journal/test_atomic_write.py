"""Whole-file writes: the old bytes or the new ones, never a mixture, never a left-over."""

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ceopt_tui.errors import StorageError
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import storage_error

ODD = "提示\r\n".encode("utf-8-sig") + b"\x00\xff"


def test_bytes_are_stored_exactly_and_permissions_kept(tmp_path: Path) -> None:
    path = tmp_path / "café [x].md"
    write_atomic(path, b"old")
    path.chmod(0o751)
    write_atomic(path, ODD)
    assert path.read_bytes() == ODD
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_follows_the_umask(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_atomic(tmp_path / "new", b"")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"theirs")
    (tmp_path / "link").symlink_to("elsewhere")
    write_atomic(tmp_path / "link", b"ours")
    assert (tmp_path / "elsewhere").read_bytes() == b"theirs"
    assert (tmp_path / "link").read_bytes() == b"ours"


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def refuse(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StorageError, match="no space left"):
        write_atomic(path, b"new")
    assert [(child.name, child.read_bytes()) for child in tmp_path.iterdir()] == [("file", b"old")]


@pytest.mark.parametrize("mode", [0o600, 0o444])
def test_what_a_killed_writer_left_is_cleared_up_by_the_next(tmp_path: Path, mode: int) -> None:
    left = tmp_path / ".notes.md.ceopt-tmp"
    left.write_bytes(b"half of a longer text that was never put in pl")
    left.chmod(mode)
    write_atomic(tmp_path / "notes.md", b"whole")
    assert [(child.name, child.read_bytes()) for child in tmp_path.iterdir()] == [("notes.md", b"whole")]


def test_a_link_in_place_of_the_working_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"theirs")
    (tmp_path / ".notes.md.ceopt-tmp").symlink_to("theirs")
    with pytest.raises(StorageError):
        write_atomic(tmp_path / "notes.md", b"ours")
    assert (tmp_path / "theirs").read_bytes() == b"theirs"


def test_writers_of_one_file_take_turns(tmp_path: Path) -> None:
    path, texts = tmp_path / "shared", [f"{number} ".encode() * 4000 for number in range(8)]
    with ThreadPoolExecutor(len(texts)) as pool:
        for done in [pool.submit(write_many, path, text) for text in texts]:
            done.result()
    assert path.read_bytes() in texts
    assert list(tmp_path.iterdir()) == [path]


def write_many(path: Path, text: bytes) -> None:
    for _ in range(10):
        write_atomic(path, text)


def test_a_disk_that_forgets_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "pread", lambda *_: b"something else")
    with pytest.raises(StorageError, match="does not hold"):
        write_atomic(tmp_path / "file", b"new")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "no space left"),
        (errno.EDQUOT, "no space left"),
        (errno.EROFS, "read-only"),
        (errno.EACCES, "not allowed"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_every_refusal_of_the_disk_is_said_in_words(number: int, words: str) -> None:
    error = storage_error(OSError(number, os.strerror(number)), Path("/state/journal.jsonl"))
    assert words in error.message
    assert "/state/journal.jsonl" in error.message
    assert error.exit_status == 3
