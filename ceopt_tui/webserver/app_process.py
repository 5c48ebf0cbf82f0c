"""One tab's app: a process of its own that speaks to the page, leaves in order when its tab goes, and leaves nothing.

The packets and downloads are those of textual-serve. Must not know who may open a tab.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from ceopt_tui.core.masking import mask, secrets_in
from ceopt_tui.core.visible import said
from ceopt_tui.shell import WEB_DRIVER
from ceopt_tui.webserver.outbox import Outbox

GRACE_S = 20.0  # for the engine to put the end of its work on record
READY = b"__GANGLION__\n"
KEPT_BYTES = 16_000
LARGEST_PACKET_BYTES = 64_000_000
PLAIN_SCREEN = b"\x1b[?1049l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?2004l\x1b[0m\x1b[2J\x1b[H\x1b[?25h"
OTHER_TERMINAL = ("LC_TERMINAL", "LINES", "TERM_PROGRAM")  # of the window the server was started in


@dataclass(frozen=True)
class Program:
    """What every tab starts: the command, where, and in which environment."""

    command: Sequence[str]
    folder: Path
    environ: Mapping[str, str]


class AppProcess(AppService):
    """The process, from its start to its last words. `stop` may be called at any time, and again."""

    def __init__(self, program: Program, downloads: DownloadManager, outbox: Outbox) -> None:
        super().__init__(
            shlex.join(program.command),
            write_bytes=outbox.put,
            write_str=outbox.put,
            close=outbox.close,
            download_manager=downloads,
        )
        self._program = program
        self._on_screen: bool | None = None

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        """The server's own, keys of models included, as in a terminal; but the terminal is the page."""
        return {
            **{name: value for name, value in self._program.environ.items() if name not in OTHER_TERMINAL},
            "TEXTUAL_DRIVER": WEB_DRIVER,
            "TEXTUAL_COLOR_SYSTEM": "truecolor",
            "TEXTUAL_FPS": "60",
            "TERM": "xterm-256color",
            "COLUMNS": str(width),
            "ROWS": str(height),
        }

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        """In a session of its own: a ctrl+c meant for the server is not for the app, and its group can be ended."""
        self._process = process = await asyncio.create_subprocess_exec(
            *self._program.command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=self._program.folder,
            env=self._build_environment(width, height),
            start_new_session=True,
        )
        assert process.stdin is not None
        self._stdin = process.stdin
        return process

    async def run(self) -> None:
        """Brings what the app says to its tab; when the app has ended, its last words, and then closes."""
        process = self._process
        assert process is not None and process.stdout is not None and process.stderr is not None
        complaints = asyncio.create_task(_tail(process.stderr))
        try:
            printed = await self._relay(process.stdout)
            await process.wait()
            words = mask((printed + await complaints).decode("utf-8", "replace"), secrets_in(self._program.environ))
            await self.remote_write_bytes(PLAIN_SCREEN + said(words.strip()).replace("\n", "\r\n").encode())
        finally:
            complaints.cancel()
            self.kill()
            await self.remote_close()

    async def _relay(self, stdout: asyncio.StreamReader) -> bytes:
        """Passes packets on until the app leaves its screen; gives what it printed outside of them."""
        printed = b""
        while (line := await stdout.readline()) != READY:
            if not line:
                return printed
            printed = (printed + line)[-KEPT_BYTES:]
        self._on_screen = True
        with suppress(asyncio.IncompleteReadError):
            while self._on_screen:
                kind, size = await stdout.readexactly(1), await stdout.readexactly(4)
                payload = await stdout.readexactly(min(int.from_bytes(size, "big"), LARGEST_PACKET_BYTES))
                await self._take(kind, payload)
        return (printed + await _tail(stdout))[-KEPT_BYTES:]

    async def _take(self, kind: bytes, payload: bytes) -> None:
        if kind == b"D":
            await self.on_data(payload)
        elif kind == b"M":
            await self.on_meta(payload)
        elif kind == b"P":
            await self.on_packed(payload)

    async def on_meta(self, data: bytes) -> None:
        """Downloads, and the end of the screen; no page is opened on the app's word."""
        kind = json.loads(data)["type"]
        if kind == "exit":
            self._on_screen = False
        elif kind == "deliver_file_start":
            await super().on_meta(data)

    async def stop(self) -> None:
        """Takes the app's terminal away, as a closed window does, and waits until its end is on record.

        An app without a screen has begun nothing, and would take seconds to find out that its terminal has gone.
        """
        if self._task is None:
            return
        await self._download_manager.cancel_app_downloads(self.app_service_id)
        self.stdin.close()
        if self._on_screen is None:
            self.kill(signal.SIGTERM)
        await asyncio.wait({self._task}, timeout=GRACE_S)
        self.kill()
        await asyncio.wait({self._task})

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Ends it now, with all that it started; what is on record stays."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)


async def _tail(stream: asyncio.StreamReader) -> bytes:
    """Reads to the end and gives the last of it."""
    kept = b""
    while data := await stream.read(KEPT_BYTES):
        kept = (kept + data)[-KEPT_BYTES:]
    return kept
