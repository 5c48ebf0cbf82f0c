"""The one place that knows every part: builds a run's parts from its spec and lets the engine go."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import platformdirs

from ceopt_tui.accounts import ledger_of
from ceopt_tui.approval import approval_lines
from ceopt_tui.command_run import run_command_tick
from ceopt_tui.core.coverage_carried import RuleAt
from ceopt_tui.core.masking import secrets_in, secrets_of
from ceopt_tui.core.plan.terms import ScoringOnly, Terms
from ceopt_tui.core.ports import Completer, ResolvedModel
from ceopt_tui.ended import ended_run
from ceopt_tui.engine.backends.worktree import WorktreeBackend
from ceopt_tui.engine.begin import with_recorded_syntax
from ceopt_tui.engine.coverage import with_coverage
from ceopt_tui.engine.ending import EndableSkin
from ceopt_tui.engine.loop import Run, TickResult
from ceopt_tui.engine.paid_calls import JournaledCompleter
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.session import Session, open_session
from ceopt_tui.engine.skin import Skin
from ceopt_tui.guarding import guard_of, remarker_of
from ceopt_tui.inputs import Project, open_project, pruned, run_inputs
from ceopt_tui.journal.folders import claim
from ceopt_tui.judging_parts import lacking, make_judging
from ceopt_tui.models import Models, bound_models, models_if_known, resolve_models, with_reader
from ceopt_tui.named_files import labels_file
from ceopt_tui.pricing import priced_terms
from ceopt_tui.proposing_parts import cut_off, make_proposer
from ceopt_tui.run_options import RunOptions
from ceopt_tui.run_places import (
    WORKTREES,
    approve_ahead,
    folder_of,
    mapped,
    refuse_unmapped_pruning,
    start_over,
)
from ceopt_tui.runner_agent import sandbox_notes
from ceopt_tui.running_parts import make_runner
from ceopt_tui.serving import bind_model
from ceopt_tui.support import notes
from ceopt_tui.system_clock import SystemClock
from ceopt_tui.tidying import tidy_ended
from ceopt_tui.version import VERSION
from judges.cache import ReplyCache
from judges.change_reader import ModelReader
from judges.client import LiteLLMClient
from judges.outside_calls import OutsideAccount
from schemas.records import AnyRecord, CallFacts, CallFinished
from texttargets.ablation import removals
from texttargets.case_writer import CaseWriter
from texttargets.checks import check_output
from texttargets.harness import harness_findings
from texttargets.shortcuts import probe_scorer
from texttargets.target_file import text_digest


async def run_tick(options: RunOptions, skin: Skin) -> TickResult:
    """One tick of the run that `options.spec_path` describes."""
    project = project_of(options)
    if project.by_command:
        return await run_command_tick(project, options, skin)
    folder = folder_of(project, options)
    if models_if_known(project, options.environ, options.models) is None:
        ended = ended_run(project, options, folder, SystemClock())
        if ended is not None:
            await tidy_ended(project, folder, ended.state)
            skin.opened(ended.state, ended.terms)
            return ended.result
    refuse_unmapped_pruning(project)
    models = with_reader(await resolve_models(project, options, skin), project, options)
    inputs = run_inputs(project, approval_lines(project, models.task, models.proposer, models.judge, models.reader))
    inputs = covered(inputs, project)
    agreed = start_over(project, folder, inputs, options.approve) if options.fresh else ()
    claim(folder, repository_root=project.repository.root, git_common_dir=project.repository.git_common_dir)
    skin = EndableSkin(skin, folder)
    with open_session(folder, SystemClock(), skin.recorded) as session:
        inputs = with_recorded_syntax(inputs, session.state)
        async with _parts(project, inputs, models, session, options, skin) as parts:
            skin.opened(session.state, parts.terms, session.recorder.commit)
            if agreed and not options.attended:  # a person who is there is asked
                await session.recorder.commit(*agreed)
            if options.approve:
                await approve_ahead(session, project, options.approve, by="--approve")
            run = Run(session, inputs, parts, skin.progress)
            return await run.tick(options.max_active_s, options.max_ticks)


def project_of(options: RunOptions) -> Project:
    """The project that is run: as its spec says, or to be pruned."""
    project = open_project(options.spec_path)
    return mapped(pruned(project) if options.prune else project, options)


async def commit_alone(options: RunOptions, record: AnyRecord) -> None:
    """Puts one record on a run that nobody works on now. BusyError when somebody does."""
    with open_session(folder_of(project_of(options), options), SystemClock(), lambda _record: None) as session:
        await session.recorder.commit(record)


def covered(inputs: RunInputs, project: Project) -> RunInputs:
    """The inputs with what is known of the text's coverage."""
    rules = removals(project.texts, inputs.syntax)
    present = [RuleAt(one.path, one.rule.id, one.rule.line, one.rule.words) for one in rules]
    return with_coverage(inputs, project.coverage, present, protect=project.protects, pruning=project.pruning)


