"""The loaded interpreter behind ceopt_process.Warm: reads orders from stdin, forks, tells pid and status on stdout."""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import os
import signal
import sys
from typing import Any

from boundaries import plan_in
from interruption import install

from ceopt_tui import cli
from ceopt_tui.cli import main
from judges.client import load


def serve() -> None:
    asyncio.run(load())
    for module, _ in cli.COMMANDS.values():
        importlib.import_module(f"ceopt_tui.commands.{module}")
    gc.freeze()
    _tell({"ready": True})
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _be_ceopt(order)
        _tell({"pid": pid})
        _, status = os.waitpid(pid, 0)
        _tell({"status": os.waitstatus_to_exitcode(status)})


def _be_ceopt(order: dict[str, Any]) -> None:
    os.setsid()
    for number in order["ignored"]:
        signal.signal(number, signal.SIG_IGN)
    _redirect(os.devnull, os.O_RDONLY, 0)
    _redirect(order["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 1)
    _redirect(order["err"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 2)
    plan = plan_in(order["env"])
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    if plan is not None:
        install(plan)
    status: Any = 1
    try:
        main(order["args"])
    except SystemExit as leaving:
        status = leaving.code or 0
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(status))


def _redirect(path: str, flags: int, descriptor: int) -> None:
    opened = os.open(path, flags, 0o600)
    os.dup2(opened, descriptor)
    os.close(opened)


def _tell(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
