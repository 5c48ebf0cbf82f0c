"""Whether measurements may run side by side: found by reading, told in words, never by running anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ceopt_tui.engine.backends.readiness import MOST_READ_BYTES, readiness, worktree_warning


@pytest.mark.parametrize(
    "command",
    [
        "python3 measure.py --size 4000",
        "make bench",
        "python3 measure.py > out.json",
        "curl https://example.com:443/data",
        "python3 -m timeit_like --repeat 8080",
        "cargo run --release -- -n 5000",
    ],
)
def test_nothing_found_means_side_by_side(command: str, tmp_path: Path) -> None:
    (tmp_path / "measure.py").write_text("print('{}')  # seed 12345\n")
    (tmp_path / "uv.lock").write_text("")
    (tmp_path / "Cargo.lock").write_text("")
    found = readiness(tmp_path, command)
    assert (found.verdict, found.reasons) == ("parallel", ())
    assert len(found.lines) == 1


@pytest.mark.parametrize(
    ("command", "port"),
    [
        ("./serve --port 8080 & ./load", "8080"),
        ("./serve --port=8080", "8080"),
        ("curl -s http://localhost:5000/metrics", "5000"),
        ("PORT=3000 npm start", "3000"),
        ("python3 -c \"s.bind(('127.0.0.1', 9001))\"", "9001"),
        ("node -e 'app.listen(4000)'", "4000"),
    ],
)
def test_a_fixed_port_would_clash(command: str, port: str, tmp_path: Path) -> None:
    found = readiness(tmp_path, command)
    assert found.verdict == "serial" and port in found.reasons[0] and "port_env_var" in found.reasons[0]
    assert "mode: serial" in found.lines[0]


def test_a_file_the_command_names_is_read_and_a_port_from_the_specs_variable_is_none(tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    script = tmp_path / "bench" / "run.sh"
    script.write_text("./serve --port 8080\n")
    assert readiness(tmp_path, "sh run.sh", "bench").verdict == "serial"
    assert "bench/run.sh has a fixed port (8080)" in readiness(tmp_path, "sh run.sh", "bench").reasons[0]
    script.write_text("./serve --port ${BENCH_PORT:-8080} # PORT=8080\n")
    assert readiness(tmp_path, "sh run.sh", "bench", port_variable="BENCH_PORT").verdict == "parallel"


def test_what_lies_outside_of_the_checkout_is_shared_by_all(tmp_path: Path) -> None:
    found = readiness(tmp_path, "python3 measure.py --cache /tmp/cache.sqlite3 --pid ~/run.pid")
    assert found.verdict == "serial"
    assert "/tmp/cache.sqlite3" in found.reasons[0] and "~/run.pid" in found.reasons[1]


def test_what_the_spec_calls_exclusive_is_serial(tmp_path: Path) -> None:
    assert readiness(tmp_path, "make", exclusive_resources=["the GPU"]).reasons[0].startswith("the GPU is for one")


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("docker compose up -d && ./load", "containers"),
        ("flock . ./load", "a lock"),
        ("nvidia-smi && ./load", "a graphics card"),
        ("psql -f load.sql", "a database server"),
        ("hyperfine ./load", "takes the time"),
    ],
)
def test_what_only_a_person_knows_is_asked(command: str, what: str, tmp_path: Path) -> None:
    found = readiness(tmp_path, command)
    assert found.verdict == "ask" and what in found.reasons[0]


def test_databases_and_locks_by_name_are_asked_about(tmp_path: Path) -> None:
    for name in ("state.db", "server.pid", "poetry.lock"):
        (tmp_path / name).write_text("")
    found = readiness(tmp_path, "make", shared_files=["data/cases.sqlite", "state.db"])
    assert found.verdict == "ask"
    assert [reason.split(" is a ")[0] for reason in found.reasons] == [
        "the shared file data/cases.sqlite", "the shared file state.db", "server.pid in the working folder",
    ]  # fmt: skip


def test_only_files_of_the_project_are_read_and_none_is_needed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.sh"
    outside.write_text("./serve --port 8080\n")
    root = tmp_path / "project"
    root.mkdir()
    (root / "link.sh").symlink_to(outside)
    os.mkfifo(root / "pipe.sh")
    assert readiness(root, "sh link.sh pipe.sh gone.sh ../outside.sh 'unclosed").verdict == "parallel"
    assert readiness(root, "make", "no/such/folder").verdict == "parallel"
    (root / "long.sh").write_bytes(b"\xff" * MOST_READ_BYTES + b"\n./serve --port 8080\n")
    assert readiness(root, "sh long.sh").verdict == "parallel"


def test_many_working_trees_are_worth_a_word() -> None:
    assert worktree_warning(8, 4) is None
    warning = worktree_warning(9, 4)
    assert warning is not None and "9 working trees" in warning
