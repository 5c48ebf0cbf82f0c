"""What the server does with its tabs, seen with small programs in place of the app: a real server, real websockets."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from served import LIMIT_S, Tab, alive, connected

from ceopt_tui.webserver import app_process, outbox
from ceopt_tui.webserver.address import address_of, listening
from ceopt_tui.webserver.app_process import Program
from ceopt_tui.webserver.door import Door
from ceopt_tui.webserver.server import PageServer

KEY = "sk-FAKE-ZYXWVUTS87654321"
PLAIN_KEY = "an-endpoint-of-our-own-1"
IDLE = "echo $$ >pid; echo __GANGLION__; cat >/dev/null"
DRAWING = """
import os, pathlib, sys, threading
pathlib.Path("pid").write_text(f"{os.getpid()}\\n")
hung_up = threading.Event()
def listen():
    sys.stdin.buffer.read()
    hung_up.set()
threading.Thread(target=listen, daemon=True).start()
print("__GANGLION__", flush=True)
data = b"x" * 65_536
for number in range(int(sys.argv[1])):
    if hung_up.is_set():
        break
    sys.stdout.buffer.write(b"D" + len(data).to_bytes(4, "big") + data)
    sys.stdout.buffer.flush()
    pathlib.Path("drawn").write_text(str(number + 1))
hung_up.wait()
pathlib.Path("left").touch()
"""


def shell(folder: Path, script: str, **environ: str) -> Program:
    return Program(("/bin/sh", "-c", script), folder, {"PATH": "/usr/bin:/bin", **environ})


def drawing(folder: Path, screens: int) -> Program:
    return Program((sys.executable, "-c", DRAWING, str(screens)), folder, {"PATH": "/usr/bin:/bin"})


def small_window(address: tuple[object, ...]) -> socket.socket:
    """A connection that holds little of what nobody reads."""
    made = socket.socket(socket.AddressFamily(address[0]), socket.SocketKind(address[1]))
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    return made


@asynccontextmanager
async def tab_on(program: Program) -> AsyncIterator[Tab]:
    """A tab that shows the program, of a server that ends with it."""
    with listening("127.0.0.1", 0) as listener:
        door = Door(address_of("127.0.0.1", listener.getsockname()[1], None))
        server = PageServer(program, door, "a test")
        runner = web.AppRunner(await server._make_app(), access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        await web.SockSite(runner, listener).start()
        try:
            cookies = {door.cookie_name: door.cookie_value}
            connector = aiohttp.TCPConnector(socket_factory=small_window)
            async with aiohttp.ClientSession(connector=connector, cookies=cookies) as session:
                yield await connected(session, door.address.origin, door.page_key, width=80, height=24)
        finally:
            await server.close()
            await runner.cleanup()


async def content(file: Path, wanted: str = "\n") -> str:
    """What the program wrote, once it holds what is wanted."""
    async with asyncio.timeout(LIMIT_S):
        while not file.exists() or wanted not in file.read_text():
            await asyncio.sleep(0.01)
    return file.read_text()


async def gone(pid: int) -> None:
    async with asyncio.timeout(LIMIT_S):
        while alive(pid):
            await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "message", ["no json", "3", "[]", '["resize", 3]', '["resize", {"width": 80}]', '["stdin"]', '["ping"]']
)
async def test_what_is_no_message_of_the_page_ends_the_tab(tmp_path: Path, message: str) -> None:
    async with tab_on(shell(tmp_path, IDLE)) as tab:
        pid = int(await content(tmp_path / "pid"))
        await tab.socket.send_str(message)
        await tab.end()
        assert tab.socket.close_code == aiohttp.WSCloseCode.INVALID_TEXT
        await gone(pid)


async def test_what_the_page_may_say_keeps_the_tab(tmp_path: Path) -> None:
    async with tab_on(shell(tmp_path, IDLE)) as tab:
        for message in (
            '["focus"]',
            '["blur"]',
            '["resize", {"width": 1e9, "height": "x"}]',
            '["new", 1]',
            '["stdin", "k"]',
        ):
            await tab.socket.send_str(message)
        await tab.socket.send_str('["ping", "now"]')
        assert await tab.order("pong") == ["pong", "now"]


async def test_a_tab_that_stops_reading_does_not_hold_its_app_up(tmp_path: Path) -> None:
    screens = 200  # 13 MB: more than pipes and connections hold, less than a tab may be behind
    async with tab_on(drawing(tmp_path, screens)) as tab:
        await content(tmp_path / "drawn", str(screens))  # and nothing has been read
        await tab.take(screens * 65_536)
        assert alive(int((tmp_path / "pid").read_text()))


async def test_a_tab_that_is_too_far_behind_is_closed_and_its_app_leaves_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MOST_WAITING_BYTES", 1_000_000)
    async with tab_on(drawing(tmp_path, 100_000)) as tab:
        await gone(int(await content(tmp_path / "pid")))
        assert (tmp_path / "left").exists()
        await tab.end()


async def test_a_server_that_ends_sends_its_apps_home(tmp_path: Path) -> None:
    async with tab_on(drawing(tmp_path, 1)) as tab:
        await tab.take(65_536)
    assert (tmp_path / "left").exists()
    await tab.end()


async def test_a_tab_that_does_not_take_its_leave_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "LAST_S", 0.05)
    async with tab_on(drawing(tmp_path, 200)) as tab:
        await content(tmp_path / "drawn", "200")
        await tab.socket.send_str("no json")
        await gone(int((tmp_path / "pid").read_text()))


async def test_an_app_that_has_no_screen_yet_is_ended_at_once(tmp_path: Path) -> None:
    async with tab_on(shell(tmp_path, "echo $$ >pid; exec sleep 1000")) as tab:
        pid = int(await content(tmp_path / "pid"))
        await tab.close()
        await gone(pid)


async def test_an_app_that_does_not_leave_is_ended_with_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_process, "GRACE_S", 0.05)
    async with tab_on(shell(tmp_path, "sleep 1000 & echo $! >child; echo $$ >pid; echo __GANGLION__; wait")) as tab:
        pids = [int(await content(tmp_path / name)) for name in ("child", "pid")]
        await tab.close()
        await asyncio.gather(*map(gone, pids))


async def test_the_app_has_the_keys_and_nothing_of_another_terminal(tmp_path: Path) -> None:
    script = 'echo "key ${OURS_API_KEY:+there}, lines ${LINES-none}, program ${TERM_PROGRAM-none}, width $COLUMNS"'
    program = shell(tmp_path, script, OURS_API_KEY=PLAIN_KEY, LINES="9", TERM_PROGRAM="iTerm.app")
    async with tab_on(program) as tab:
        await tab.end()
        assert "key there, lines none, program none, width 80" in tab.text


async def test_last_words_hold_no_secret(tmp_path: Path) -> None:
    script = 'echo "refused: $OURS_API_KEY"; echo "and $OPENAI_API_KEY" >&2'
    async with tab_on(shell(tmp_path, script, OURS_API_KEY=PLAIN_KEY, OPENAI_API_KEY=KEY)) as tab:
        await tab.end()
        assert "refused: sk-***" in tab.text and "and sk-***" in tab.text
        assert KEY not in tab.text and PLAIN_KEY not in tab.text
