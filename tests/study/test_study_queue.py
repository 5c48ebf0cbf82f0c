"""The queue of studies: only frozen ones, one worker a row, and nothing lost when a worker is killed."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fakes import FakeClock
from study_project import make_study, review

from ceopt_tui.commands.study import command
from ceopt_tui.errors import BusyError, InputError, SetupError
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.study.freezing import freeze
from ceopt_tui.study.planning import plan_study
from ceopt_tui.study.queueing import StudyQueue
from schemas.study_loading import load_study


def frozen(folder: Path) -> Path:
    root = make_study(folder, asked=[review(0)], k=1)
    freeze(load_study(root))
    return root


def queue(folder: Path) -> StudyQueue:
    """The queue as a process of its own opens it."""
    return StudyQueue(folder / "queue", FakeClock().now)


def test_rows_are_taken_in_order_and_two_workers_never_take_one(tmp_path: Path) -> None:
    for name in ("a", "b"):
        queue(tmp_path).add(plan_study(frozen(tmp_path / name), {}), confirmed=False)
    with queue(tmp_path).taken() as first, queue(tmp_path).taken() as second, queue(tmp_path).taken() as third:
        assert first is not None and second is not None and third is None
        assert (first.number, second.number) == (1, 2)
        queue(tmp_path).end(first)
        queue(tmp_path).end(second, "no key")
    assert [(row.status, row.message) for row in queue(tmp_path).rows()] == [("done", ""), ("failed", "no key")]
    with queue(tmp_path).taken() as nothing:
        assert nothing is None


def test_a_row_whose_worker_is_gone_is_taken_again(tmp_path: Path) -> None:
    queue(tmp_path).add(plan_study(frozen(tmp_path), {}), confirmed=False)
    with pytest.raises(KeyboardInterrupt), queue(tmp_path).taken():
        raise KeyboardInterrupt
    assert [row.status for row in queue(tmp_path).rows()] == ["running"]
    with queue(tmp_path).taken() as again:
        assert again is not None and again.number == 1


def test_only_frozen_studies_wait_and_each_once(tmp_path: Path) -> None:
    root = make_study(tmp_path, asked=[review(0)], k=1)
    with pytest.raises(SetupError, match="is not frozen"):
        queue(tmp_path).add(plan_study(root, {}), confirmed=False)
    freeze(load_study(root))
    queue(tmp_path).add(plan_study(root, {}), confirmed=False)
    with pytest.raises(SetupError, match="in the queue already, as row 1"):
        queue(tmp_path).add(plan_study(root, {}), confirmed=False)
    queue(tmp_path).add(plan_study(root, {}, "second"), confirmed=False)
    (root / "variants" / "plain.md").write_text("Something else.", encoding="utf-8")
    with pytest.raises(InputError, match=r"plain\.md was changed since it was frozen"):
        queue(tmp_path).add(plan_study(root, {}, "third"), confirmed=False)


def study(*words: str) -> Result:
    return CliRunner().invoke(command, [*words], standalone_mode=False)


def test_cron_runs_what_waits_and_leaves_with_0_when_nothing_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = frozen(tmp_path)
    assert "nothing was queued yet" in study("queue").output
    assert study("run-next").output == "nothing waits in the queue\n"
    assert study("enqueue", str(root)).return_value == 0
    ended = study("run-next")
    assert ended.return_value == 0 and "report.md" in ended.output
    assert "done" in study("queue").output
    assert (root / "artifacts" / "run" / "report.md").exists()
    assert study("run-next").return_value == 0


def test_what_changed_since_fails_and_what_is_in_use_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = frozen(tmp_path)
    study("enqueue", str(root))
    with RunLock.acquire(root / "artifacts" / "run", now=FakeClock().now):
        assert isinstance(study("run-next").exception, BusyError)
    assert "running" in study("queue").output
    (root / "variants" / "plain.md").write_text("Something else.", encoding="utf-8")
    assert isinstance(study("run-next").exception, InputError)
    listed = study("queue").output
    assert "failed" in listed and "plain.md was changed" in listed
