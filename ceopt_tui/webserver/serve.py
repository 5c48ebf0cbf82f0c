"""Serves until it is told to end: prints the address, opens the browser, sends every app home in order."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import webbrowser

from aiohttp import web

from ceopt_tui.exits import ExitStatus
from ceopt_tui.shell import heeded, outliving_its_streams
from ceopt_tui.webserver.address import Address, is_private
from ceopt_tui.webserver.app_process import Program
from ceopt_tui.webserver.door import Door
from ceopt_tui.webserver.server import PageServer

# ctrl+c is how a server is ended, so it is no interruption
SIGNALS = {
    signal.SIGINT: ExitStatus.FINISHED,
    signal.SIGTERM: ExitStatus.TERMINATED,
    signal.SIGHUP: ExitStatus.HANGUP,
}


def serve(program: Program, title: str, listener: socket.socket, address: Address, *, opening: bool) -> int:
    """Serves the program to browsers until a signal; gives the exit status."""
    with outliving_its_streams(), listener:
        return asyncio.run(_serving(program, title, listener, address, opening))


async def _serving(program: Program, title: str, listener: socket.socket, address: Address, opening: bool) -> int:
    door = Door(address)
    server = PageServer(program, door, title)
    ended: asyncio.Future[ExitStatus] = asyncio.get_running_loop().create_future()

    def end(status: ExitStatus) -> None:
        if ended.done():  # asked again, the person does not wait
            server.kill()
        else:
            ended.set_result(status)

    for number in heeded(SIGNALS):
        asyncio.get_running_loop().add_signal_handler(number, end, SIGNALS[number])
    runner = web.AppRunner(await server._make_app(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        _tell(title, door, listener.getsockname()[0])
        if opening:
            await asyncio.to_thread(_open, door.single_link())
        return await ended
    finally:
        await server.close()
        await runner.cleanup()


def _tell(title: str, door: Door, host: str) -> None:
    print(door.link, flush=True)
    print(f"serving {title}; open this address, with its token, in a browser. ctrl+c ends it.", file=sys.stderr)
    if not (is_private(host) or door.address.encrypted):
        print(
            "note: nothing here is encrypted; whoever can listen on this network reads the token and your texts. "
            "`ssh -L` to 127.0.0.1 is safer.",
            file=sys.stderr,
        )
    sys.stderr.flush()


def _open(link: str) -> None:
    if not webbrowser.open(link):
        print("no browser could be started; open the address yourself", file=sys.stderr, flush=True)