def coverage_lines(project: Project) -> tuple[str, ...]:
    """What an approval says of the text's coverage."""
    return covered(run_inputs(project, ()), project).approval_lines


@asynccontextmanager
async def _parts(
    project: Project, inputs: RunInputs, models: Models, session: Session, options: RunOptions, skin: Skin
) -> AsyncIterator[Parts]:
    warnings = [*models.warnings, *cut_off(project, session.state), *sandbox_notes(project.spec, options.environ)]
    async with AsyncExitStack() as stack:
        bound_to = await bind_all(models, stack, skin)
        cache = ReplyCache(options.cache_dir or platformdirs.user_cache_path("ceopt") / "replies", warnings.append)
        stack.callback(cache.close)
        ledger = ledger_of(session, project, bound_to.judge)
        client = LiteLLMClient(
            ledger,
            cache,
            clock=SystemClock(),
            secrets=secrets_in(options.environ).union(*(secrets_of(one.params) for one in bound_to.all)),
            warn=warnings.append,
        )
        await stack.enter_async_context(client)
        completer = JournaledCompleter(client, session.recorder)
        account = OutsideAccount(ledger, session.recorder.commit)

        async def booked(facts: CallFacts) -> None:
            await session.recorder.commit(CallFinished(facts=facts))

        yield Parts(
            terms=_terms(project, bound_to, session, options),
            runner=make_runner(project, inputs.syntax, client, bound_to.task, ledger, cache, options.environ, booked),
            scorer=lambda case, output: check_output(case, output, None),
            proposer=make_proposer(project, completer, bound_to.proposer, options, account, skin),
            guard=guard_of(project, inputs),
            remarker=remarker_of(project, inputs),
            reader=_reader(completer, bound_to.reader),
            prober=lambda left_out: probe_scorer([case for case in project.cases if case.id not in left_out], None),
            examiner=harness_findings,
            case_proposer=CaseWriter(completer, None if options.prune else bound_to.proposer),
            text_digest=text_digest,
            backend=WorktreeBackend(project.repository, session.folder / WORKTREES, project.spec.name),
            asker=skin,
            clock=SystemClock(),
            models=bound_models(bound_to),
            concurrency=bound_to.task.concurrency,
            state_folder=session.folder,
            version=VERSION,
            remarks=(*project.loaded.notes, *notes(project.loaded)),
            notes=warnings,
            judging=make_judging(project, bound_to, client, completer, cache),
            labels_file=labels_file(project.loaded),
            wake=options.wake,
        )


def _reader(completer: Completer, model: ResolvedModel | None) -> ModelReader | None:
    return None if model is None else ModelReader(completer, model)


def _terms(project: Project, models: Models, session: Session, options: RunOptions) -> Terms:
    """The planner's terms with prices, and what this tick is for."""
    terms = priced_terms(project, models.task, models.proposer, models.judge, attended=options.attended)
    terms = replace(terms, reader=models.reader is not None, wrapping=options.wrap_up)
    if terms.judge is None:
        return terms
    judge = replace(terms.judge, lacking=lacking(project))
    return replace(terms, judge=judge, scoring=_scoring(session, options))


def _scoring(session: Session, options: RunOptions) -> ScoringOnly | None:
    """A tick for a person's scores alone begins with the first sheet that is not done."""
    if options.scoring is None:
        return None
    prefix = "calibration-" if options.scoring == "calibration" else "final-"
    done = sum(sheet.startswith(prefix) for sheet in session.state.judging.closed_sheets)
    return ScoringOnly(options.scoring, done + 1)


async def bind_all(models: Models, stack: AsyncExitStack, skin: Skin) -> Models:
    """All models with an address; one that plays several parts is served once."""
    served: dict[str, ResolvedModel] = {}
    for model in models.all:
        if model.model not in served:
            served[model.model] = await bind_model(model, stack, skin)

    def address(model: ResolvedModel | None) -> ResolvedModel | None:
        return replace(served[model.model], name=model.name, params=model.params) if model else None

    task = address(models.task)
    assert task is not None
    return replace(
        models,
        task=task,
        proposer=address(models.proposer),
        judge=address(models.judge),
        namer=address(models.namer),
        reader=address(models.reader),
    )
