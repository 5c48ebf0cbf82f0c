"""Hands a payload to whoever carries it out: a command of the user's, or a Dask cluster."""

from __future__ import annotations

import asyncio
import importlib
import shlex
import tempfile
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from ceopt_tui.core.command_ports import Busy
from ceopt_tui.core.masking import mask
from ceopt_tui.core.visible import one_line
from ceopt_tui.errors import ProposalError, SetupError
from ceopt_tui.journal.atomic import write_atomic

BUSY_STATUS = 75
DISPATCH_S = 600.0
CONNECT_S = 10
LONGEST_RECEIPT = 200


class Dispatcher(Protocol):
    """Starts a worker for one payload. Raises Busy where nobody is free, ProposalError where it cannot be started."""

    name: str

    async def send(self, payload: bytes, number: int, ref: str) -> str:
        """The receipt: what the other side calls this job."""

    async def failure(self, number: int) -> str:
        """Why the job ended without a result, where the other side says so; else empty."""


class CommandDispatcher:
    """Runs a command for every experiment: a CI dispatch, sbatch, an agent. Its last line of output is the receipt.

    `{recipe}`, `{ref}` and `{number}` in the template stand for the payload's file, the ref and the experiment.
    """

    name = "command"

    def __init__(self, template: str, folder: Path, environment: Mapping[str, str]) -> None:
        self._template = template
        self._folder = folder
        self._environment = dict(environment)

    async def send(self, payload: bytes, number: int, ref: str) -> str:
        file = self._folder / f"exp-{number:03d}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(file, payload)
        command = self._template
        for name, value in (("recipe", str(file)), ("ref", ref), ("number", str(number))):
            command = command.replace("{" + name + "}", shlex.quote(value))
        status, stdout, stderr = await self._run(command)
        said = one_line(mask((stderr.strip() or stdout.strip())[-LONGEST_RECEIPT:]))
        if status == BUSY_STATUS:
            raise Busy(said)
        if status:
            raise ProposalError(f"the dispatch command ended with status {status}: {said}")
        lines = stdout.strip().splitlines()
        return one_line(lines[-1])[:LONGEST_RECEIPT] if lines else ""

    async def failure(self, number: int) -> str:
        """A job that was handed over is somebody else's; only the deadline tells that it died."""
        return ""

    async def _run(self, command: str) -> tuple[int, str, str]:
        """(status, output, words). What it leaves running goes on: that is what a dispatch is for.

        Its output goes to files, since a job left behind would hold a pipe open.
        """
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = await asyncio.create_subprocess_exec(
                *("/bin/sh", "-c", command),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=self._environment,
                cwd=self._folder,
                start_new_session=True,
            )
            try:
                status = await asyncio.wait_for(process.wait(), DISPATCH_S)
            except TimeoutError:
                process.kill()
                raise ProposalError(f"the dispatch command took longer than {DISPATCH_S:g} s and was ended") from None
            out.seek(0)
            err.seek(0)
            return status, out.read().decode("utf-8", "replace"), err.read().decode("utf-8", "replace")


class DaskDispatcher:
    """Submits every experiment to a Dask cluster, which may sit on SLURM, Kubernetes or machines reached by SSH."""

    name = "dask"

    def __init__(self, scheduler: str, job: Callable[[bytes], str]) -> None:
        self._scheduler = scheduler
        self._job = job  # runs on the cluster's workers, so it must be a function of a module
        self._client: Any = None
        self._futures: dict[int, Any] = {}

    async def send(self, payload: bytes, number: int, ref: str) -> str:
        client = await asyncio.to_thread(self._connected)
        if len(client.nthreads()) == 0:
            raise Busy("the cluster has no worker")
        key = f"ceopt-{ref}-{uuid.uuid4().hex[:8]}"  # a name that was used is a result that the cluster still has
        future = client.submit(self._job, payload, key=key, pure=False)
        # This process may end before the job does, and the next one collects.
        importlib.import_module("distributed").fire_and_forget(future)
        self._futures[number] = future
        return str(future.key)

    async def failure(self, number: int) -> str:
        """The job's own error; of a job that an earlier process handed out, only the deadline tells."""
        future = self._futures.get(number)
        if future is None or future.status not in {"error", "cancelled", "lost"}:
            return ""
        error = await asyncio.to_thread(future.exception) if future.status == "error" else future.status
        return one_line(mask(str(error) or type(error).__name__))[:LONGEST_RECEIPT]

    def _connected(self) -> Any:
        if self._client is None:
            try:
                distributed = importlib.import_module("distributed")  # an extra, and seconds to import
            except ImportError as error:
                raise SetupError(
                    "Dask is not installed", "Install ceopt with it: `pip install 'ceopt-tui[distributed]'`."
                ) from error
            try:
                self._client = distributed.Client(self._scheduler, timeout=CONNECT_S)
            except OSError as error:
                raise SetupError(f"no Dask scheduler answers at {self._scheduler}: {error}") from error
        return self._client
