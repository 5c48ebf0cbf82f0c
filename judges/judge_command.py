"""The work behind `ceopt judge`: scores a file of outputs with a rubric, and nothing else.

Prints nothing and reads no environment of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from ceopt_tui.core.ports import Clock, ResolvedModel
from ceopt_tui.errors import BudgetError, CeoptError, ProviderError, SetupError
from judges.cache import ReplyCache
from judges.client import LiteLLMClient
from judges.items import read_items
from judges.judge import Judge
from judges.judge_rows import JudgeRow, JudgeSummary, RowOrder
from judges.judge_settings import JudgeSettings
from judges.judged_item import JudgedItem
from judges.ledger import Caps, Ledger
from judges.local_binding import bound
from judges.local_model.catalogue import DEFAULT_MODEL
from judges.prices import require_price
from judges.rubric import DEFAULT_SCALE, Rubric, Scale, read_rubric_text, stated_scale
from judges.tiers import TIER_VARIABLES, resolve
from judges.user_config import user_config_file

Warn = Callable[[str], None]


@dataclass(frozen=True)
class JudgeOptions:
    """What the command line says. Without `scale` it is the one the rubric states, else 1-5.

    The command asks for one item per call, so that no item can colour another. It never asks again for a missing
    feedback, since nothing here is built on it.
    """

    items: Path
    rubric: Path
    scale: Scale | None = None
    model: str = "cheap"
    repeats: int = 1
    batch_size: int = 1
    use_cache: bool = True
    cache_dir: Path | None = None
    max_usd: float | None = None
    max_calls: int | None = None


@dataclass(frozen=True)
class JudgePlan:
    """The options with everything they point at read and checked; nothing was sent yet."""

    options: JudgeOptions
    items: tuple[JudgedItem, ...]
    rubric: Rubric
    model: ResolvedModel


def plan_judging(options: JudgeOptions, environ: Mapping[str, str], warn: Warn) -> JudgePlan:
    """Read items, rubric and model. Raises InputError and SetupError."""
    text = read_rubric_text(options.rubric)
    stated = stated_scale(text)
    scale = options.scale or stated or DEFAULT_SCALE
    if stated not in (None, scale):
        warn(f"the rubric speaks of scores {stated}, but the scale in force is {scale}")
    items = read_items(options.items)
    for note in items.notes:
        warn(note)
    model = resolve("judge", options.model, {}, environ, user_config_file(), warn=warn)
    if model is None:
        raise SetupError(
            f"no model is configured for {options.model!r}",
            f"Name one with --model provider/model, set {TIER_VARIABLES.get(options.model, 'CEOPT_MODEL_CHEAP')}, "
            f"or use the model that runs on this machine: --model {DEFAULT_MODEL}.",
        )
    if options.max_usd is not None:
        require_price(model, str(user_config_file()), "--max-calls")
    return JudgePlan(options, items.items, Rubric(text, scale), model)


async def judge_file(
    plan: JudgePlan, *, clock: Clock, warn: Warn, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> AsyncGenerator[JudgeRow | JudgeSummary, None]:
    """Rows in the order of items and repeats, then the summary.

    A provider that stops answering, or a cap that is reached, ends the asking: the rows left are unscored and the
    summary says why. Raises AuthError and SetupError.
    """
    options = plan.options
    ledger = Ledger(Caps(options.max_usd, options.max_calls))
    store = None
    if options.use_cache:
        store = ReplyCache(options.cache_dir or platformdirs.user_cache_path("ceopt") / "replies", warn)
    try:
        async with bound(plan.model) as model:
            settings = JudgeSettings(plan.rubric, model, batch_size=options.batch_size)
            async with (
                LiteLLMClient(ledger, None, clock=clock, sleep=sleep, warn=warn) as client,
                aclosing(_rows(Judge(client, settings, store=store), plan, ledger, warn)) as rows,
            ):
                async for row in rows:
                    yield row
    finally:
        if store is not None:
            store.close()


async def _rows(
    judge: Judge, plan: JudgePlan, ledger: Ledger, warn: Warn
) -> AsyncGenerator[JudgeRow | JudgeSummary, None]:
    order = RowOrder([item.id for item in plan.items], plan.options.repeats)
    dropped: set[str] = set()
    stopped: CeoptError | None = None
    try:
        for sample in range(plan.options.repeats):
            async with aclosing(judge.stream(plan.items, sample)) as parts:
                async for part in parts:
                    _note_dropped(part.dropped - dropped, judge.settings.model.model, warn)
                    dropped |= part.dropped
                    for row in order.add(part):
                        yield row
    except (ProviderError, BudgetError) as error:
        stopped = error
        for row in order.rest(error.message):
            yield row
    yield order.summary(ledger.total, stopped)


def _note_dropped(options: Iterable[str], model: str, warn: Warn) -> None:
    for option in sorted(options):
        consequence = {
            "temperature": "the judge is not deterministic",
            "response_format": "the prompt asks for JSON all the same",
        }.get(option, "it was left out")
        warn(f"{model} refuses the option {option}: {consequence} (dropped: [{option}])")
