"""The pages, and one app for each tab. Everything goes through the door first.

On textual-serve: its terminal in the page, its packets, its downloads. The page is ours; it loads nothing from others.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from html import escape
from pathlib import Path
from string import Template

from aiohttp import WSCloseCode, WSMsgType, web
from textual_serve.server import Server

from ceopt_tui.webserver.app_process import AppProcess, Program
from ceopt_tui.webserver.door import Door, Knock
from ceopt_tui.webserver.outbox import Outbox

PAGE = Path(__file__).parent / "page"
HEARTBEAT_S = 15.0
LARGEST_MESSAGE_BYTES = 1_000_000  # a long paste
MOST_CELLS = 1000  # a screen's width or height
WAITING = b"The app of the tab before is putting its end on record; a moment.\r\n"
PROTOCOL = "ceopt"  # of the page's connection; the key of the page comes beside it, where no log writes it down
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; "
    "connect-src 'self' {socket}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class PageServer(Server):
    """Serves one program to whoever the door lets in."""

    def __init__(self, program: Program, door: Door, title: str) -> None:
        super().__init__("ceopt", title=title, public_url=door.address.origin)
        self._program = program
        self._door = door
        self._open: set[AppProcess] = set()
        self._leaving: set[asyncio.Task[None]] = set()
        self._closing = False

    async def _make_app(self) -> web.Application:
        app = web.Application(middlewares=[self._behind_the_door])
        app.add_routes(
            [
                web.get("/", self.handle_index),
                web.get("/ws", self.handle_websocket),
                web.get("/download/{key}", self.handle_download),
                web.static("/static", self.statics_path),
                web.static("/page", PAGE),
            ]
        )
        app.on_response_prepare.append(self._with_headers)
        return app

    @web.middleware
    async def _behind_the_door(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        knock = Knock(
            path=request.path,
            hosts=request.headers.getall("Host", []),
            origin=request.headers.get("Origin"),
            token=request.query.get("token"),
            cookies=request.cookies,
            opens_socket=request.path == "/ws",
            page_key=_page_key(request.headers.get("Sec-WebSocket-Protocol", "")),
        )
        refusal = self._door.refusal(knock)
        if refusal is not None:
            return web.Response(status=refusal.status, text=refusal.text)
        return self._entrance() if self._door.enters(knock) else await handler(request)

    def _entrance(self) -> web.Response:
        """Takes the token out of the address. A redirect would lose the cookie where a link elsewhere led here."""
        page = Template((PAGE / "entrance.html").read_text(encoding="utf-8"))
        response = web.Response(text=page.substitute(key=self._door.page_key), content_type="text/html")
        response.set_cookie(
            self._door.cookie_name,
            self._door.cookie_value,
            path="/",
            httponly=True,
            samesite="Strict",
            secure=self._door.address.encrypted,
        )
        return response

    async def _with_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(HEADERS)
        response.headers["Content-Security-Policy"] = POLICY.format(socket=self._socket_of(request))
        if request.path.startswith("/download/"):  # a report is foreign text: saved, never shown as a page of ours
            response.headers["Content-Security-Policy"] = "sandbox"

    def _socket_of(self, request: web.Request) -> str:
        scheme = "wss" if f"https://{request.host}" in self._door.address.origins else "ws"
        return f"{scheme}://{request.host}"

    async def handle_index(self, request: web.Request) -> web.Response:
        """The page, for the name it was asked under."""
        page = Template((PAGE / "index.html").read_text(encoding="utf-8"))
        text = page.substitute(title=escape(self.title), socket=escape(f"{self._socket_of(request)}/ws"))
        return web.Response(text=text, content_type="text/html")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """One tab: its app starts here and is sent home when the tab goes."""
        tab = web.WebSocketResponse(heartbeat=HEARTBEAT_S, max_msg_size=LARGEST_MESSAGE_BYTES, protocols=(PROTOCOL,))
        await tab.prepare(request)
        outbox = Outbox(tab, partial(_cut, request.transport))
        try:
            await self._show(tab, outbox, request.query)
        finally:
            outbox.give_up()
        return tab

    async def _show(self, tab: web.WebSocketResponse, outbox: Outbox, size: Mapping[str, str]) -> None:
        if self._leaving:  # a page that is loaded again goes on with the same run
            await outbox.put(WAITING)
            await asyncio.wait(self._leaving)
        if tab.closed or self._closing:
            await outbox.close()
            return
        app = AppProcess(self._program, self.download_manager, outbox)
        self._open.add(app)
        try:
            await app.start(_cells(size.get("width"), 80), _cells(size.get("height"), 24))
            await _listen(tab, app, outbox)
        finally:
            await self._send_home(app)

    async def _send_home(self, app: AppProcess) -> None:
        """Goes on when the handler is cancelled: the app's end takes as long as it takes."""
        leaving = asyncio.create_task(app.stop())
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)
        leaving.add_done_callback(lambda _: self._open.discard(app))
        await asyncio.shield(leaving)

    async def close(self) -> None:
        """Sends all apps home, and no tab gets a new one."""
        self._closing = True
        await asyncio.gather(*(app.stop() for app in self._open))

    def kill(self) -> None:
        """Ends all apps now."""
        for app in self._open:
            app.kill()


async def _listen(tab: web.WebSocketResponse, app: AppProcess, outbox: Outbox) -> None:
    """Brings keys, mouse and size from the page to the app, until either goes. What makes no sense closes the tab."""
    async for message in tab:
        if message.type is not WSMsgType.TEXT:
            continue
        try:
            kind, *more = json.loads(message.data)
            if kind == "stdin":
                await app.send_bytes(str(more[0]).encode("utf-8", "replace"))
            elif kind == "resize":
                await app.set_terminal_size(_cells(more[0]["width"], 80), _cells(more[0]["height"], 24))
            elif kind == "ping":
                await outbox.put(json.dumps(["pong", str(more[0])]))
            elif kind == "focus":
                await app.focus()
            elif kind == "blur":
                await app.blur()
        except (ValueError, TypeError, LookupError):
            await outbox.close(WSCloseCode.INVALID_TEXT)
            return


def _cut(transport: asyncio.Transport | None) -> None:
    if transport is not None:
        transport.abort()


def _page_key(protocols: str) -> str | None:
    """What stands beside the name of our protocol."""
    name, _, key = protocols.partition(",")
    return key.strip() if name == PROTOCOL else None


def _cells(given: object, usual: int) -> int:
    """A width or height that a screen can have."""
    try:
        return max(1, min(int(str(given)), MOST_CELLS))
    except ValueError:
        return usual
