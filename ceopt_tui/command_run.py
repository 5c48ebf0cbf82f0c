"""Wires a run that a command measures: bench, editor, shelf and models, from its spec, and lets the engine go."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import platformdirs

from ceopt_tui.accounts import ledger_of
from ceopt_tui.agent_clis.dialect import Access
from ceopt_tui.agent_parts import agent_access, agent_of, make_agent_editor
from ceopt_tui.command_approval import command_approval_lines
from ceopt_tui.command_models import CommandModels, bound_command_models, resolve_command_models
from ceopt_tui.core.command_ports import Editor, Workers
from ceopt_tui.core.masking import secrets_in, secrets_of
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Completer, ResolvedModel
from ceopt_tui.ended import ended_run
from ceopt_tui.engine.backends.bench import BenchSetting, CommandBench
from ceopt_tui.engine.backends.making import WorktreeMaker
from ceopt_tui.engine.backends.shelf import GitShelf
from ceopt_tui.engine.backends.worktree import WorktreeBackend
from ceopt_tui.engine.ending import EndableSkin
from ceopt_tui.engine.loop import Run, TickResult
from ceopt_tui.engine.paid_calls import JournaledCompleter
from ceopt_tui.engine.parts import CommandParts, Parts
from ceopt_tui.engine.session import Session, open_session
from ceopt_tui.engine.skin import Skin
from ceopt_tui.gitops.hub import Hub
from ceopt_tui.inputs import run_inputs, terms_of
from ceopt_tui.journal.folders import claim
from ceopt_tui.project import Project
from ceopt_tui.proposing_parts import command_setting
from ceopt_tui.remote.dispatch import CommandDispatcher, DaskDispatcher, Dispatcher
from ceopt_tui.remote.workers import GitWorkers
from ceopt_tui.run_options import RunOptions
from ceopt_tui.run_places import BENCH, WORKTREES, approve_ahead, folder_of, start_over
from ceopt_tui.serving import bind_model
from ceopt_tui.support import notes
from ceopt_tui.system_clock import SystemClock
from ceopt_tui.tidying import tidy_ended
from ceopt_tui.version import VERSION
from ceopt_tui.worker_run import carry_out_alone
from judges.cache import ReplyCache
from judges.change_reader import ModelReader
from judges.client import LiteLLMClient
from judges.items_judge import CommandItemsJudge, Draw
from judges.judge_settings import JudgeSettings
from judges.ledger import Ledger
from judges.outside_calls import OutsideAccount
from schemas.command_records import Workload
from schemas.spec_execution import Remote
from texttargets.proposers.code_editor import CodeEditor
from texttargets.proposers.command_editor import CommandEditor

# Below the state folder: what workers elsewhere were given, and copies of what they delivered.
DISPATCHED, RESULTS = "dispatched", "results"

EDIT_S = 3600.0  # that a worker may take before its first sample

# Text parts that a run measured by a command does not have; nothing of it asks for one.
NOT_HERE: Any = None


async def run_command_tick(project: Project, options: RunOptions, skin: Skin) -> TickResult:
    """One tick of the run that `project` describes."""
    folder = folder_of(project, options)
    # A person who chooses what comes of the outcome may choose to go on: that takes all of the run's parts.
    ended = None if options.wrap_up else ended_run(project, options, folder, SystemClock())
    if ended is not None:
        await tidy_ended(project, folder, ended.state)
        skin.opened(ended.state, ended.terms)
        return ended.result
    models = resolve_command_models(project, options)
    inputs = run_inputs(project, command_approval_lines(project, models))
    agreed = start_over(project, folder, inputs, options.approve) if options.fresh else ()
    claim(folder, repository_root=project.repository.root, git_common_dir=project.repository.git_common_dir)
    skin = EndableSkin(skin, folder)
    with open_session(folder, SystemClock(), skin.recorded) as session:
        async with _parts(project, models, session, options, skin) as parts:
            skin.opened(session.state, parts.terms, session.recorder.commit)
            if agreed and not options.attended:  # a person who is there is asked
                await session.recorder.commit(*agreed)
            if options.approve:
                await approve_ahead(session, project, options.approve, by="--approve")
            return await Run(session, inputs, parts, skin.progress).tick(options.max_active_s, options.max_ticks)


@asynccontextmanager
async def _parts(
    project: Project, models: CommandModels, session: Session, options: RunOptions, skin: Skin
) -> AsyncIterator[Parts]:
    warnings = [*models.warnings]
    async with AsyncExitStack() as stack:
        bound = await _bound(models, stack, skin)
        cache = ReplyCache(options.cache_dir or platformdirs.user_cache_path("ceopt") / "replies", warnings.append)
        stack.callback(cache.close)
        ledger = ledger_of(session, project, bound.judge)
        secrets = secrets_in(options.environ).union(*(secrets_of(one.params) for one in bound.all))
        client = LiteLLMClient(ledger, cache, clock=SystemClock(), secrets=secrets, warn=warnings.append)
        await stack.enter_async_context(client)
        completer = JournaledCompleter(client, session.recorder)
        access = await agent_access(project, session, options, skin)
        editor = _editor(project, bound, completer, ledger, session, options, skin, access, warnings)
        judge = _items_judge(project, bound, client, cache)
        parts = _command_parts(project, editor, judge, session, options, warnings)
        yield Parts(
            terms=_terms(project, bound, options, remote=parts.workers is not None),
            runner=NOT_HERE,
            scorer=NOT_HERE,
            proposer=NOT_HERE,
            guard=NOT_HERE,
            prober=NOT_HERE,
            examiner=NOT_HERE,
            case_proposer=NOT_HERE,
            text_digest=NOT_HERE,
            backend=WorktreeBackend(project.repository, session.folder / WORKTREES, project.spec.name),
            asker=skin,
            clock=SystemClock(),
            models=bound_command_models(bound),
            concurrency=1,
            state_folder=session.folder,
            version=VERSION,
            remarks=(*project.loaded.notes, *notes(project.loaded)),
            notes=warnings,
            command=parts,
            reader=None if bound.reader is None else ModelReader(completer, bound.reader),
            wake=options.wake,
        )


def _terms(project: Project, models: CommandModels, options: RunOptions, *, remote: bool) -> Terms:
    """The planner's terms; where no worker elsewhere can be reached, what is made here is measured here."""
    terms = terms_of(project, attended=options.attended, usd_per_run=None)
    assert terms.command is not None
    command = replace(terms.command, remote=remote)
    return replace(terms, command=command, reader=models.reader is not None, wrapping=options.wrap_up)


