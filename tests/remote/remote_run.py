"""A whole run over a hub: a repository of parts to leave out, a bare hub beside it, a reader on 127.0.0.1."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ceopt_process import Ended, Place
from stub_endpoint import Reply, StubEndpoint, completion
from triage_project import KEY, git

MARK = re.compile(r'"marker": "([^"]+)"')
SPEC = """\
name: less-work
description: Do less work
metric:
  primary: {{type: hard, name: work, direction: minimize}}
  degenerate_gates: [{{name: right, check: "== 1"}}]
measurement:
  command: {python} measure.py
  timeout_seconds: 30
  stability: {{mode: repeat, repeat_count: 1, comparison: {{method: paired, relative_threshold: 0.05}}}}
scope: {{mutable: [src], immutable: [measure.py]}}
proposer: {{kind: command, command: {python} {edit}}}
models: {{reader: {{model: openai/gpt-4o-mini}}}}
execution: {execution}
max_runner_up_merges_per_batch: 2
stopping: {{max_iterations: {experiments}, max_calls: 200}}
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


def made(folder: Path, endpoint: StubEndpoint, execution: str, experiments: int, edit: str = EDIT) -> Place:
    """A project that nobody approved yet; its hub is `hub.git` beside it."""
    root, editor = folder / "repo", folder / "edit.py"
    (root / "src").mkdir(parents=True)
    editor.write_text(edit)
    for number in range(1, max(experiments, 4) + 1):
        (root / "src" / f"part{number:02d}").write_text("100")
    (root / "measure.py").write_text(MEASURE)
    spec = SPEC.format(python=sys.executable, edit=editor, execution=execution, experiments=experiments)
    (root / "spec.yaml").write_text(spec)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "start")
    git(folder, "init", "--quiet", "--bare", str(folder / "hub.git"))
    git(root, "remote", "add", "origin", str(folder / "hub.git"))
    (folder / "home").mkdir()
    environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": endpoint.api_base, "PYTHONDONTWRITEBYTECODE": "1"}
    return Place(root, folder / "home", environ)


def of(ended: Ended, kind: str) -> list[dict[str, Any]]:
    """The events of one kind."""
    return [event for event in ended.events if event["event"] == kind]


def at_hub(place: Place) -> list[str]:
    """Results that stand at the hub."""
    refs = git(place.root.parent / "hub.git", "for-each-ref", "--format=%(refname:lstrip=4)", "refs/heads/optimize-exp")
    return [ref for ref in refs.split() if ref.startswith("exp-")]
