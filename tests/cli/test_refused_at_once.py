"""A second run on the same spec is told so before the program has loaded what a run needs."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ceopt_tui.journal.folders import state_folder
from ceopt_tui.journal.lock import RunLock

HEAVY = ("pydantic", "litellm", "textual", "ceopt_tui.wiring", "diskcache")
RUN = """
import sys
from ceopt_tui.cli import main
try:
    main(sys.argv[1:])
finally:
    print("loaded:", [name for name in {heavy!r} if name in sys.modules], file=sys.stderr)
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "deep" / "spec.yaml"
    path.parent.mkdir()
    path.write_text('kind: text\nname: "triage-prompt"  # ours\n')
    return path


def started(spec: Path, *flags: str, **environ: str) -> subprocess.CompletedProcess[str]:
    code = RUN.format(heavy=HEAVY)
    command = [sys.executable, "-c", code, "run", str(spec), *flags]
    return subprocess.run(command, env={**os.environ, **environ}, capture_output=True, text=True, check=False)


def held(spec: Path, root: Path | None = None) -> RunLock:
    folder = state_folder("triage-prompt", spec.parents[1], state_root=root, environ={})
    return RunLock.acquire(folder, now=lambda: datetime(2026, 1, 2, tzinfo=UTC))


def test_a_second_run_is_refused_before_anything_heavy_is_loaded(spec: Path) -> None:
    with held(spec):
        second = started(spec, "--unattended")
    assert second.returncode == 75
    assert f"this run is in use by process {os.getpid()}" in second.stderr
    assert "loaded: []" in second.stderr


def test_the_state_root_of_the_command_line_counts(spec: Path, tmp_path: Path) -> None:
    root = tmp_path / "elsewhere"
    with held(spec, root):
        assert "in use by process" in started(spec, "--unattended", "--state-root", str(root)).stderr
        assert "in use by" not in started(spec, "--unattended").stderr


def test_scripts_get_their_last_line_all_the_same(spec: Path) -> None:
    with held(spec):
        second = started(spec, "--unattended", "--json")
    last = json.loads(second.stdout.splitlines()[-1])
    assert (last["event"], last["outcome"], last["status"]) == ("finished", "busy", "waiting")
    assert "in use by process" in last["reason"]


def test_a_spec_without_a_name_is_left_to_the_reading(spec: Path) -> None:
    with held(spec):
        spec.write_text("kind: text\n")
        assert "in use by" not in started(spec, "--unattended").stderr
