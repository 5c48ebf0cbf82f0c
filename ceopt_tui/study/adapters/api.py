"""The `api` harness: one chat call a cell, through the client, ledger and cache of every other call of ceopt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack

from ceopt_tui.core.call_params import over_defaults
from ceopt_tui.core.masking import secrets_in, secrets_of
from ceopt_tui.core.ports import Clock, ResolvedModel
from ceopt_tui.core.study.attempts import Spent
from ceopt_tui.core.study.estimates import Terms
from ceopt_tui.errors import SetupError
from judges.cache import ReplyCache
from judges.client import LiteLLMClient
from judges.ledger import Caps, Ledger, Spend
from judges.prices import price_of, require_price
from judges.tiers import resolve
from judges.user_config import user_config_file
from schemas.records import CallFacts
from schemas.study import BoundTarget, Study
from texttargets.runners.chat import DEFAULT_PARAMS, ChatRunner

VERSION = 1
RETRIES = 2

Models = Mapping[str, ResolvedModel]  # by target id


def models_of(study: Study, environ: Mapping[str, str]) -> Models:
    """The model of every `api` target. SetupError where one is not configured, or a cap on money cannot be held."""
    found = {target.id: _model(target, study, environ) for target in study.bound_targets if target.harness == "api"}
    if study.budget.usd is not None:
        for model in found.values():
            require_price(model, "study.yaml", "`budget.calls` in study.yaml")
    return found


def terms_of(model: ResolvedModel, study: Study) -> Terms:
    """How cells of a model are paid."""
    params = over_defaults(DEFAULT_PARAMS, {**model.params, **study.params})
    limit = params.get("max_tokens", params.get("max_completion_tokens"))
    return Terms(price_of(model), limit if isinstance(limit, int) else DEFAULT_PARAMS["max_tokens"], RETRIES + 1)


class Calls:
    """The account of a study's calls, and what those that failed had cost, for whoever made them."""

    def __init__(self, study: Study, spent: Spent) -> None:
        self._failed: dict[asyncio.Task[object] | None, CallFacts] = {}
        before = Spend(requests=spent.calls, usd_known=spent.usd, unpriced=spent.unpriced, estimated=spent.soft)
        caps = Caps(max_usd=study.budget.usd, max_calls=study.budget.calls)
        self.ledger = Ledger(caps, spent={"task": before}, on_failure=self._keep)

    def failed(self) -> CallFacts:
        """What the call of this task that has just failed had cost: nothing where none of it was sent."""
        nothing = CallFacts(role="task", model="", attempts=0, usd=0.0)
        return self._failed.pop(asyncio.current_task(), nothing)

    async def _keep(self, facts: CallFacts, message: str) -> None:
        self._failed[asyncio.current_task()] = facts


async def client_of(
    calls: Calls,
    stack: AsyncExitStack,
    models: Iterable[ResolvedModel],
    *,
    environ: Mapping[str, str],
    cache: ReplyCache,
    clock: Clock,
    warn: Callable[[str], None],
) -> LiteLLMClient:
    """What sends every chat call of a study; the stack closes it."""
    secrets = secrets_in(environ).union(*(secrets_of(model.params) for model in models))
    client = LiteLLMClient(calls.ledger, cache, clock=clock, secrets=secrets, warn=warn)
    await stack.enter_async_context(client)
    return client


def runners_of(study: Study, models: Models, client: LiteLLMClient) -> dict[str, ChatRunner]:
    """A runner for every model."""
    return {target: ChatRunner(client, model, params=study.params, retries=RETRIES) for target, model in models.items()}


def judge_model(study: Study, environ: Mapping[str, str]) -> ResolvedModel:
    """The model that scores. SetupError where it is not configured, or a cap on money cannot be held."""
    assert study.judge is not None
    model = resolve("judge", study.judge.model, study.models, environ, user_config_file())
    if model is None:
        raise SetupError(
            f"no model is configured for `{study.judge.model}` of the judge",
            "Write it as provider/model, or set CEOPT_MODEL_CHEAP or CEOPT_MODEL_STRONG.",
        )
    if study.budget.usd is not None:
        require_price(model, "study.yaml", "`budget.calls` in study.yaml")
    return model


def _model(target: BoundTarget, study: Study, environ: Mapping[str, str]) -> ResolvedModel:
    model = resolve("task", target.model, study.models, environ, user_config_file())
    if model is None:
        raise SetupError(
            f"no model is configured for `{target.model}` of the target `{target.id}`",
            "Write it as provider/model, or set CEOPT_MODEL_CHEAP or CEOPT_MODEL_STRONG.",
        )
    return model
