"""Twelve experiments over three Dask workers end where the serial run ends; a liar's change is not kept."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Ended, Place, cold
from stub_endpoint import Reply, StubEndpoint, completion
from triage_project import KEY, git

pytest.importorskip("distributed", reason="the extra `distributed` is not installed")
pytestmark = pytest.mark.exhaustive

PARTS = 12
MARK = re.compile(r'"marker": "([^"]+)"')
SPEC = """\
name: less-work
description: Do less work
metric:
  primary: {{type: hard, name: work, direction: minimize}}
  degenerate_gates: [{{name: right, check: "== 1"}}]
measurement:
  command: python3 measure.py
  timeout_seconds: 30
  stability: {{mode: repeat, repeat_count: 1, comparison: {{method: paired, relative_threshold: 0.05}}}}
scope: {{mutable: [src], immutable: [measure.py]}}
proposer: {{kind: command, command: {python} {edit}}}
models: {{reader: {{model: openai/gpt-4o-mini}}}}
execution: {execution}
max_runner_up_merges_per_batch: 2
stopping: {{max_iterations: 12, max_calls: 200}}
"""
MEASURE = """\
import json
from pathlib import Path
print(json.dumps({"work": sum(int(part.read_text()) for part in Path("src").iterdir()), "right": True}))
"""
# Odd starts leave a part out; of the even ones every other makes it worse, and the rest only touches it.
EDIT = """\
import json, os
from pathlib import Path
start = json.load(open(os.environ["CEOPT_RECIPE"]))["parameters"]["start"]
part = Path("src") / f"part{start:02d}"
part.write_text({1: "0", 3: "0", 0: "150", 2: "100 "}[start % 4])
"""


def reads(body: dict[str, Any]) -> Reply:
    mark = MARK.search(body["messages"][0]["content"])
    assert mark is not None
    said = {"marker": mark[1], "reason": "less of the same", "missing_observation": "", "reverted": False}
    return completion(json.dumps(said))


@pytest.fixture
def endpoint() -> Iterator[StubEndpoint]:
    with StubEndpoint(respond=reads) as running:
        yield running


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
        for process in reversed(started):
            process.terminate()
        for process in started:
            process.wait(20)


def made(folder: Path, endpoint: StubEndpoint, execution: str) -> Place:
    root, edit = folder / "repo", folder / "edit.py"
    (root / "src").mkdir(parents=True)
    edit.write_text(EDIT)
    for number in range(1, PARTS + 1):
        (root / "src" / f"part{number:02d}").write_text("100")
    (root / "measure.py").write_text(MEASURE)
    (root / "spec.yaml").write_text(SPEC.format(python=sys.executable, edit=edit, execution=execution))
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    git(folder, "init", "--quiet", "--bare", str(folder / "hub.git"))
    git(root, "remote", "add", "origin", str(folder / "hub.git"))
    (folder / "home").mkdir()
    environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.api_base, "PYTHONDONTWRITEBYTECODE": "1"}
    return Place(root, folder / "home", environ)


def carried_out(place: Place) -> Ended:
    approved = cold(place, "approve", "spec.yaml")
    assert approved.status == 0, approved.err
    return cold(place, "run", "spec.yaml", "--unattended", "--json")


def kept(ended: Ended) -> set[str]:
    ideas = {event["id"]: event["description"] for event in of(ended, "hypothesis_added")}
    tried = {event["number"]: ideas[event["hypothesis_id"]] for event in of(ended, "experiment_started")}
    closed = of(ended, "experiment_closed")
    return {tried[event["number"]] for event in closed if event["outcome"] in {"kept", "runner_up_kept"}}


def of(ended: Ended, kind: str) -> list[dict[str, Any]]:
    return [event for event in ended.events if event["event"] == kind]


def test_twelve_experiments_on_three_workers_end_as_the_serial_run(
    tmp_path: Path, endpoint: StubEndpoint, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ceopt_process.LIMIT_S", 560.0)
    remote = f"{{backend: remote, max_concurrent: 3, remote: {{dispatch: dask, scheduler: '{scheduler}'}}}}"
    ran = {}
    for name, execution in (("serial", "{mode: serial}"), ("remote", remote)):
        (tmp_path / name).mkdir()
        place = made(tmp_path / name, endpoint, execution)
        ended = carried_out(place)
        assert (ended.status, ended.last["outcome"]) == (0, "improved"), ended.err
        assert ended.last["experiments"] == PARTS
        tree = git(place.root, "rev-parse", "optimize/less-work:src").strip()
        ran[name] = (kept(ended), tree, ended.last["held_out"]["after"])
        measured = {event["measured_by"] for event in of(ended, "command_measured")}
        assert (len(measured) > 1) == (name == "remote")
    assert ran["serial"] == ran["remote"]
    assert len(ran["serial"][0]) == 6 and ran["serial"][2] == 600
