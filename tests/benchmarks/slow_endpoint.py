"""A chat endpoint for benchmarks, in a process of its own: every reply takes the same time, whatever the load.

`python slow_endpoint.py DELAY_S` prints its address and serves until its standard input ends.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHOICE = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "returns"}}
USAGE = {"prompt_tokens": 50, "completion_tokens": 1, "total_tokens": 51}
BODY = json.dumps(
    {"id": "bench", "object": "chat.completion", "created": 1, "model": "bench", "choices": [CHOICE], "usage": USAGE}
).encode()
REPLY = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


async def serve(delay_s: float) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = next(line for line in head.split(b"\r\n") if line.startswith(b"content-length:"))
                await reader.readexactly(int(length.split(b":")[1]))
                await asyncio.sleep(delay_s)
                writer.write(REPLY)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    async with server:
        await asyncio.to_thread(sys.stdin.read)


@contextmanager
def running(delay_s: float) -> Iterator[str]:
    """The address of an endpoint that lives inside the context."""
    command = [sys.executable, str(Path(__file__)), str(delay_s)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
