"""A fake OpenAI-compatible endpoint on 127.0.0.1 for every test that needs a model.

    with StubEndpoint("ok", replies=['{"score": 0.5}']) as endpoint:
        ...  # api_base=endpoint.api_base, any key
    assert endpoint.posts == 1

Modes: ok, nousage, null, nochoices, 429, quota, 500, 401echo, html, hang. `mode` may be changed while it runs.
`respond(body)` replaces the mode: it returns (status, JSON value or text, headers), or a mode's name.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Reply = tuple[int, Any, dict[str, str]]
Respond = Callable[[dict[str, Any]], Reply | str]

USAGE = {"prompt_tokens": 50, "completion_tokens": 10, "total_tokens": 60}


def completion(
    text: str | None,
    *,
    finish_reason: str = "stop",
    usage: dict[str, int] | None = USAGE,
    logprobs: Any = None,
    model: str = "stub",
) -> Reply:
    """A well-formed chat completion, for `respond`."""
    choice = {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": text}}
    if logprobs is not None:
        choice["logprobs"] = logprobs
    body = {"id": "stub", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}
    return 200, body | ({} if usage is None else {"usage": usage}), {}


def failure(status: int, message: str, code: str | None = None, **headers: str) -> Reply:
    """An error as OpenAI words it, for `respond`; header names are given with underscores (`retry_after="1"`)."""
    error = {"message": message} if code is None else {"message": message, "type": code, "code": code}
    return status, {"error": error}, {name.replace("_", "-"): value for name, value in headers.items()}


@dataclass
class Received:
    """One POST: its body, its headers (lower-case names), and when it came (monotonic)."""

    body: dict[str, Any]
    headers: dict[str, str]
    at_s: float
    path: str = ""


@dataclass
class StubEndpoint:
    """The running endpoint; use it as a context manager."""

    mode: str = "ok"
    replies: Sequence[str] = ('{"score": 0.5}',)
    delay_s: float = 0.0
    respond: Respond | None = None
    received: list[Received] = field(default_factory=list, init=False)
    most_in_flight: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._in_flight = 0
        self._connections: set[socket.socket] = set()

    def __enter__(self) -> Self:
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.close_connections()
        self._server.server_close()

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def posts(self) -> int:
        return len(self.received)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [request.body for request in self.received]

    @property
    def last(self) -> dict[str, Any]:
        return self.received[-1].body

    @property
    def closing(self) -> threading.Event:
        """Set when the endpoint goes down; a `respond` that blocks should wait on it."""
        return self._closing

    def answer(self, body: dict[str, Any], headers: dict[str, str], path: str) -> Reply | None:
        """The reply to one POST; None when the endpoint went down meanwhile."""
        with self._lock:
            turn = len(self.received)
            self.received.append(Received(body, headers, time.monotonic(), path))
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            if self.delay_s and self._closing.wait(self.delay_s):
                return None
            reply = self.mode if self.respond is None else self.respond(body)
            if isinstance(reply, str):
                return self._canned(reply, turn, body, headers)
            return reply
        finally:
            with self._lock:
                self._in_flight -= 1

    def _canned(self, mode: str, turn: int, body: dict[str, Any], headers: dict[str, str]) -> Reply | None:
        text, model = self.replies[turn % len(self.replies)], str(body.get("model"))
        if mode == "hang":
            self._closing.wait(60)
            return None
        if mode == "nochoices":
            return 200, completion(text)[1] | {"choices": []}, {}
        key = headers.get("authorization", "").removeprefix("Bearer ")
        return {
            "ok": completion(text, model=model),
            "nousage": completion(text, usage=None, model=model),
            "null": completion(None, finish_reason="length", model=model),
            "429": failure(429, "Rate limit reached", "rate_limit_exceeded", retry_after="1"),
            "quota": failure(429, "You exceeded your current quota", "insufficient_quota"),
            "500": failure(500, "stub failure"),
            "401echo": failure(401, f"Incorrect API key provided: {key}", "invalid_api_key"),
            "html": (200, "<html><body>502 from the proxy</body></html>", {"Content-Type": "text/html"}),
        }[mode]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, endpoint: StubEndpoint) -> None:
        self.endpoint = endpoint
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""

    def close_connections(self) -> None:
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet, or every reply waits for a delayed acknowledgement
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        endpoint = self.server.endpoint
        self._send(
            200, {"posts": endpoint.posts} if self.path.endswith("/count") else {"last": endpoint.bodies[-1:]}, {}
        )

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.endpoint.answer(body, headers, self.path)
        if reply is None:
            self.close_connection = True
        else:
            self._send(*reply)

    def _send(self, status: int, value: Any, headers: dict[str, str]) -> None:
        data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
