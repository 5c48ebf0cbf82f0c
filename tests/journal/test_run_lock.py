"""One run, one writer: the kernel decides, the owner file only explains."""

import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ceopt_tui.errors import BusyError, StorageError
from ceopt_tui.journal.lock import LOCK_NAME, OWNER_NAME, RunLock

HOLDER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from ceopt_tui.journal.lock import RunLock

lock = RunLock.acquire(Path(sys.argv[1]), now=lambda: datetime(2026, 1, 2, tzinfo=UTC))
print("held", flush=True)
sys.stdin.read()
"""


def now() -> datetime:
    return datetime(2026, 5, 6, tzinfo=UTC)


def holder(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_refused_naming_the_first_and_a_dead_one_is_succeeded(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        with pytest.raises(BusyError, match=rf"process {process.pid} on .*2026-01-02") as caught:
            RunLock.acquire(tmp_path, now=now)
        assert caught.value.exit_status == 75
        process.kill()
        process.wait()
        with RunLock.acquire(tmp_path, now=now) as lock:
            assert lock.previous is not None
            assert lock.previous.pid == process.pid


def test_the_same_process_cannot_take_a_run_twice(tmp_path: Path) -> None:
    with RunLock.acquire(tmp_path, now=now), pytest.raises(BusyError, match=f"process {os.getpid()}"):
        RunLock.acquire(tmp_path, now=now)


def test_a_released_lock_leaves_no_predecessor(tmp_path: Path) -> None:
    lock = RunLock.acquire(tmp_path / "run", now=now)
    lock.release()
    lock.release()
    with RunLock.acquire(tmp_path / "run", now=now) as second:
        assert second.previous is None


def test_a_lock_may_be_released_by_another_thread(tmp_path: Path) -> None:
    lock = RunLock.acquire(tmp_path, now=now)
    thread = threading.Thread(target=lock.release)
    thread.start()
    thread.join()
    RunLock.acquire(tmp_path, now=now).release()


def test_children_do_not_inherit_the_lock(tmp_path: Path) -> None:
    lock = RunLock.acquire(tmp_path, now=now)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False) as child:
        lock.release()
        RunLock.acquire(tmp_path, now=now).release()
        child.communicate(b"\n")


@pytest.mark.parametrize("content", [b"", b"not json", b"{}", b"[]", b'{"pid":"x","host":"h","started":"s"}'])
def test_an_unreadable_owner_file_only_costs_the_name(tmp_path: Path, content: bytes) -> None:
    with RunLock.acquire(tmp_path, now=now):
        (tmp_path / OWNER_NAME).write_bytes(content)
        with pytest.raises(BusyError, match="another process"):
            RunLock.acquire(tmp_path, now=now)


def test_a_lock_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).mkdir()
    with pytest.raises(StorageError):
        RunLock.acquire(tmp_path, now=now)


def test_a_failing_owner_file_gives_the_lock_back(tmp_path: Path) -> None:
    (tmp_path / OWNER_NAME).mkdir()
    with pytest.raises(StorageError):
        RunLock.acquire(tmp_path, now=now)
    (tmp_path / OWNER_NAME).rmdir()
    RunLock.acquire(tmp_path, now=now).release()
