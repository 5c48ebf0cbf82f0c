"""Every target of a study with what runs its cells: stand-ins, chat calls, programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import platformdirs

from ceopt_tui.agent_clis.starting import DIALECTS
from ceopt_tui.core.ports import Clock, ResolvedModel, Runner
from ceopt_tui.core.study.estimates import Terms
from ceopt_tui.study.adapters.agents import AgentHarness, agent_models, program_terms
from ceopt_tui.study.adapters.api import Calls, client_of, judge_model, models_of, runners_of, terms_of
from ceopt_tui.study.adapters.command import CommandHarness, command_models
from ceopt_tui.study.adapters.mock import MockRunner
from ceopt_tui.study.adapters.mock_weak import MockWeakRunner
from ceopt_tui.study.judging import StudyJudging
from ceopt_tui.study.probing import Provable
from judges.cache import ReplyCache
from judges.local_binding import bound
from judges.program_calls import ProgramClient
from judges.tiers import is_local
from schemas.study import PROGRAMS, Study
from schemas.study_loading import LoadedStudy

JUDGE = "the judge"  # among models; no target has a blank in its id


@dataclass
class Harnesses:
    """What runs the cells of each target, by its id; `provable` are those that are programs."""

    runners: dict[str, Runner] = field(default_factory=dict)
    provable: dict[str, Provable] = field(default_factory=dict)
    judging: StudyJudging | None = None


def all_models(study: Study, environ: Mapping[str, str]) -> dict[str, ResolvedModel]:
    """The model behind every target that has one. SetupError where one is not configured or cannot be capped."""
    programs = command_models(study, environ) if any(_is("command", study)) else {}
    judge = {JUDGE: judge_model(study, environ)} if study.judge is not None else {}
    return {**models_of(study, environ), **agent_models(study, environ), **programs, **judge}


def all_terms(study: Study, models: Mapping[str, ResolvedModel]) -> dict[str, Terms]:
    """How cells of every such target are paid."""
    programs = {target.id for target in study.bound_targets if target.harness in PROGRAMS}
    return {
        target: program_terms(model) if target in programs else terms_of(model, study)
        for target, model in models.items()
    }


async def make_harnesses(
    loaded: LoadedStudy,
    models: Mapping[str, ResolvedModel],
    calls: Calls,
    stack: AsyncExitStack,
    *,
    environ: Mapping[str, str],
    cache_folder: Path | None,
    clock: Clock,
    warn: Callable[[str], None],
) -> Harnesses:
    """All of them; what they hold open the stack closes."""
    study, made = loaded.study, Harnesses()
    for target in study.bound_targets:
        if target.harness == "mock":
            made.runners[target.id] = MockRunner()
        elif target.harness == "mock-weak":
            made.runners[target.id] = MockWeakRunner(study.seed)
    if not models:
        return made
    cache = ReplyCache(cache_folder or platformdirs.user_cache_path("ceopt") / "replies", warn)
    stack.callback(cache.close)
    models = await _served(models, stack, warn)
    chats = {target.id: models[target.id] for target in study.bound_targets if target.harness == "api"}
    if chats or JUDGE in models:
        asked = [*chats.values(), *(models[name] for name in models if name == JUDGE)]
        client = await client_of(calls, stack, asked, environ=environ, cache=cache, clock=clock, warn=warn)
        made.runners |= runners_of(study, chats, client)
        if JUDGE in models:
            made.judging = StudyJudging(loaded, models[JUDGE], client, cache)
    programs = ProgramClient(calls.ledger, cache)
    hidden = [(loaded.folder / name).resolve() for name in loaded.files]
    for target in study.bound_targets:
        if target.harness in DIALECTS:
            agent = AgentHarness(study, target, models[target.id], programs, environ, hidden)
            made.runners[target.id] = made.provable[target.id] = agent
        elif target.harness == "command":
            command = CommandHarness(target, models[target.id], programs, environ, loaded.folder, hidden)
            made.runners[target.id] = made.provable[target.id] = command
    return made


async def _served(
    models: Mapping[str, ResolvedModel], stack: AsyncExitStack, warn: Callable[[str], None]
) -> dict[str, ResolvedModel]:
    """All of them with an address; an embedded one gets its server, one for all who use it."""
    found: dict[str, ResolvedModel] = {}
    addresses: dict[str, ResolvedModel] = {}
    for name, model in models.items():
        if not is_local(model):
            found[name] = model
            continue
        if model.model not in addresses:
            warn(f"{model.model} runs on this machine; its weights are fetched where they are not here yet")
            addresses[model.model] = await stack.enter_async_context(bound(model))
        found[name] = replace(addresses[model.model], name=model.name, params=model.params)
    return found


def _is(harness: str, study: Study) -> list[bool]:
    return [target.harness == harness for target in study.bound_targets]