def _items_judge(
    project: Project, models: CommandModels, completer: Completer, cache: ReplyCache
) -> CommandItemsJudge | None:
    """The judge of what the command prints; its calls go on record with its scores."""
    spec, rubric = project.spec.metric.judge, project.rubric
    if spec is None or rubric is None or models.judge is None:
        return None
    settings = JudgeSettings(
        rubric,
        models.judge,
        batch_size=spec.batch_size,
        seed=spec.sample_seed,
        method=spec.scoring.method,
        singleton_rubric=project.singleton_rubric,
    )
    strata = [(stratum.bucket, stratum.count) for stratum in spec.stratification or ()]
    drawing = Draw(spec.sample_size, strata, spec.singleton_sample, project.spec.max_unscored)
    return CommandItemsJudge(completer, settings, drawing, store=cache)


async def _bound(models: CommandModels, stack: AsyncExitStack, skin: Skin) -> CommandModels:
    """All models with an address; one that plays several parts is served once."""
    served: dict[str, ResolvedModel] = {}
    for model in models.all:
        if model.model not in served:
            served[model.model] = await bind_model(model, stack, skin)

    def address(model: ResolvedModel | None) -> ResolvedModel | None:
        return replace(served[model.model], name=model.name, params=model.params) if model else None

    return replace(models, editor=address(models.editor), judge=address(models.judge), reader=address(models.reader))


