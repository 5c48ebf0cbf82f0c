"""An endpoint on this machine that gives again what a model once answered. It knows nothing else and says so."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

MODEL = "openai/recorded"
KEY = "recorded"  # the endpoint asks for none; providers' libraries do
DELAY_S = 0.03  # so that a run can be watched
MOST_BYTES = 1_000_000
UNKNOWN = "only the replies of one recorded run are here, and this is none of its questions"


@dataclass(frozen=True)
class Recorded:
    """What a model said, and the tokens it took."""

    text: str
    tokens_in: int
    tokens_out: int


def question_key(messages: Sequence[Mapping[str, Any]]) -> str:
    """Names a question by all that was said in it."""
    said = [[message["role"], message["content"]] for message in messages]
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()[:24]


def read_replies(path: Path) -> dict[str, Recorded]:
    """Replies by the key of their question."""
    replies = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        replies[entry["question"]] = Recorded(entry["reply"], *entry["tokens"])
    return replies


@dataclass
class ReplayEndpoint:
    """Listens on 127.0.0.1 while it is entered. `base_url` is what OPENAI_BASE_URL wants."""

    replies: Mapping[str, Recorded]
    delay_s: float = DELAY_S
    unknown: int = field(default=0, init=False)

    def __enter__(self) -> Self:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.endpoint = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, body: Any) -> tuple[int, dict[str, Any]]:
        """Status and JSON for one request."""
        try:
            found = self.replies.get(question_key(body["messages"]))
        except (KeyError, TypeError):
            return 400, _error("no chat request")
        if found is None:
            self.unknown += 1
            return 400, _error(UNKNOWN)
        usage = {"prompt_tokens": found.tokens_in, "completion_tokens": found.tokens_out}
        message = {"role": "assistant", "content": found.text}
        return 200, {
            "id": "recorded",
            "object": "chat.completion",
            "created": 1,
            "model": body.get("model", MODEL),
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {**usage, "total_tokens": found.tokens_in + found.tokens_out},
        }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    endpoint: ReplayEndpoint


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if length > MOST_BYTES:
            self.close_connection = True
            self._send(413, _error("too long"))
            return
        try:
            body = json.loads(self.rfile.read(length))
        except ValueError:
            body = None
        time.sleep(self.server.endpoint.delay_s)
        self._send(*self.server.endpoint.answer(body))

    def _send(self, status: int, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the terminal belongs to the app."""


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error"}}
