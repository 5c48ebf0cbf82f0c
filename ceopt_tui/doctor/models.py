"""Which model plays each role, and whether it answers. Names variables, never keys; downloads nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.core.masking import mask
from ceopt_tui.core.ports import Clock, Completer, Message, ModelRequest, ResolvedModel, Role
from ceopt_tui.doctor.finding import Finding
from ceopt_tui.errors import CeoptError, InputError
from ceopt_tui.runner_agent import driven, require_agent, runner_agent, without_key
from judges.client import LiteLLMClient
from judges.ledger import Caps, Ledger
from judges.local_binding import bound
from judges.local_model.catalogue import DEFAULT_MODEL
from judges.local_model.weights import present_weights
from judges.prices import require_price
from judges.providers import PROVIDERS
from judges.tiers import READER, TIER_VARIABLES, is_local, resolve
from judges.user_config import user_models
from schemas.spec import Spec

CALL_TIMEOUT_S = 60.0
DEFAULT_NAMES: Mapping[Role, str] = {"task": "cheap", "judge": "cheap", "proposer": "strong"}
QUESTION = "Answer with one word: ready"


@dataclass(frozen=True)
class RoleModel:
    """A model and the roles it plays."""

    roles: tuple[Role, ...]
    model: ResolvedModel


def examine_models(
    environ: Mapping[str, str], config: Path, spec: Spec | None = None
) -> tuple[list[Finding], list[RoleModel]]:
    """Keys that are set and the model behind each role; a model that several roles share comes once."""
    findings = [_keys(environ)]
    try:
        user_models(config)
        there = config.is_file()
        findings.append(Finding("ok" if there else "note", "config", str(config) if there else f"{config}: none yet"))
    except InputError as error:
        return [*findings, Finding("wrong", "config", str(error))], []
    models: list[RoleModel] = []
    for role, name in role_names(spec).items():
        try:
            model = _resolved(role, name, spec, environ, config)
        except CeoptError as error:
            findings.append(Finding("wrong", role, str(error)))
            continue
        if model is None:
            findings.append(_unconfigured(role, name))
            continue
        findings.append(_found(role, name, model, capped=spec is not None and spec.user_cost_cap_usd is not None))
        if role != "task" or spec is None or runner_agent(spec) is None:  # an agent is not asked by a chat call
            models = _with_role(models, role, model)
    return findings, models


def _resolved(
    role: Role, name: str, spec: Spec | None, environ: Mapping[str, str], config: Path
) -> ResolvedModel | None:
    """The model of a role; that of a text which an agent runs as the agent drives it, which must be ready."""
    if spec is None or role != "task":
        return resolve(role, name, spec.models if spec else {}, environ, config)
    require_agent(spec, environ)
    model = resolve(role, name, spec.models, without_key(spec, environ), config)
    return driven(spec, model, environ) if model else None


def role_names(spec: Spec | None) -> Mapping[Role, str]:
    """What each role asks for. A spec without a judge, or with a proposer that asks no model, has no such role."""
    if spec is None:
        return DEFAULT_NAMES
    names: dict[Role, str] = {"task": spec.runner.model}
    if spec.metric.judge is not None:
        names["judge"] = spec.metric.judge.model
    if spec.proposer.asks_model:
        names["proposer"] = spec.proposer.model
    if READER in spec.models:
        names["reader"] = READER
    return names


def _with_role(models: list[RoleModel], role: Role, model: ResolvedModel) -> list[RoleModel]:
    for place, known in enumerate(models):
        if (known.model.model, known.model.endpoint) == (model.model, model.endpoint):
            return [*models[:place], RoleModel((*known.roles, role), known.model), *models[place + 1 :]]
    return [*models, RoleModel((role,), model)]


def _keys(environ: Mapping[str, str]) -> Finding:
    names = [name for provider in PROVIDERS.values() for name in (*provider.keys, *provider.bases)]
    present = [name for name in dict.fromkeys(names) if environ.get(name, "").strip()]
    return Finding("note", "keys", f"set: {', '.join(present)}" if present else "no key of a known provider is set")


def _found(role: Role, name: str, model: ResolvedModel, *, capped: bool) -> Finding:
    """A cap in money cannot be held without a price; a judge has a cap of its own and no part in a run of checks."""
    if capped and role != "judge":
        try:
            require_price(model)
        except CeoptError as error:
            return Finding("wrong", role, f"{name} → {model.model}: {error}")
    return Finding("ok", role, f"{name} → {model.model} at {model.endpoint}")


def _unconfigured(role: Role, name: str) -> Finding:
    variable = TIER_VARIABLES[name]
    if role == "proposer":
        return Finding("note", role, f"no model, so ideas come without one; {variable}=provider/model names one")
    text = f"no model: set {variable}=provider/model, or name {DEFAULT_MODEL}"
    return Finding("wrong" if role == "task" else "note", role, text)


async def try_models(models: Sequence[RoleModel], clock: Clock, secrets: Iterable[str]) -> list[Finding]:
    """One call each. A local model is tried only when its weights are here."""
    said: list[str] = []
    hidden = frozenset(secrets)
    async with LiteLLMClient(Ledger(Caps()), None, clock=clock, secrets=hidden, warn=said.append) as client:
        findings = await asyncio.gather(*(_tried(one, client, hidden) for one in models))
    return [*findings, *(Finding("note", "models", text) for text in said)]


async def _tried(one: RoleModel, client: Completer, secrets: frozenset[str]) -> Finding:
    subject, name = " and ".join(one.roles), one.model.model
    try:
        if is_local(one.model) and await asyncio.to_thread(present_weights, name) is None:
            return Finding("note", subject, f"{name} was not tried: it is not downloaded")
        async with bound(one.model) as model:
            question = (Message("user", QUESTION),)
            reply = await client.complete(
                ModelRequest(one.roles[0], model, question, timeout_s=CALL_TIMEOUT_S, retries=0)
            )
    except CeoptError as error:
        return Finding("wrong", subject, mask(str(error), secrets))
    if reply.truncated:
        return Finding("wrong", subject, f"{name} gave an empty or cut-off reply")
    price = "price unknown" if reply.facts.usd is None else f"{reply.facts.usd:.6f} USD"
    return Finding("ok", subject, f"{name} answered in {reply.facts.latency_s:.1f} s, {price}")
