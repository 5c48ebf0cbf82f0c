"""What the engine adds to the time that the calls themselves take.

The engine's pool with the real client, account, cache and journal, beside a plain httpx client on the same endpoint;
both make the same calls in turns. The best time of each counts, since a busy machine only ever adds.
`python tests/benchmarks/bench_engine.py [--calls N] [--delay S] [--concurrency N] [--rounds N]`
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from slow_endpoint import running

from ceopt_tui.core.plan.actions import Measure, PlannedRun
from ceopt_tui.core.ports import Price, ResolvedModel
from ceopt_tui.engine.measuring import Pool
from ceopt_tui.engine.session import Session, open_session
from ceopt_tui.system_clock import SystemClock
from judges.cache import ReplyCache
from judges.client import LiteLLMClient, load
from judges.ledger import Caps, Ledger
from schemas.evalset import Case
from schemas.records import CallStarted, RunStarted
from texttargets.checks import check_output
from texttargets.runners.chat import ChatRunner

MOST = 1.10
TEXT = {"prompt.md": "Route the message to one of: billing, returns, delivery, other. Answer with the word alone.\n"}


def case(number: int) -> Case:
    return Case(id=f"c{number:04d}", input=f"message {number}: can I still return it?", expected="returns")


async def plain_s(api_base: str, calls: int, concurrency: int) -> float:
    """Seconds of the least a client can do: send, wait, read."""
    waiting = list(range(calls))
    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=concurrency), timeout=60) as client:

        async def work() -> None:
            while waiting:
                messages = [
                    {"role": "system", "content": TEXT["prompt.md"]},
                    {"role": "user", "content": case(waiting.pop()).input},
                ]
                body = {"model": "bench", "messages": messages, "temperature": 0, "max_tokens": 512}
                reply = await client.post(f"{api_base}/chat/completions", json=body)
                assert reply.json()["choices"][0]["message"]["content"] == "returns"

        began = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(concurrency)))
        return time.perf_counter() - began


async def engine_s(api_base: str, calls: int, concurrency: int) -> float:
    """Seconds of one measurement: every call accounted for, cached, scored and on disk."""
    with TemporaryDirectory() as folder, open_session(Path(folder), SystemClock(), lambda _record: None) as session:
        await session.recorder.commit(_started())
        cases = {one.id: one for one in map(case, range(calls))}
        cache = ReplyCache(Path(folder) / "replies")
        async with LiteLLMClient(_ledger(session), cache, clock=SystemClock()) as client:
            model = ResolvedModel(
                "cheap", "openai/bench", api_base, api_base, "none", price=Price(1, 1), concurrency=concurrency
            )
            runner = ChatRunner(client, model)
            pool = Pool(
                session.recorder,
                runner,
                lambda one, output: check_output(one, output, None),
                cases,
                concurrency,
                lambda _title, _done, _total: None,
            )
            runs = tuple(PlannedRun("text", name, 0, "baseline") for name in cases)
            began = time.perf_counter()
            await pool.measure(Measure(runs, "baseline"))
            took_s = time.perf_counter() - began
        cache.close()
        assert session.state.runs.scored == calls
        assert session.state.spend.calls == calls
        return took_s


def _ledger(session: Session) -> Ledger:
    async def started(record: CallStarted) -> None:
        await session.recorder.commit(record)

    return Ledger(Caps(max_usd=1000.0), on_start=started)


def _started() -> RunStarted:
    return RunStarted(
        run_id="bench",
        name="bench",
        ceopt_version="0",
        repository="",
        spec_file="",
        spec_digest="",
        approval_digest="",
        measurement_digest="",
        base_sha="",
        branch="",
        texts=TEXT,
        text_digest="text",
        seed=7,
    )


async def compare(api_base: str, calls: int, concurrency: int, rounds: int) -> tuple[float, float]:
    """Best seconds of (plain, engine), in turns."""
    await load()
    await engine_s(api_base, 2 * concurrency, concurrency)
    sides: dict[Callable[..., object], list[float]] = {plain_s: [], engine_s: []}
    for _ in range(rounds):
        for side, times in sides.items():
            times.append(await side(api_base, calls, concurrency))  # type: ignore[misc]
    return min(sides[plain_s]), min(sides[engine_s])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--delay", type=float, default=0.2, help="seconds a reply takes")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with running(given.delay) as api_base:
        plain, engine = asyncio.run(compare(api_base, given.calls, given.concurrency, given.rounds))
    ratio = engine / plain
    what = f"{given.calls} calls of {given.delay * 1000:.0f} ms, {given.concurrency} at a time"
    print(f"engine     {what}, best of {given.rounds}")
    print(f"           plain httpx {plain:.2f} s, ceopt {engine:.2f} s: {ratio:.2f} × (at most {MOST:.2f} ×)")
    return int(ratio > MOST)


if __name__ == "__main__":
    sys.exit(main())
