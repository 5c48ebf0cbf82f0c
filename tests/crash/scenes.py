"""The runs that the crash matrix interrupts: a prompt that a model answers by, and code that a command measures."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceopt_process import Place
from stub_endpoint import Reply, Respond, completion
from triage_project import KEY, TriageModel, git, make_project

PROJECT: dict[str, Any] = {"cases": 14, "stopping": "max_iterations: 1"}  # the smallest that keeps and reports


@dataclass(frozen=True)
class Scene:
    """A project that a run improves once, and the model it asks; `measured` is the record of one paid measurement."""

    make: Callable[[Path, str], Place]
    respond: Callable[[], Respond]
    measured: str
    identity: tuple[str, ...]  # fields that no two such records share
    concurrency: int
    alike: frozenset[str]  # kinds of boundary calls of which there are dozens, one like the other


def _prompt(folder: Path, api_base: str) -> Place:
    return make_project(folder, api_base, **PROJECT)


COMMAND_SPEC = """\
name: less-work
description: Do less work
metric:
  primary: {{type: hard, name: work, direction: minimize}}
  degenerate_gates: [{{name: right, check: "== 1"}}]
measurement:
  command: cat src/work
  timeout_seconds: 30
  stability: {{mode: repeat, repeat_count: 1, comparison: {{method: paired, relative_threshold: 0.05}}}}
scope: {{mutable: [src], immutable: [README]}}
proposer: {{kind: command, command: {python} -S -E {edit}}}
models: {{reader: {{model: openai/gpt-4o-mini}}}}
execution: {{mode: serial}}
stopping: {{max_iterations: 2, max_calls: 50}}
"""
# The first start does less, the second only looks busy.
EDIT = """\
import json, os
from pathlib import Path
start = json.load(open(os.environ["CEOPT_RECIPE"]))["parameters"]["start"]
work = {1: "40", 0: "41"}[start % 2]
Path("src/work").write_text('{"work": %s, "right": true}\\n' % work)
"""
MARK = re.compile(r'"marker": "([^"]+)"')


def _command(folder: Path, api_base: str) -> Place:
    root, edit = folder / "repo", folder / "edit.py"
    (root / "src").mkdir(parents=True)
    edit.write_text(EDIT)
    (root / "src" / "work").write_text('{"work": 100, "right": true}\n')
    (root / "README").write_text("What is measured stands in src/work.\n")
    (root / "spec.yaml").write_text(COMMAND_SPEC.format(python=sys.executable, edit=edit))
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    (folder / "home").mkdir()
    return Place(root, folder / "home", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": api_base})


def _reads(body: dict[str, Any]) -> Reply:
    """The reader of changes finds nothing wrong."""
    mark = MARK.search(body["messages"][0]["content"])
    assert mark is not None
    said = {"marker": mark[1], "reason": "less of the same", "missing_observation": "", "reverted": False}
    return completion(json.dumps(said))


ALIKE = frozenset({"journal write", "fsync", "send", "receive", "cache write"})
SCENES = {
    "prompt": Scene(_prompt, TriageModel, "case_run", ("text_digest", "case_id", "sample"), 4, ALIKE),
    "command": Scene(
        _command,
        lambda: _reads,
        "command_measured",
        ("commit", "step", "pairing", "workload", "arm", "sample"),
        1,
        ALIKE | {"git"},
    ),
}
