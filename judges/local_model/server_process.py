"""Child process: serves one GGUF file on loopback until its parent closes standard input or ends it.

Reads one JSON line of settings from stdin (the key must not show in a process list), answers with one line on stdout:
{"address": "http://127.0.0.1:PORT"} once it is healthy, or {"error": text}.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import IO, Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

import xllamacpp

HEALTH_POLL_S = 0.05
HEALTH_TIMEOUT_S = 120.0
LOG_ERRORS_ONLY = 1


def claim_stdout() -> IO[str]:
    """The real stdout for the one answer; whatever the native library prints goes to stderr from here on."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answer


def server_parameters(settings: dict[str, Any]) -> xllamacpp.CommonParams:
    """The native server's parameters: loopback only, key required, no web page, one context per slot."""
    parameters = xllamacpp.CommonParams()
    parameters.model.path = settings["weights"]
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = settings["port"]
    parameters.api_keys = [settings["api_key"]]
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.verbosity = LOG_ERRORS_ONLY
    parameters.n_parallel = settings["slots"]
    parameters.n_ctx = settings["slot_tokens"] * settings["slots"]
    parameters.cpuparams.n_threads = settings["threads"]
    parameters.cpuparams_batch.n_threads = settings["threads"]
    return parameters


def wait_healthy(address: str) -> None:
    """Returns once /health answers 200; it answers 503 while the model loads."""
    opener = build_opener(ProxyHandler({}))
    deadline = time.monotonic() + HEALTH_TIMEOUT_S
    while time.monotonic() < deadline:
        try:
            with opener.open(f"{address}/health", timeout=HEALTH_TIMEOUT_S):
                return
        except (HTTPError, OSError):
            time.sleep(HEALTH_POLL_S)
    raise RuntimeError(f"not healthy after {HEALTH_TIMEOUT_S:g} s")


def die_with_parent() -> None:
    """Ends this process when stdin closes, which the kernel does however the parent ends."""
    sys.stdin.read()
    os._exit(0)


def main() -> int:
    """Serves until ended from outside."""
    answer = claim_stdout()
    settings = json.loads(sys.stdin.readline())
    threading.Thread(target=die_with_parent, daemon=True).start()
    try:
        server = xllamacpp.Server(server_parameters(settings))
        wait_healthy(server.listening_address)
    except RuntimeError as error:
        print(json.dumps({"error": str(error)}), file=answer, flush=True)
        return 1
    print(json.dumps({"address": server.listening_address}), file=answer, flush=True)
    threading.Event().wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
