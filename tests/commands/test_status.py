"""`ceopt status`: what is true now, not what the last tick said."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from triage_project import git

from ceopt_tui.commands import status
from ceopt_tui.journal.journal import Journal
from ceopt_tui.journal.lock import OWNER_NAME, RunLock
from ceopt_tui.system_clock import SystemClock
from schemas.records import AnyRecord, RunStarted, TickEnded, TickStarted

RUN = RunStarted(
    run_id="r", name="triage", ceopt_version="0", repository="", spec_file="spec.yaml", spec_digest="s",
    approval_digest="a", measurement_digest="m", base_sha="base", branch="optimize/triage", texts={"p.md": "x"},
    text_digest="x", seed=7,
)  # fmt: skip
BLOCKED = TickEnded(tick=1, active_s=9, status="blocked", reason="a person has to answer: Start?\nApprove it.")


@pytest.fixture(autouse=True)
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "start")
    monkeypatch.chdir(tmp_path)


def words(folder: Path, *records: AnyRecord) -> Sequence[str]:
    journal = Journal.open(folder / "state" / "triage", now=SystemClock().now)
    journal.append(records)
    journal.close()
    result = CliRunner().invoke(status.command, ["--state-root", str(folder / "state")], standalone_mode=False)
    assert result.exception is None, result.exception
    return result.output.splitlines()


def ticking(number: int, pid: int) -> TickStarted:
    return TickStarted(tick=number, pid=pid, host=socket.gethostname())


def test_a_parked_run_says_why_all_of_it_indented(tmp_path: Path) -> None:
    said = words(tmp_path, ticking(1, 1), RUN, BLOCKED)
    assert said[-2:] == ["  a person has to answer: Start?", "  Approve it."]


def test_a_run_at_work_does_not_repeat_its_last_tick(tmp_path: Path) -> None:
    with RunLock.acquire(tmp_path / "state" / "triage", now=SystemClock().now):
        said = words(tmp_path, ticking(1, 1), RUN, BLOCKED, ticking(2, os.getppid()))
    assert said[0] == "triage: running" and said[-1] == f"  process {os.getppid()} works on it"
    assert "a person has to answer" not in "\n".join(said)


def test_a_run_whose_lock_nobody_holds_is_cut_off_whoever_has_its_number_now(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "triage"
    RunLock.acquire(folder, now=SystemClock().now).release()
    owner = b'{"pid": 1, "host": "here", "started": "2026-01-01"}'
    (folder / OWNER_NAME).write_bytes(owner)  # a kill leaves it behind
    said = words(tmp_path, ticking(1, 1), RUN, BLOCKED, ticking(2, os.getppid()))
    assert said[0] == "triage: cut off" and said[-1].endswith("run it again to go on")
    assert (folder / OWNER_NAME).read_bytes() == owner, "looking takes nothing over"
    shown = CliRunner().invoke(status.command, ["--state-root", str(tmp_path / "state"), "--json"])
    assert json.loads(shown.output)[0]["status"] == "cut_off"
