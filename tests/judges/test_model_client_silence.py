"""What a fresh process shows: litellm is loaded late, and neither it nor ceopt prints anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import asyncio, sys, time, traceback
from datetime import UTC, datetime
from pathlib import Path

import judges.cache, judges.client, judges.ledger, judges.prices, judges.tiers
from ceopt_tui.core.ports import Message, ModelRequest, Price, ResolvedModel
from ceopt_tui.errors import CeoptError
from stub_endpoint import StubEndpoint

judges.prices.price_of(ResolvedModel("cheap", "openai/gpt-4o", "openai"))
assert "litellm" not in sys.modules and "openai" not in sys.modules

class Clock:
    def now(self): return datetime.now(UTC)
    def monotonic(self): return time.monotonic()

async def no_sleep(seconds): pass

async def main():
    cache = judges.cache.ReplyCache(Path(sys.argv[1]) / "cache")
    for mode in ("ok", "nousage", "null", "nochoices", "429", "quota", "500", "401echo", "html", "hang"):
        with StubEndpoint(mode) as endpoint:
            ledger = judges.ledger.Ledger()
            async with judges.client.LiteLLMClient(ledger, cache, clock=Clock(), sleep=no_sleep) as client:
                for name in ("openai/acme-judge-9", "openai/gpt-4", "unheard_of/model"):
                    key = "sk-FAKE-ABCDEFGH12345678\\n"
                    model = ResolvedModel("cheap", name, endpoint.api_base, endpoint.api_base, key)
                    params = {"temperature": 0}
                    schema = {"type": "object"}
                    messages = (Message("user", mode),)
                    limits = {"timeout_s": 1.0, "retries": 1}
                    request = ModelRequest("judge", model, messages, params, response_schema=schema, **limits)
                    try:
                        await client.complete(request)
                    except CeoptError:
                        assert "FAKE-ABCDEFGH" not in traceback.format_exc()
    cache.close()

asyncio.run(main())
"""


def test_a_fresh_process_prints_nothing_and_loads_litellm_late(tmp_path: Path) -> None:
    tests = Path(__file__).parents[1]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("LITELLM")}
    environ["PYTHONPATH"] = str(tests)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        env=environ,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"FAKE-ABCDEFGH" not in kept
