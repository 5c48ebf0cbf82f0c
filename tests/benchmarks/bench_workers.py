"""Experiments a minute with 1, 2 and 4 workers elsewhere, each measuring in four runs of 200 ms. Ratios of one run.

Workers are processes of this machine that a dispatch command starts, each with a clone of its own, over a bare hub.
Starting one costs more than its four measurements do: these are the ratios of short experiments.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXPERIMENTS = 8
SPEC = """\
name: less-work
description: Do less work
metric:
  primary: {{type: hard, name: work, direction: minimize}}
  degenerate_gates: [{{name: right, check: "== 1"}}]
measurement:
  command: sh measure.sh
  stability: {{mode: repeat, repeat_count: 2, comparison: {{method: paired}}}}
scope: {{mutable: [src], immutable: [measure.sh]}}
proposer: {{kind: command, command: "echo 100 > src/work; echo >> src/work"}}
execution:
  backend: remote
  max_concurrent: {workers}
  remote: {{dispatch: command, command: "sh {folder}/start.sh {{recipe}}"}}
stopping: {{max_iterations: {experiments}, max_calls: 1000}}
"""


MEASURE = """sleep 0.2; printf '{"work": %s, "right": true}' "$(head -1 src/work)"\n"""


def git(root: Path, *args: str) -> None:
    identity = ("-c", "user.name=b", "-c", "user.email=b@localhost", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *args], cwd=root, check=True, capture_output=True)


def seconds(workers: int) -> float:
    """Wall time of the experiments alone, by the journal."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repo"
        (root / "src").mkdir(parents=True)
        (root / "src" / "work").write_text("100\n")
        (root / "measure.sh").write_text(MEASURE)
        ceopt = Path(sys.executable).with_name("ceopt")
        start = f"{ceopt} worker --recipe $1 >/dev/null 2>&1 &\n"
        (Path(folder) / "start.sh").write_text(start)
        spec = SPEC.format(workers=workers, folder=folder, experiments=EXPERIMENTS)
        (root / "spec.yaml").write_text(spec)
        git(root, "init", "--initial-branch=main")
        git(root, "add", "--all")
        git(root, "commit", "--message", "start")
        git(root, "init", "--bare", str(Path(folder) / "hub.git"))
        git(root, "remote", "add", "origin", str(Path(folder) / "hub.git"))
        subprocess.run([ceopt, "approve", "spec.yaml"], cwd=root, check=True, capture_output=True)
        ran = subprocess.run(
            [ceopt, "run", "spec.yaml", "--unattended", "--json"], cwd=root, check=True, capture_output=True, text=True
        )
        last = json.loads(ran.stdout.splitlines()[-1])
        assert last["experiments"] == EXPERIMENTS, last
        at = [
            event["at"]
            for event in map(json.loads, ran.stdout.splitlines())
            if event["event"].startswith("experiment_")
        ]
        began, ended = (time.mktime(time.strptime(moment[:19], "%Y-%m-%dT%H:%M:%S")) for moment in (at[0], at[-1]))
        return max(1.0, ended - began)


def main() -> None:
    alone = 0.0
    for workers in (1, 2, 4):
        rate = EXPERIMENTS / seconds(workers) * 60
        alone = alone or rate
        print(f"{workers} workers: {rate:5.1f} experiments a minute, {rate / alone:.2f} times one worker")


if __name__ == "__main__":
    main()
