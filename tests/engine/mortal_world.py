"""A world whose process may die at any call of a port, before or after it took effect, and at any record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fakes import FakeBackend, FakeProposer, FakeRunner, FakeSkin

from ceopt_tui.core.ports import Question, RunResult
from ceopt_tui.errors import BudgetError, CallFailed, GitError
from schemas.records import AnyRecord


class Power(BaseException):
    """The process is gone: nothing may catch it."""


@dataclass
class Fuse:
    """Counts the moments at which a process could die; it dies at the one that `left` says."""

    left: int | None = None

    @property
    def blown(self) -> bool:
        return self.left is not None and self.left < 0

    def moment(self) -> None:
        if self.left is None:
            return
        self.left -= 1
        if self.left < 0:
            raise Power


@dataclass
class Weather:
    """What may fail for a while, and how often it did."""

    outage: bool = False
    git_down: bool = False
    failed: int = 0


@dataclass
class MortalRunner:
    """Runs at most `cap` calls in all, as the real ledger would; each takes a second."""

    inner: FakeRunner
    fuse: Fuse
    weather: Weather
    cap: int
    advance: Any
    completed: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    spent: int = 0
    refused: int = 0

    async def run(self, texts: Mapping[str, str], case: Any, sample: int) -> RunResult:
        self.fuse.moment()
        if self.spent >= self.cap:
            self.refused += 1
            raise BudgetError("the cap is reached")
        self.advance(1.0)
        self.spent += 1
        if self.weather.outage:
            self.weather.failed += 1
            return RunResult("", error="connection refused")
        result = await self.inner.run(texts, case, sample)
        self.completed[next(iter(texts.values())), case.id, sample] += 1
        self.fuse.moment()
        return result


@dataclass
class MortalProposer(FakeProposer):
    """Has ideas until the process dies or the network does."""

    fuse: Fuse = field(default_factory=Fuse)
    weather: Weather = field(default_factory=Weather)

    async def hypotheses(self, brief: Any, wanted: int) -> Any:
        self._go()
        found = await super().hypotheses(brief, wanted)
        self.fuse.moment()
        return found

    async def propose(self, brief: Any, idea: Any, refused: Any) -> Any:
        self._go()
        draft = await super().propose(brief, idea, refused)
        self.fuse.moment()
        return draft

    def _go(self) -> None:
        self.fuse.moment()
        if self.weather.outage:
            self.weather.failed += 1
            raise CallFailed("no answer within 60 s", reason="timeout")


@dataclass
class MortalBackend(FakeBackend):
    """Commits may be made by a process that dies before it can say so."""

    fuse: Fuse = field(default_factory=Fuse)
    weather: Weather = field(default_factory=Weather)

    def prepare(self, base_sha: str, paths: Sequence[str]) -> None:
        self._go()
        super().prepare(base_sha, paths)
        self.fuse.moment()

    def keep(self, *args: Any) -> str:
        self._go()
        sha = super().keep(*args)
        self.fuse.moment()
        return sha

    def publish(self, files: Mapping[str, bytes], message: str) -> str:
        self._go()
        sha = super().publish(files, message)
        self.fuse.moment()
        return sha

    def _go(self) -> None:
        self.fuse.moment()
        if self.weather.git_down:
            self.weather.failed += 1
            raise GitError("git took too long")


@dataclass
class MortalSkin(FakeSkin):
    """The process may die right after a record, and while a person thinks."""

    fuse: Fuse = field(default_factory=Fuse)

    def recorded(self, record: AnyRecord) -> None:
        super().recorded(record)
        self.fuse.moment()

    async def ask(self, question: Question) -> str:
        self.fuse.moment()
        return await super().ask(question)
