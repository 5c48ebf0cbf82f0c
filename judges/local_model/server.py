"""Runs a local model in a child process and says where it answers. It sends the model nothing itself.

The child is restarted once, on the same port and key, when it dies unasked; a second death is the run's problem.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ceopt_tui.errors import ProviderError, SetupError

SLOTS = 4
SLOT_TOKENS = 2048
THREADS = 2
START_TIMEOUT_S = 180.0
STOP_TIMEOUT_S = 5.0
DYING_S = 1.0  # between the last byte of a dying child and its end
RESTARTS = 1
BUSY_LOAD_PER_CORE = 0.5
COMMAND = (sys.executable, "-m", "judges.local_model.server_process")


class LocalServer:
    """An OpenAI-compatible server for one GGUF file, alive inside `async with`.

    Entering raises SetupError when the file cannot be served. `slots` 1 makes longer answers repeatable.
    """

    def __init__(self, weights: Path, *, slots: int = SLOTS, command: Sequence[str] = COMMAND) -> None:
        self.weights = weights
        self.slots = slots
        self.api_key = secrets.token_urlsafe(24)
        self.restarts = 0
        self._command = command
        self._port = 0
        self._child: asyncio.subprocess.Process | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._log: deque[str] = deque(maxlen=20)
        self._fault: str | None = None
        self._settled = asyncio.Event()  # cleared while a restart is under way

    @property
    def api_base(self) -> str:
        """Where litellm finds it."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def pid(self) -> int | None:
        """Process number of the present child."""
        return self._child.pid if self._child else None

    async def revived(self) -> bool:
        """Whether a connection failed because the child died and a new one serves now; False when it is alive.

        Waits for a restart under way. Raises ProviderError once the server is gone for good.
        """
        child, settled = self._child, self._settled.is_set()
        if child is not None and settled and self._fault is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(DYING_S):
                    await child.wait()
            if child.returncode is None:
                return False
            if child is self._child and self._fault is None:
                self._settled.clear()  # its watcher sets it
        await self._settled.wait()
        if self._fault is not None:
            raise ProviderError(
                f"The local model stopped working: {self._fault}",
                "What was measured is kept; run the same command again.",
            )
        return True

    async def __aenter__(self) -> LocalServer:
        if self._command is COMMAND and find_spec("xllamacpp") is None:
            raise SetupError(
                "The local model needs the package xllamacpp, which is not installed.",
                "Install ceopt with its extra: ceopt-tui[local].",
            )
        try:
            await self._start()
        except BaseException:
            await self._end_child()
            raise
        self._settled.set()
        self._watcher = asyncio.create_task(self._watch(), name="local-model-watcher")
        return self

    async def __aexit__(self, *_exc: object) -> None:
        if self._watcher is not None:
            self._watcher.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watcher
        await self._end_child()

    async def _start(self) -> None:
        try:
            child = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=child_environment(os.environ, load_per_core()),
                start_new_session=True,  # ctrl+c is the parent's to handle
            )
        except OSError as error:
            raise SetupError(f"The local model's server cannot be started: {error}") from error
        self._child = child
        self._log.clear()
        assert child.stdin is not None
        assert child.stdout is not None
        self._drain = asyncio.create_task(self._keep_log(child), name="local-model-log")
        settings = {
            "weights": str(self.weights),
            "port": self._port,
            "api_key": self.api_key,
            "slots": self.slots,
            "slot_tokens": SLOT_TOKENS,
            "threads": THREADS,
        }
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                child.stdin.write(json.dumps(settings).encode() + b"\n")
                await child.stdin.drain()
                line = await child.stdout.readline()
        except TimeoutError as error:
            raise SetupError(f"The local model was not ready after {START_TIMEOUT_S:g} s.") from error
        except ConnectionError:
            line = b""
        self._port = await self._read_port(child, line)

    async def _read_port(self, child: asyncio.subprocess.Process, line: bytes) -> int:
        answer = _parse(line)
        address = answer.get("address")
        if isinstance(address, str):
            return int(address.rsplit(":", 1)[1])
        with contextlib.suppress(TimeoutError):  # its log says more than its answer, so let it finish
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await child.wait()
        await self._end_child()
        faults = [entry.partition(" E ")[2].strip() for entry in self._log if " E " in entry]
        reason = faults[0] if faults else answer.get("error", "its server ended without a word")
        raise SetupError(
            f"The local model cannot be served from {self.weights}: {reason}",
            "The file may be damaged or not a model; delete it to have it fetched again.",
        )

    async def _keep_log(self, child: asyncio.subprocess.Process) -> None:
        assert child.stderr is not None
        while chunk := await child.stderr.read(4096):
            self._log.extend(chunk.decode("utf-8", "replace").splitlines())

    async def _watch(self) -> None:
        while self._child is not None and self._fault is None:
            status = await self._child.wait()
            self._settled.clear()
            try:
                await self._restart(status)
            finally:
                self._settled.set()

    async def _restart(self, status: int) -> None:
        if self.restarts >= RESTARTS:
            self._fault = f"its server ended with status {status}, again after a restart."
            return
        self.restarts += 1
        try:
            await self._start()
        except SetupError as error:
            self._fault = f"its server ended with status {status} and did not come back: {error.message}"

    async def _end_child(self) -> None:
        child = self._child
        if child is None:
            return
        if child.stdin is not None:
            child.stdin.close()  # it ends by itself then
        try:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await child.wait()
        except TimeoutError:
            child.kill()
            await child.wait()
        await self._drain


def child_environment(environ: Mapping[str, str], load_per_core: float) -> dict[str, str]:
    """The child's environment. On CI and on a busy machine its threads sleep instead of spinning.

    Spinning is a third faster on an idle machine and many times slower where others want the cores.
    """
    environment = dict(environ)
    if environment.get("CI") or load_per_core > BUSY_LOAD_PER_CORE:
        environment |= {"GOMP_SPINCOUNT": "0", "OMP_WAIT_POLICY": "passive"}
    return environment


def load_per_core() -> float:
    """Runnable processes of the last minute per core; 0 where the system does not tell."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (AttributeError, OSError):
        return 0.0


def _parse(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
