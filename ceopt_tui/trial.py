"""Runs a spec's text once on one case, as a run would: the same model, parameters, reply cache and caps.

Nothing is journaled and nothing is scored; what came out is for a person to look at.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass

import platformdirs

from ceopt_tui.case_filling import syntax_of
from ceopt_tui.core.judging_ports import RecordMark, Sheet, SheetOutcome
from ceopt_tui.core.masking import secrets_in, secrets_of
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Question, RunResult
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.skin import Commit
from ceopt_tui.errors import NeedsPersonError
from ceopt_tui.inputs import Project, open_project
from ceopt_tui.models import Models, resolve_models
from ceopt_tui.pricing import priced_terms
from ceopt_tui.run_options import RunOptions
from ceopt_tui.running_parts import make_runner
from ceopt_tui.system_clock import SystemClock
from ceopt_tui.wiring import bind_all
from judges.cache import ReplyCache
from judges.client import LiteLLMClient
from judges.ledger import Caps, Ledger
from schemas.evalset import Case
from schemas.records import AnyRecord

SMALLEST_USD = 0.0001  # what four decimals can show


@dataclass(frozen=True)
class _Ready:
    """What the spec says now, and the account of all trials made with it."""

    project: Project
    models: Models
    terms: Terms
    ledger: Ledger


class Trial:
    """Trials of one spec; together they stay within its caps."""

    def __init__(self, options: RunOptions) -> None:
        self._options = options
        self._ready: _Ready | None = None

    async def price(self) -> str:
        """With what it would be run and for how much, in a sentence. InputError and SetupError say what is wrong."""
        ready = await self._read()
        usd, model = ready.terms.budget.usd_per_run, ready.models.task
        cost = "for an unknown price" if usd is None else f"for about {usd:.4f} USD"
        if usd is not None and usd < SMALLEST_USD:
            cost = f"for less than {SMALLEST_USD} USD"
        return f"{model.model} at {model.endpoint}, one call {cost}; a reply kept from before costs nothing"

    async def run(self, case: Case) -> RunResult:
        """One call, or its cached reply. Its own failure is a result with `error`; BudgetError past the caps."""
        ready = self._ready or await self._read()
        async with AsyncExitStack() as stack:
            models = await bind_all(ready.models, stack, Nobody())
            folder = self._options.cache_dir or platformdirs.user_cache_path("ceopt") / "replies"
            cache = ReplyCache(folder, lambda _warning: None)
            stack.callback(cache.close)
            secrets = secrets_in(self._options.environ).union(*(secrets_of(model.params) for model in models.all))
            client = LiteLLMClient(
                ready.ledger, cache, clock=SystemClock(), secrets=secrets, warn=lambda _warning: None
            )
            await stack.enter_async_context(client)
            syntax, environ = syntax_of(ready.project), self._options.environ
            runner = make_runner(ready.project, syntax, client, models.task, ready.ledger, cache, environ)
            return await runner.run(ready.project.texts, case, 0)

    async def _read(self) -> _Ready:
        """Text and spec may have been edited since; what was spent counts on."""
        project = await asyncio.to_thread(open_project, self._options.spec_path)
        models = await resolve_models(project, self._options, Nobody())
        models = Models(models.task, None, None, None, models.warnings)
        terms = priced_terms(project, models.task, None, attended=True)
        caps = Caps(terms.budget.usd, terms.budget.calls, None)
        ledger = self._ready.ledger if self._ready else Ledger(caps)
        self._ready = _Ready(project, models, terms, ledger)
        return self._ready


class Nobody:
    """A skin without a person: one question was answered already, before the trial."""

    def opened(self, state: RunState, terms: Terms, commit: Commit | None = None) -> None:
        """No run is opened."""

    def recorded(self, record: AnyRecord) -> None:
        """Nothing is recorded."""

    def progress(self, title: str, done: int, total: int) -> None:
        """One call has no progress."""

    async def ask(self, question: Question) -> str:
        raise NeedsPersonError(f"{question.title} Start the run once and answer there.")

    async def score(self, sheet: Sheet, record: RecordMark) -> SheetOutcome:
        raise NeedsPersonError("a trial has nothing to score")
