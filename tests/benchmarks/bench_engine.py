"""What the engine adds to the time that the calls themselves take.

The engine's pool with the real client, account, cache and journal, beside a plain httpx client on the same endpoint,
and beside litellm alone, which says whose time it is. All make the same calls in turns; the best time of each counts,
since a busy machine only ever adds.
`python tests/benchmarks/bench_engine.py [--calls N] [--delay S] [--concurrency N] [--rounds N]`
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
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

AIM = 1.10
TEXT = {"prompt.md": "Route the message to one of: billing, returns, delivery, other. Answer with the word alone.\n"}


def case(number: int) -> Case:
    return Case(id=f"c{number:04d}", input=f"message {number}: can I still return it?", expected="returns")


def chat(number: int) -> list[dict[str, object]]:
    return [{"role": "system", "content": TEXT["prompt.md"]}, {"role": "user", "content": case(number).input}]


async def pooled_s(send: Callable[[int], Awaitable[None]], calls: int, concurrency: int) -> float:
    """Seconds of the least a pool can do."""
    waiting = list(range(calls))

    async def work() -> None:
        while waiting:
            await send(waiting.pop())

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(concurrency)))
    return time.perf_counter() - began


async def plain_s(api_base: str, calls: int, concurrency: int) -> float:
    """The least a client can do: send, wait, read."""
    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=concurrency), timeout=60) as client:

        async def send(number: int) -> None:
            body = {"model": "bench", "messages": chat(number), "temperature": 0, "max_tokens": 512}
            reply = await client.post(f"{api_base}/chat/completions", json=body)
            assert reply.json()["choices"][0]["message"]["content"] == "returns"

        return await pooled_s(send, calls, concurrency)


async def litellm_s(api_base: str, calls: int, concurrency: int) -> float:
    """What the library takes that ceopt sends its calls through."""
    litellm = await load()

    async def send(number: int) -> None:
        await litellm.acompletion(
            model="openai/bench", messages=chat(number), api_base=api_base, api_key="none", max_retries=0,
            temperature=0, max_tokens=512,
        )  # fmt: skip

    return await pooled_s(send, calls, concurrency)


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


Side = Callable[[str, int, int], Awaitable[float]]
SIDES: dict[str, Side] = {"plain httpx": plain_s, "litellm alone": litellm_s, "ceopt": engine_s}


async def compare(api_base: str, calls: int, concurrency: int, rounds: int) -> dict[str, float]:
    """Best seconds of each side, in turns."""
    await load()
    await engine_s(api_base, 2 * concurrency, concurrency)
    taken: dict[str, list[float]] = {name: [] for name in SIDES}
    for _ in range(rounds):
        for name, side in SIDES.items():
            taken[name].append(await side(api_base, calls, concurrency))
    return {name: min(times) for name, times in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--delay", type=float, default=0.2, help="seconds a reply takes")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with running(given.delay) as api_base:
        best = asyncio.run(compare(api_base, given.calls, given.concurrency, given.rounds))
    plain, ceopt = best["plain httpx"], best["ceopt"]
    what = f"{given.calls} calls of {given.delay * 1000:.0f} ms, {given.concurrency} at a time"
    print(f"engine     {what}, best of {given.rounds}: " + ", ".join(f"{name} {s:.2f} s" for name, s in best.items()))
    print(
        f"           {ceopt / plain:.2f} × plain httpx (aim: {AIM:.2f} ×), "
        f"{ceopt / best['litellm alone']:.2f} × litellm alone"
    )


if __name__ == "__main__":
    main()