def _command_parts(
    project: Project,
    editor: Editor,
    judge: CommandItemsJudge | None,
    session: Session,
    options: RunOptions,
    warnings: list[str],
) -> CommandParts:
    git, repository, judging = asyncio.Lock(), project.repository, project.spec.metric.judge
    return CommandParts(
        bench=CommandBench(repository, session.folder / BENCH, bench_setting(project, options), git),
        maker=WorktreeMaker(repository, session.folder / WORKTREES, editor, git, hidden_files(project)),
        shelf=GitShelf(repository, project.spec.name),
        workers=_workers(project, session, options, warnings),
        judge=judge,
        sample_seed=judging.sample_seed if judging else 0,
        confirmation_seed=(judging.confirmation_seed or 0) if judging else 0,
    )


def _workers(project: Project, session: Session, options: RunOptions, warnings: list[str]) -> Workers | None:
    """Workers elsewhere, where the spec wants them and there is a way to reach them; else experiments run here."""
    execution = project.spec.execution
    if execution.backend != "remote":
        return None
    remote = execution.remote or Remote()
    dispatcher: Dispatcher
    if remote.dispatch == "command" and remote.command is not None:
        dispatcher = CommandDispatcher(remote.command, session.folder / DISPATCHED, options.environ)
    elif remote.scheduler is not None:
        dispatcher = DaskDispatcher(remote.scheduler, carry_out_alone)
    else:
        warnings.append("no scheduler and no command is named in `execution.remote`: experiments run on this machine")
        return None
    measurement = project.spec.measurement
    return GitWorkers(
        project.repository,
        Hub(project.repository, remote.remote),
        dispatcher,
        project.spec,
        session.folder / RESULTS,
        deadline_s=60 * remote.deadline_minutes
        if remote.deadline_minutes is not None
        else EDIT_S + 2 * (_pairs_owed(project) + 1) * measurement.timeout_seconds,
    )


def _pairs_owed(project: Project) -> int:
    """Samples of each side that a worker owes."""
    command = terms_of(project, attended=False, usd_per_run=None).command
    assert command is not None
    return command.repeats


def bench_setting(project: Project, options: RunOptions) -> BenchSetting:
    """The commands of the spec with what they find around them: the user's own environment, as in their shell."""
    measurement, parallel = project.spec.measurement, project.spec.parallel
    commands: dict[Workload, str] = {"selection": measurement.command or ""}
    if smoke := measurement.stability.ladder.smoke_command:
        commands["smoke"] = smoke
    if measurement.holdout:
        commands["holdout"] = measurement.holdout.command
    return BenchSetting(
        commands,
        working_directory=measurement.working_directory,
        timeout_s=measurement.timeout_seconds,
        environment=dict(options.environ),
        port_variable=parallel.port_env_var,
        port_base=parallel.port_base,
        shared_files=parallel.shared_files,
        secrets=secrets_in(options.environ),
    )


def hidden_files(project: Project) -> tuple[str, ...]:
    """What editors do not find in their checkouts: the spec, and a file that a held-out command names."""
    root, spec = project.repository.root.resolve(), project.loaded.file.resolve()
    inside = [spec.relative_to(root).as_posix()] if spec.is_relative_to(root) else []
    holdout = project.spec.measurement.holdout
    words = holdout.command.split() if holdout else []
    return (*inside, *(word for word in words if _is_file(root, word)))


def _is_file(root: Path, word: str) -> bool:
    try:
        return (root / word).is_file() and (root / word).resolve().is_relative_to(root)
    except (OSError, ValueError):
        return False


def _editor(
    project: Project,
    models: CommandModels,
    completer: Completer,
    ledger: Ledger,
    session: Session,
    options: RunOptions,
    skin: Skin,
    access: Access,
    warnings: list[str],
) -> Editor:
    """Who edits: the spec's command, a coding agent, or a model."""
    setting = command_setting(project, options.environ)
    account = OutsideAccount(ledger, session.recorder.commit)
    if setting is not None:
        return CommandEditor(setting, account, skin.progress, secrets_in(options.environ))
    model, edits = models.editor, project.spec.proposer.edits
    by_model = CodeEditor(completer, model, edits) if model is not None else None
    if agent_of(project.spec):
        say = warnings.append
        return make_agent_editor(project, access, model, by_model, account, session, options, skin, say)
    assert by_model is not None
    return by_model
