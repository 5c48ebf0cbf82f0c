"""Every target of a study with what runs its cells: stand-ins, chat calls, programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from ceopt_tui.agent_clis.starting import DIALECTS
from ceopt_tui.core.ports import Clock, ResolvedModel, Runner
from ceopt_tui.core.study.estimates import Terms
from ceopt_tui.study.adapters.agents import AgentHarness, agent_models, program_terms
from ceopt_tui.study.adapters.api import Calls, models_of, runners_of, terms_of
from ceopt_tui.study.adapters.command import CommandHarness, command_models
from ceopt_tui.study.adapters.mock import MockRunner
from ceopt_tui.study.adapters.mock_weak import MockWeakRunner
from ceopt_tui.study.probing import Provable
from judges.cache import ReplyCache
from judges.program_calls import ProgramClient
from schemas.study import PROGRAMS, Study
from schemas.study_loading import LoadedStudy


@dataclass
class Harnesses:
    """What runs the cells of each target, by its id; `provable` are those that are programs."""

    runners: dict[str, Runner] = field(default_factory=dict)
    provable: dict[str, Provable] = field(default_factory=dict)


def all_models(study: Study, environ: Mapping[str, str]) -> dict[str, ResolvedModel]:
    """The model behind every target that has one. SetupError where one is not configured or cannot be capped."""
    programs = command_models(study, environ) if any(_is("command", study)) else {}
    return {**models_of(study, environ), **agent_models(study, environ), **programs}


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
    chats = {target.id: models[target.id] for target in study.bound_targets if target.harness == "api"}
    made.runners |= await runners_of(study, chats, calls, stack, environ=environ, cache=cache, clock=clock, warn=warn)
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


def _is(harness: str, study: Study) -> list[bool]:
    return [target.harness == harness for target in study.bound_targets]
