"""The local model's process dies in the middle of a run: the call is sent again once, then the run parks."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest
from model_fakes import ManualClock, request_to

from ceopt_tui.core.ports import ModelReply, ResolvedModel
from ceopt_tui.errors import CallFailed, ProviderError
from judges import local_binding
from judges.client import LiteLLMClient
from judges.ledger import Ledger
from judges.local_model.server import LocalServer

# Speaks the protocol of server_process and answers chat completions; the first so many processes die of one instead.
MORTAL = """
import http.server, json, os, sys, threading
settings, deaths = json.loads(sys.stdin.readline()), int(sys.argv[1])
with open(settings["weights"], "a+", encoding="utf-8") as log:
    log.write("started\\n")
    log.seek(0)
    lives = len(log.readlines())
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        if lives <= deaths:
            os._exit(139)
        message = {"role": "assistant", "content": f"answered in life {lives}"}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 5, "completion_tokens": 5, "total_tokens": 10}
        body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", settings["port"]), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"address": f"http://127.0.0.1:{server.server_port}"}), flush=True)
sys.stdin.read()
"""


async def replies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ledger: Ledger, *, deaths: int, retries: int = 0
) -> list[ModelReply]:
    """Two calls of a local model whose first `deaths` processes die of a request."""
    command = (sys.executable, "-c", MORTAL, str(deaths))
    monkeypatch.setattr(local_binding, "LocalServer", partial(LocalServer, command=command))
    monkeypatch.setattr(local_binding, "ensure_weights", lambda name, progress: tmp_path / "log")
    clock = ManualClock()
    async with (
        local_binding.bound(ResolvedModel("cheap", "local/tiny", "local")) as model,
        LiteLLMClient(ledger, None, clock=clock, sleep=clock.sleep) as client,
    ):
        return [await client.complete(request_to(model, text, retries=retries)) for text in ("one", "two")]


async def test_a_call_that_the_model_died_of_is_sent_to_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger()
    first, second = await replies(tmp_path, monkeypatch, ledger, deaths=1)
    assert (first.text, first.facts.attempts) == ("answered in life 2", 2)
    assert (second.text, second.facts.attempts) == ("answered in life 2", 1)
    assert (ledger.total.requests, ledger.total.usd) == (3, 0.0)


async def test_a_model_that_dies_again_parks_the_run_and_scores_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger()
    with pytest.raises(ProviderError, match=r"The local model stopped working: .* again after a restart") as caught:
        await replies(tmp_path, monkeypatch, ledger, deaths=9, retries=5)
    assert not isinstance(caught.value, CallFailed)
    assert (ledger.total.requests, ledger.in_flight) == (2, 0)
