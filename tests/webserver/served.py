"""`ceopt serve` as a user starts it, and tabs as a browser opens them: a real server, real apps, real websockets."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
from ceopt_process import CEOPT, Place

LIMIT_S = 60.0
KEY_OF_PAGE = re.compile(r'data-key="([^"]+)"')
ESCAPES = re.compile(rb"\x1b(?:\[[0-9;?<>=$]*[A-Za-z]|\][^\x07]*\x07|.)")


@dataclass
class Served:
    """A server that is up."""

    process: subprocess.Popen[str]
    link: str
    page_key: str = ""

    @property
    def origin(self) -> str:
        parts = urlsplit(self.link)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def port(self) -> int:
        port = urlsplit(self.link).port
        assert port is not None
        return port

    def interrupt(self, number: int = signal.SIGINT) -> int:
        """As ctrl+c does; gives the exit status."""
        self.process.send_signal(number)
        return self.process.wait(LIMIT_S)

    def apps(self) -> list[int]:
        """Its children that run, by their numbers."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(number) for number in listed.split()]


@contextmanager
def serving(place: Place, *args: str, env: Mapping[str, str] | None = None) -> Iterator[Served]:
    """A server on a free port of 127.0.0.1; at the end it and its apps are gone."""
    with (place.home / "server-err").open("w") as told:
        process = subprocess.Popen(
            [CEOPT, "serve", "--port", "0", *args],
            cwd=place.root,
            env=place.environment() if env is None else dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=told,
            text=True,
            start_new_session=True,
        )
    assert process.stdout is not None
    try:
        link = process.stdout.readline().strip()
        assert link.startswith("http"), (place.home / "server-err").read_text()
        yield Served(process, link)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def words_in(drawn: bytes) -> str:
    """What was drawn, without colours and places."""
    return ESCAPES.sub(b"", drawn).decode("utf-8", "replace")


class Tab:
    """One open tab: what its app has drawn so far, and keys."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.drawn = b""
        self.orders: list[list[object]] = []

    @property
    def text(self) -> str:
        return words_in(self.drawn)

    async def see(self, words: str) -> None:
        """Reads until the words were drawn."""
        async with asyncio.timeout(LIMIT_S):
            while words not in self.text:
                assert await self._read(), f"{words!r} never came: {self.text[-2000:]}"

    async def see_next(self, words: str) -> None:
        """Reads until the words were drawn from now on."""
        self.drawn = b""
        await self.see(words)

    async def take(self, size_bytes: int) -> None:
        """Reads until so much was drawn."""
        async with asyncio.timeout(LIMIT_S):
            while len(self.drawn) < size_bytes:
                assert await self._read()

    async def order(self, kind: str) -> list[object]:
        """Reads until the page is told to do this."""
        async with asyncio.timeout(LIMIT_S):
            while not any(order[0] == kind for order in self.orders):
                assert await self._read()
        return next(order for order in self.orders if order[0] == kind)

    async def end(self) -> None:
        """Reads until the app has ended."""
        async with asyncio.timeout(LIMIT_S):
            while await self._read():
                pass

    async def press(self, keys: str) -> None:
        await self.socket.send_str(json.dumps(["stdin", keys]))

    async def close(self) -> None:
        await self.socket.close()

    async def _read(self) -> bool:
        message = await self.socket.receive()
        if message.type is aiohttp.WSMsgType.BINARY:
            self.drawn += message.data
        elif message.type is aiohttp.WSMsgType.TEXT:
            self.orders.append(json.loads(message.data))
        else:
            return False
        return True


@asynccontextmanager
async def browser(served: Served | None = None) -> AsyncIterator[aiohttp.ClientSession]:
    """A browser with cookies; one that has opened the printed address, where a server is given."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        if served is not None:
            async with session.get(served.link) as answer:
                found = KEY_OF_PAGE.search(await answer.text())
                assert answer.status == 200 and found is not None
                served.page_key = found[1]
        yield session


async def open_tab(session: aiohttp.ClientSession, served: Served) -> Tab:
    """Opens the page's websocket as the page does."""
    return await connected(session, served.origin, served.page_key, width=100, height=30)


async def connected(session: aiohttp.ClientSession, origin: str, page_key: str, *, width: int, height: int) -> Tab:
    address = f"{origin.replace('http', 'ws', 1)}/ws?width={width}&height={height}"
    protocols, headers = ("ceopt", page_key), {"Origin": origin}
    return Tab(await session.ws_connect(address, protocols=protocols, headers=headers, max_msg_size=0))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
