"""`ceopt status`: what is true now, not what the last tick said."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from triage_project import git

from ceopt_tui.commands import status
from ceopt_tui.journal.journal import Journal
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
    said = words(tmp_path, ticking(1, 1), RUN, BLOCKED, ticking(2, os.getppid()))
    assert said[0] == "triage: running" and said[-1] == f"  process {os.getppid()} works on it"
    assert "a person has to answer" not in "\n".join(said)


def test_a_run_whose_process_is_gone_is_cut_off(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    said = words(tmp_path, ticking(1, 1), RUN, BLOCKED, ticking(2, ended.pid))
    assert said[-1] == "  cut off: no process of this machine works on it"
