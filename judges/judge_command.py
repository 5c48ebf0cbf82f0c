"""The work behind `ceopt judge`: scores a file of outputs with a rubric, and nothing else.

Prints nothing and reads no environment of its own.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from ceopt_tui.core.figures import counted
from ceopt_tui.core.ports import Clock, ResolvedModel
from ceopt_tui.errors import BudgetError, CeoptError, InputError, Problem, ProviderError, SetupError
from judges.against import pair_up
from judges.cache import ReplyCache
from judges.client import LiteLLMClient
from judges.items import Items, read_items
from judges.judge import Judge
from judges.judge_rows import JudgeRow, JudgeSummary, RowOrder
from judges.judge_settings import JudgeSettings, Method, require_levels
from judges.judged_item import JudgedItem
from judges.ledger import Caps, Ledger
from judges.local_binding import bound
from judges.local_model.catalogue import DEFAULT_MODEL
from judges.pairwise import Pair
from judges.prices import require_price
from judges.rubric import DEFAULT_SCALE, Rubric, Scale, read_rubric_text, stated_scale
from judges.sampling import draw
from judges.tiers import TIER_VARIABLES, resolve
from judges.user_config import user_config_file

Warn = Callable[[str], None]


@dataclass(frozen=True)
class JudgeOptions:
    """What the command line says. Without `scale` it is the one the rubric states, else 1-5.

    `sample` items are judged, all where it is None and there are no `strata`: of each (bucket, count) as many as
    `count`, then what is missing to `sample` from all the others. `against` is a second file to compare with.

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
    method: Method = "auto"
    sample: int | None = None
    seed: int = 42
    strata: tuple[tuple[str, int], ...] = ()
    against: Path | None = None


@dataclass(frozen=True)
class JudgePlan:
    """The options with everything they point at read and checked; nothing was sent yet.

    `pairs` are the items with their partners in the file to compare with, where there is one.
    """

    options: JudgeOptions
    items: tuple[JudgedItem, ...]
    rubric: Rubric
    model: ResolvedModel
    pairs: tuple[Pair, ...] = ()


def plan_judging(options: JudgeOptions, environ: Mapping[str, str], warn: Warn) -> JudgePlan:
    """Read items, rubric and model. Raises InputError and SetupError."""
    text = read_rubric_text(options.rubric)
    stated = stated_scale(text)
    scale = options.scale or stated or DEFAULT_SCALE
    if stated not in (None, scale):
        warn(f"the rubric speaks of scores {stated}, but the scale in force is {scale}")
    require_levels(options.method, scale)
    items = read_items(options.items)
    for note in items.notes:
        warn(note)
    pairs = _pairs(options, items, warn) if options.against is not None else ()
    model = resolve("judge", options.model, {}, environ, user_config_file(), warn=warn)
    if model is None:
        raise SetupError(
            f"no model is configured for {options.model!r}",
            f"Name one with --model provider/model, set {TIER_VARIABLES.get(options.model, 'CEOPT_MODEL_CHEAP')}, "
            f"or use the model that runs on this machine: --model {DEFAULT_MODEL}.",
        )
    if options.max_usd is not None:
        require_price(model, str(user_config_file()), "--max-calls")
    drawn = _drawn(options, items, [pair.id for pair in pairs] or [item.id for item in items.items], warn)
    return JudgePlan(
        options,
        tuple(item for item in items.items if item.id in drawn),
        Rubric(text, scale),
        model,
        tuple(pair for pair in pairs if pair.id in drawn),
    )


def _pairs(options: JudgeOptions, items: Items, warn: Warn) -> tuple[Pair, ...]:
    assert options.against is not None
    others = read_items(options.against)
    pairs, notes = pair_up(items.items, others.items, options.against)
    for note in (*others.notes, *notes):
        warn(note)
    return pairs


def _drawn(options: JudgeOptions, items: Items, ids: Sequence[str], warn: Warn) -> frozenset[str]:
    """The ids that are judged; says which of how many, and which bucket is too small."""
    if options.sample is None and not options.strata:
        return frozenset(ids)
    held = Counter(items.buckets.get(item_id) for item_id in ids)
    for bucket, count in options.strata:
        if held[bucket] < count:
            warn(f"the bucket {bucket} has {counted(held[bucket], 'item')}, not the {count} wanted")
    pool = [(item_id, items.buckets.get(item_id)) for item_id in ids]
    drawn = frozenset(draw(pool, options.sample or 0, options.strata, options.seed))
    if not drawn:
        raise InputError([Problem(str(options.items), 0, "bucket", "no item was drawn")], "Ask for a larger sample.")
    warn(f"judging {len(drawn)} of {counted(len(ids), 'item')}, drawn with seed {options.seed}")
    return drawn


@dataclass(frozen=True)
class OpenJudge:
    """All that judging needs, connected."""

    client: LiteLLMClient
    ledger: Ledger
    settings: JudgeSettings
    store: ReplyCache | None


@asynccontextmanager
async def open_judge(
    plan: JudgePlan, *, clock: Clock, warn: Warn, sleep: Callable[[float], Awaitable[None]]
) -> AsyncGenerator[OpenJudge, None]:
    """Open cache, model and client of a plan, and close them again."""
    options = plan.options
    ledger = Ledger(Caps(options.max_usd, options.max_calls))
    store = None
    if options.use_cache:
        store = ReplyCache(options.cache_dir or platformdirs.user_cache_path("ceopt") / "replies", warn)
    try:
        async with (
            bound(plan.model) as model,
            LiteLLMClient(ledger, None, clock=clock, sleep=sleep, warn=warn) as client,
        ):
            settings = JudgeSettings(plan.rubric, model, batch_size=options.batch_size, method=options.method)
            yield OpenJudge(client, ledger, settings, store)
    finally:
        if store is not None:
            store.close()


async def judge_file(
    plan: JudgePlan, *, clock: Clock, warn: Warn, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> AsyncGenerator[JudgeRow | JudgeSummary, None]:
    """Rows in the order of items and repeats, then the summary.

    A provider that stops answering, or a cap that is reached, ends the asking: the rows left are unscored and the
    summary says why. Raises AuthError and SetupError.
    """
    async with open_judge(plan, clock=clock, warn=warn, sleep=sleep) as opened:
        judge = Judge(opened.client, opened.settings, store=opened.store)
        async with aclosing(_rows(judge, plan, opened.ledger, warn)) as rows:
            async for row in rows:
                yield row


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
                    note_dropped(part.dropped - dropped, judge.settings.model.model, warn)
                    dropped |= part.dropped
                    for row in order.add(part):
                        yield row
    except (ProviderError, BudgetError) as error:
        stopped = error
        for row in order.rest(error.message):
            yield row
    yield order.summary(ledger.total, stopped)


def note_dropped(options: Iterable[str], model: str, warn: Warn) -> None:
    """Say which options a provider refuses, and what follows from it."""
    for option in sorted(options):
        consequence = {
            "temperature": "the judge is not deterministic",
            "response_format": "the prompt asks for JSON all the same",
        }.get(option, "it was left out")
        warn(f"{model} refuses the option {option}: {consequence} (dropped: [{option}])")
