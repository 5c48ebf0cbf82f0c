"""What every runner promises: chat, claude and codex answer by the text, come from the cache, keep the caps, and fail
by meaning."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from agent_world import AgentWorld, agent_world
from stub_endpoint import StubEndpoint, completion, failure
from triage_project import CONTRACT, LABELS, TriageModel, question

from ceopt_tui.core.ports import ResolvedModel, Runner
from ceopt_tui.errors import AuthError, BudgetError, CeoptError, QuotaError, RateLimitError
from ceopt_tui.system_clock import SystemClock
from judges.cache import ReplyCache
from judges.client import LiteLLMClient
from judges.ledger import Caps, Ledger
from schemas.evalset import Case
from texttargets.runners.agent import AgentText
from texttargets.runners.chat import ChatRunner

KINDS = ("chat", "claude", "codex")
TEXTS = {"AGENTS.md": "Name the queue.\n"}
BETTER = {"AGENTS.md": f"Name the queue.\n{CONTRACT}: {', '.join(LABELS)}.\n"}
PROOF = {"chat": 0, "claude": 1, "codex": 1}  # calls before the first case
CASE = Case(id="c", input=question(4))  # one that fails without the contract


@dataclass
class Chat:
    """The chat runner over an endpoint on this machine."""

    folder: Path
    endpoint: StubEndpoint
    ledger: Ledger
    slept: list[float] = field(default_factory=list)

    @asynccontextmanager
    async def runner(self) -> AsyncIterator[Runner]:
        model = ResolvedModel("cheap", "openai/gpt-4o-mini", "stub", api_base=self.endpoint.api_base, api_key="sk-x")
        cache = ReplyCache(self.folder / "replies")

        async def sleep(seconds: float) -> None:
            self.slept.append(seconds)

        async with LiteLLMClient(self.ledger, cache, clock=SystemClock(), sleep=sleep) as client:
            yield ChatRunner(client, model, timeout_s=20.0)

    @property
    def started(self) -> int:
        return self.endpoint.posts

    def fails(self, status: int, message: str) -> None:
        code = "insufficient_quota" if "quota" in message else None
        self.endpoint.respond = lambda body: failure(status, message, code)


@dataclass
class Agent:
    """An agent runner over a stand-in of the command line."""

    world: AgentWorld

    @asynccontextmanager
    async def runner(self) -> AsyncIterator[Runner]:
        yield self.world.runner(AgentText("agents"))

    @property
    def started(self) -> int:
        return self.world.command.starts

    @property
    def slept(self) -> list[float]:
        return self.world.slept

    def fails(self, status: int, message: str) -> None:
        self.world.command.plays(fault=f"API Error: {status} {message}")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def made(kind: str, folder: Path, stub: StubEndpoint, caps: Caps | None = None) -> Chat | Agent:
    if kind == "chat":
        return Chat(folder, stub, Ledger(caps))
    return Agent(agent_world(kind, folder, caps))


@pytest.fixture
def stub() -> Any:
    with StubEndpoint(respond=TriageModel()) as running:
        yield running


async def test_the_answer_follows_the_text(kind: str, tmp_path: Path, stub: StubEndpoint) -> None:
    async with made(kind, tmp_path, stub).runner() as runner:
        before, after = await runner.run(TEXTS, CASE, 0), await runner.run(BETTER, CASE, 0)
    assert (before.output, after.output) == ("This belongs to billing.", "billing")
    assert before.error is after.error is None and not before.truncated
    assert after.facts is not None and after.facts.role == "task" and after.facts.attempts == 1
    assert after.facts.usd is not None and after.facts.usd > 0 and after.facts.input_tokens > 0


async def test_the_same_sample_is_asked_once_and_another_again(kind: str, tmp_path: Path, stub: StubEndpoint) -> None:
    place = made(kind, tmp_path, stub)
    async with place.runner() as runner:
        first = await runner.run(TEXTS, CASE, 0)
    async with place.runner() as runner:  # a later start of ceopt
        again, other = await runner.run(TEXTS, CASE, 0), await runner.run(TEXTS, CASE, 1)
    assert again.output == first.output and again.facts is not None and other.facts is not None
    assert (again.facts.cached, again.facts.usd, other.facts.cached) == (True, 0.0, False)
    assert place.started == 2 + PROOF[kind]


async def test_no_call_leaves_past_a_cap(kind: str, tmp_path: Path, stub: StubEndpoint) -> None:
    place = made(kind, tmp_path, stub, Caps(max_calls=1 + PROOF[kind]))
    async with place.runner() as runner:
        await runner.run(TEXTS, CASE, 0)
        with pytest.raises(BudgetError):
            await runner.run(TEXTS, CASE, 1)
    assert place.started == 1 + PROOF[kind]


async def test_money_stops_before_the_call_that_could_pass_the_cap(
    kind: str, tmp_path: Path, stub: StubEndpoint
) -> None:
    async with made(kind, tmp_path, stub, Caps(max_usd=1e-7)).runner() as runner:
        with pytest.raises(BudgetError, match="could pass the cap"):
            await runner.run(TEXTS, CASE, 0)


@pytest.mark.parametrize(
    ("status", "message", "error"),
    [
        (401, "invalid api key", AuthError),
        (429, "You exceeded your current quota", QuotaError),
        (429, "rate limit reached", RateLimitError),
    ],
)
async def test_what_ends_a_run_is_raised_by_its_meaning(
    kind: str, tmp_path: Path, stub: StubEndpoint, status: int, message: str, error: type[CeoptError]
) -> None:
    place = made(kind, tmp_path, stub)
    async with place.runner() as runner:
        await runner.run(TEXTS, CASE, 0)
        known = place.started
        place.fails(status, message)
        with pytest.raises(error):
            await runner.run(TEXTS, CASE, 1)
    retried = error is RateLimitError
    assert (place.started - known, len(place.slept)) == ((3, 2) if retried else (1, 0))


async def test_a_call_that_fails_alone_is_a_result_without_output(
    kind: str, tmp_path: Path, stub: StubEndpoint
) -> None:
    place = made(kind, tmp_path, stub)
    async with place.runner() as runner:
        await runner.run(TEXTS, CASE, 0)
        place.fails(400, "the prompt is malformed")
        failed = await runner.run(TEXTS, CASE, 1)
    assert failed.output == "" and failed.error and "malformed" in failed.error and "sk-FAKE" not in failed.error


async def test_an_empty_answer_is_no_output_and_is_asked_again(kind: str, tmp_path: Path, stub: StubEndpoint) -> None:
    place = made(kind, tmp_path, stub)
    async with place.runner() as runner:
        await runner.run(TEXTS, CASE, 0)
        if isinstance(place, Agent):
            place.world.command.plays(text="  ")
        else:
            place.endpoint.respond = lambda body: completion("")
        empty = await runner.run(TEXTS, CASE, 1)
        known = place.started
        assert empty.truncated and empty.error is None
        await runner.run(TEXTS, CASE, 1)
    assert place.started > known
