"""Twelve experiments over three Dask workers end where the serial run ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from ceopt_process import Ended, Place, cold, warm
from remote_run import made, of
from stub_endpoint import StubEndpoint
from triage_project import git

pytest.importorskip("distributed", reason="the extra `distributed` is not installed")
pytestmark = pytest.mark.exhaustive

PARTS = 12


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[str]:
    """A scheduler and three workers, as processes of their own."""
    file = tmp_path / "scheduler.json"
    python = [sys.executable, "-W", "ignore", "-m"]
    options = {"cwd": tmp_path, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    shared = ["--scheduler-file", str(file)]
    scheduling = [*python, "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--no-show", *shared]
    working = [*python, "distributed.cli.dask_worker", "--nthreads", "1", "--no-dashboard", "--no-nanny", *shared]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    started = [subprocess.Popen(scheduling, env=environment, **options)]  # type: ignore[call-overload]
    try:
        until = time.monotonic() + 60
        while not file.is_file() or not file.read_text().strip():
            assert time.monotonic() < until, "no scheduler"
            time.sleep(0.1)
        started += [subprocess.Popen(working, env=environment, **options) for _ in range(3)]  # type: ignore[call-overload]
        yield str(json.loads(file.read_text())["address"])
    finally:
        # A worker that cannot take leave of its scheduler waits for it, so the scheduler goes last.
        for process in reversed(started):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def carried_out(place: Place) -> Ended:
    approved = warm().run(place, "approve", "spec.yaml")
    assert approved.status == 0, approved.err
    return cold(place, "run", "spec.yaml", "--unattended", "--json")


def kept(ended: Ended) -> set[str]:
    ideas = {event["id"]: event["description"] for event in of(ended, "hypothesis_added")}
    tried = {event["number"]: ideas[event["hypothesis_id"]] for event in of(ended, "experiment_started")}
    closed = of(ended, "experiment_closed")
    return {tried[event["number"]] for event in closed if event["outcome"] in {"kept", "runner_up_kept"}}


def test_twelve_experiments_on_three_workers_end_as_the_serial_run(
    tmp_path: Path, endpoint: StubEndpoint, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ceopt_process.LIMIT_S", 560.0)
    remote = f"{{backend: remote, max_concurrent: 3, remote: {{dispatch: dask, scheduler: '{scheduler}'}}}}"
    ran = {}
    for name, execution in (("serial", "{mode: serial}"), ("remote", remote)):
        (tmp_path / name).mkdir()
        place = made(tmp_path / name, endpoint, execution, PARTS)
        ended = carried_out(place)
        assert (ended.status, ended.last["outcome"]) == (0, "improved"), ended.err
        assert ended.last["experiments"] == PARTS
        tree = git(place.root, "rev-parse", "optimize/less-work:src").strip()
        ran[name] = (kept(ended), tree, ended.last["held_out"]["after"])
        measured = {event["measured_by"] for event in of(ended, "command_measured")}
        assert (len(measured) > 1) == (name == "remote")
    assert ran["serial"] == ran["remote"]
    assert len(ran["serial"][0]) == 6 and ran["serial"][2] == 600
