"""The child process of the local model: started, watched, restarted once, ended; a script stands in for the model."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ceopt_tui.errors import ProviderError, SetupError
from judges.local_model import server as server_module
from judges.local_model.server import LocalServer, child_environment

# Speaks the protocol of server_process: settings on stdin, one answer on stdout, ends with its stdin.
STAND_IN = """
import json, os, pathlib, sys
settings = json.loads(sys.stdin.readline())
with open(settings["weights"], "a", encoding="utf-8") as log:
    log.write(json.dumps(settings) + "\\n")
port = settings["port"] or 50123
print(json.dumps({"address": f"http://127.0.0.1:{port}"}), flush=True)
sys.stdin.read()
"""
REFUSES = """
import json, sys
sys.stdin.readline()
print("0.01 I loading", file=sys.stderr)
print("0.02 E gguf: tensor data is not within the file bounds", file=sys.stderr)
print("0.03 E exiting", file=sys.stderr, flush=True)
print(json.dumps({"error": "Failed to init server"}), flush=True)
"""
COMES_UP_ONCE = STAND_IN.replace(
    "port =",
    "if settings['port']:\n    print(json.dumps({'error': 'no memory left'}), flush=True)\n    sys.exit(1)\nport =",
)


def command(script: str) -> tuple[str, ...]:
    return (sys.executable, "-c", script)


def started(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


async def until_gone(pid: int) -> None:
    async with asyncio.timeout(20):
        while Path(f"/proc/{pid}").exists():
            await asyncio.sleep(0.01)


async def test_the_server_lives_inside_its_context(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with LocalServer(log, slots=1, command=command(STAND_IN)) as server:
        pid = server.pid
        assert pid is not None
        assert server.api_base == "http://127.0.0.1:50123/v1"
    settings = started(log)[0]
    assert settings["slots"] == 1
    assert settings["api_key"] == server.api_key
    assert len(server.api_key) >= 24
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_each_server_has_a_key_of_its_own_that_no_process_list_shows(tmp_path: Path) -> None:
    one, other = LocalServer(tmp_path), LocalServer(tmp_path)
    assert one.api_key != other.api_key
    async with LocalServer(tmp_path / "log", command=command(STAND_IN)) as server:
        shown = Path(f"/proc/{server.pid}/cmdline").read_bytes() + Path(f"/proc/{server.pid}/environ").read_bytes()
        assert server.api_key.encode() not in shown


async def test_a_dead_server_is_restarted_once_at_the_same_address(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with LocalServer(log, command=command(STAND_IN)) as server:
        api_base, first = server.api_base, server.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert await server.revived()
        assert (server.api_base, server.restarts) == (api_base, 1)
        again = started(log)[1]
        assert (again["port"], again["api_key"]) == (50123, server.api_key)
        second = server.pid
        assert second is not None and second != first
        os.kill(second, signal.SIGKILL)
        with pytest.raises(ProviderError, match="again after a restart"):
            await server.revived()
        with pytest.raises(ProviderError, match="again after a restart"):
            await server.revived()
    assert len(started(log)) == 2


async def test_a_server_that_is_alive_was_not_what_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "DYING_S", 0.01)
    async with LocalServer(tmp_path / "log", command=command(STAND_IN)) as server:
        assert not await server.revived()
    assert server.restarts == 0


async def test_a_server_that_does_not_come_back_says_why(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with LocalServer(log, command=command(COMES_UP_ONCE)) as server:
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        with pytest.raises(ProviderError, match=r"did not come back: .*no memory left") as caught:
            await server.revived()
    assert "run the same command again" in caught.value.hint


async def test_a_command_that_is_not_there_is_wrong_set_up(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="cannot be started"):
        async with LocalServer(tmp_path / "m.gguf", command=(str(tmp_path / "nothing"),)):
            pytest.fail("served by nobody")


async def test_a_file_that_cannot_be_served_is_named_with_the_first_fault(tmp_path: Path) -> None:
    with pytest.raises(SetupError) as caught:
        async with LocalServer(tmp_path / "bad.gguf", command=command(REFUSES)):
            pytest.fail("served a damaged file")
    assert "bad.gguf: gguf: tensor data is not within the file bounds" in caught.value.message
    assert "damaged" in caught.value.hint


async def test_a_child_that_dies_without_a_word_is_an_error_too(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="ended without a word"):
        async with LocalServer(tmp_path / "m.gguf", command=command("raise SystemExit(3)")):
            pytest.fail("served by a dead child")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks processes up in /proc")
async def test_the_server_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    parent = f"""
import asyncio, sys
from pathlib import Path
from judges.local_model.server import LocalServer
async def main():
    async with LocalServer(Path({str(log)!r}), command=(sys.executable, "-c", {STAND_IN!r})) as server:
        print(server.pid, flush=True)
        await asyncio.Event().wait()
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        assert Path(f"/proc/{child}").exists()
        process.kill()
    await until_gone(child)


def test_threads_sleep_on_ci_and_on_a_busy_machine_and_spin_elsewhere() -> None:
    sleeping = {"GOMP_SPINCOUNT": "0", "OMP_WAIT_POLICY": "passive"}
    assert child_environment({"CI": "true", "A": "b"}, 0.0) == {"CI": "true", "A": "b", **sleeping}
    assert child_environment({"A": "b"}, 1.5) == {"A": "b", **sleeping}
    assert child_environment({"A": "b"}, 0.1) == {"A": "b"}


def test_the_native_server_listens_on_loopback_behind_a_key_without_a_page() -> None:
    pytest.importorskip("xllamacpp")
    from judges.local_model.server_process import server_parameters  # noqa: PLC0415 (needs the optional package)

    settings = {"weights": "m.gguf", "port": 0, "api_key": "secret", "slots": 4, "slot_tokens": 2048, "threads": 2}
    parameters = server_parameters(settings)
    assert parameters.hostnames == ["127.0.0.1"]
    assert parameters.api_keys == ["secret"]
    assert (parameters.ui, parameters.endpoint_slots) == (False, False)
    assert (parameters.n_parallel, parameters.n_ctx, parameters.cpuparams.n_threads) == (4, 8192, 2)
