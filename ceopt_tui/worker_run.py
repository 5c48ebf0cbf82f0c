"""What a worker elsewhere is made of: an editor on its own machine's models and keys, and the job that uses it."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from ceopt_tui.core.command_ports import Editor
from ceopt_tui.core.masking import secrets_in, secrets_of
from ceopt_tui.errors import SetupError
from ceopt_tui.programs import program_environment
from ceopt_tui.remote.job import carry_out
from ceopt_tui.remote.payload import Payload, read_payload
from ceopt_tui.system_clock import SystemClock
from judges.cache import ReplyCache
from judges.client import LiteLLMClient
from judges.ledger import Caps, Ledger, Spend
from judges.outside_calls import OutsideAccount
from judges.tiers import resolve
from judges.user_config import user_config_file
from schemas.records import CallFinished
from schemas.result_marker import Cost
from texttargets.proposers.code_editor import CodeEditor
from texttargets.proposers.command import CommandSetting
from texttargets.proposers.command_editor import CommandEditor

_TURN = threading.Lock()


def carry_out_alone(payload: bytes) -> str:
    """One experiment at a time in this process; gives the branch its result was pushed to.

    What is measured must not share its worker with another measurement, however many threads that has.
    """
    with _TURN, tempfile.TemporaryDirectory(prefix="ceopt-worker-", ignore_cleanup_errors=True) as folder:
        return asyncio.run(work(read_payload(payload), Path(folder), os.environ))


async def work(payload: Payload, folder: Path, environ: Mapping[str, str]) -> str:
    """One experiment in `folder`, which must be empty."""
    spec = payload.spec
    ledger = Ledger(Caps(max_usd=spec.stopping.max_total_cost_usd, max_calls=spec.stopping.max_calls))
    async with _editor(payload, folder, environ, ledger) as editor:
        worker = f"{socket.gethostname()}-{os.getpid()}"
        return await carry_out(payload, editor, folder, environ, worker, lambda: _spent(ledger))


def _spent(ledger: Ledger) -> Cost:
    """What editing took here; money is not known as long as one call has no price."""
    spent = ledger.spent.get("proposer", Spend())
    return Cost(
        usd=None if spent.unpriced else spent.usd_known,
        calls=spent.requests,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
    )


@asynccontextmanager
async def _editor(payload: Payload, folder: Path, environ: Mapping[str, str], ledger: Ledger) -> AsyncIterator[Editor]:
    """The editor the spec asks for, with what this machine has of models, keys and programs."""
    spec = payload.spec
    secrets = secrets_in(environ)
    if spec.proposer.kind == "command" and spec.proposer.command is not None:
        given = program_environment(environ, spec.proposer.environment)
        setting = CommandSetting(spec.proposer.command, given, spec.proposer.timeout_s)
        yield CommandEditor(setting, OutsideAccount(ledger, _unrecorded), _quiet, secrets)
        return
    model = resolve("proposer", spec.proposer.model, spec.models, environ, user_config_file())
    if model is None:
        raise SetupError(
            f"no model is configured to edit the code ({spec.proposer.model}) on {socket.gethostname()}",
            "Set CEOPT_MODEL_STRONG=provider/model and its key where the worker runs.",
        )
    cache = ReplyCache(folder / "replies", _unheard)
    client = LiteLLMClient(
        ledger, cache, clock=SystemClock(), secrets=secrets | secrets_of(model.params), warn=_unheard
    )
    try:
        async with client:
            yield CodeEditor(client, model, spec.proposer.edits)
    finally:
        cache.close()


async def _unrecorded(_: CallFinished) -> None:
    """A worker has no journal; what it spent goes into its result."""


def _quiet(_title: str, _done: int, _total: int) -> None:
    """Nobody watches a worker."""


def _unheard(_: str) -> None:
    """What the cache of one job has to say helps nobody."""
