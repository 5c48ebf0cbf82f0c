"""Which model plays which part in a run: resolved once, named in the journal, and one that nobody chose never taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from ceopt_tui.agent_clis.starting import DIALECTS
from ceopt_tui.core.masking import mask, redacted
from ceopt_tui.core.ports import Question, ResolvedModel, Role
from ceopt_tui.engine.skin import Skin
from ceopt_tui.errors import InputError, SetupError
from ceopt_tui.inputs import Project
from ceopt_tui.run_options import RunOptions
from ceopt_tui.runner_agent import driven, runner_agent, without_key
from judges.family import kin
from judges.local_model.catalogue import DEFAULT_MODEL
from judges.prices import price_of, require_price
from judges.tiers import READER, reader_name, resolve
from judges.user_config import user_config_file
from schemas.loading import unattended_problems
from schemas.records import ModelBound
from schemas.spec import Spec

Find = Callable[[Role, str], ResolvedModel | None]


@dataclass(frozen=True)
class Models:
    """The models of a run; no proposer model means that ideas come without one, no judge that checks score."""

    task: ResolvedModel
    proposer: ResolvedModel | None
    judge: ResolvedModel | None = None
    namer: ResolvedModel | None = None  # of failure themes: work for the cheap tier
    warnings: tuple[str, ...] = ()
    reader: ResolvedModel | None = None  # of changes, before they are kept with nobody watching

    @property
    def all(self) -> tuple[ResolvedModel, ...]:
        """Every model that may be called."""
        every = (self.task, self.proposer, self.judge, self.namer, self.reader)
        return tuple(model for model in every if model is not None)


async def resolve_models(project: Project, options: RunOptions, skin: Skin) -> Models:
    """The models of this run; the embedded one is offered to a person and never taken silently."""
    _require_cap(project, options)
    spec = project.spec
    _require_variables(spec, options.environ)
    warnings: list[str] = []
    find = _finder(spec, options.environ, options.models, warnings.append)
    task = _task_model(spec, options.environ, options.models, warnings.append)
    if task is None:
        task = await _embedded(project, options, skin)
    proposer = find("proposer", spec.proposer.model) if spec.proposer.asks_model else None
    if proposer is None and spec.proposer.kind == "llm":
        raise SetupError(
            f"no model is configured for the proposer ({spec.proposer.model})",
            "Set CEOPT_MODEL_STRONG=provider/model, or use `proposer: {kind: mechanical}`, which needs no model.",
        )
    judge = judge_of(spec, find, task)
    namer = (find("proposer", "cheap") or proposer) if judge and proposer else None
    models = Models(task, proposer, judge, namer, tuple(warnings))
    _require_prices(spec, models)
    return models


def _finder(
    spec: Spec,
    environ: Mapping[str, str],
    overrides: Mapping[str, str] | None,
    warn: Callable[[str], None] = lambda message: None,
) -> Find:
    return partial(
        resolve,
        spec_models=spec.models,
        environ=environ,
        user_config_path=user_config_file(),
        overrides=overrides,
        warn=warn,
    )


def _task_model(
    spec: Spec,
    environ: Mapping[str, str],
    overrides: Mapping[str, str] | None,
    warn: Callable[[str], None] = lambda message: None,
) -> ResolvedModel | None:
    """The model that the text runs on, as a chat call reaches it or as an agent drives it."""
    task = _finder(spec, without_key(spec, environ), overrides, warn)("task", spec.runner.model)
    if task is not None:
        return driven(spec, task, environ)
    if agent := runner_agent(spec):
        raise SetupError(
            f"no model is configured for `{spec.runner.model}`, which {agent} is to run on",
            f"Write `runner: {{kind: {agent}, model: {DIALECTS[agent].provider}/NAME}}`.",
        )
    return None


def judge_of(spec: Spec, find: Find, task: ResolvedModel | None) -> ResolvedModel | None:
    """The judge's model, None where checks or a command score. SetupError when it is not configured."""
    if not spec.is_judged or spec.metric.judge is None:
        return None
    name = spec.metric.judge.model
    judge = find("judge", name)
    if judge is None and name == spec.runner.model:  # a person chose the model for this very name
        judge = task
    if judge is None:
        raise SetupError(
            f"no model is configured for the judge ({name})",
            f"Set CEOPT_MODEL_{name.upper()}=provider/model, or name one in metric.judge.model."
            if name in {"cheap", "strong"}
            else f"Name it as provider/model in `models.{name}`.",
        )
    return judge


def _require_cap(project: Project, options: RunOptions) -> None:
    """A judged run that nobody watches must have a limit on its cost; its labels may be in the run's own journal."""
    found = [] if options.attended else unattended_problems(project.loaded)
    problems = [problem for problem in found if problem.key.endswith("max_total_cost_usd")]
    if problems:
        raise InputError(problems)


def _require_variables(spec: Spec, environ: Mapping[str, str]) -> None:
    """A command that lacks the key of its model would only fail after the baseline was paid for."""
    missing = [name for name in spec.proposer.environment if not environ.get(name, "").strip()]
    if missing and spec.proposer.kind == "command":
        raise SetupError(
            f"`proposer.environment` names {', '.join(missing)}, which is not set",
            "Set it, or take it off the list.",
        )


def _require_prices(spec: Spec, models: Models) -> None:
    """A cap in money that the user set cannot be held for a model without a price."""
    if spec.user_cost_cap_usd is not None:
        for model in models.all:
            require_price(model)
    elif spec.judge_cost_cap_usd is not None and models.judge is not None:
        require_price(models.judge)


async def _embedded(project: Project, options: RunOptions, skin: Skin) -> ResolvedModel:
    name = project.spec.runner.model
    if not options.attended:
        raise SetupError(
            f"no model is configured for `{name}`: set CEOPT_MODEL_CHEAP=provider/model and its key, "
            f"or name {DEFAULT_MODEL} for the embedded one"
        )
    message = (
        f"No model is configured for `{name}`.\n\nceopt can run {DEFAULT_MODEL} on this machine: no key, no cost, "
        "about 0.5 GB to download once. It is small: plain, format-heavy tasks in English only.\n"
        "For any other model set CEOPT_MODEL_CHEAP=provider/model and its key, then start again."
    )
    answer = await skin.ask(Question("model", "Which model?", message, "Use the embedded model?", ("use it", "stop")))
    if answer != "use it":
        raise SetupError("no model was chosen", "Set CEOPT_MODEL_CHEAP=provider/model and start again.")
    model = resolve("task", DEFAULT_MODEL, {}, options.environ, None)
    assert model is not None
    return model


def with_reader(models: Models, project: Project, options: RunOptions) -> Models:
    """The models with one that reads changes before they are kept; at the keyboard a person does."""
    if options.attended:
        return models
    warnings: list[str] = []
    known = replace(models, reader=reader_of(project.spec, options, models.proposer, warnings.append))
    _require_prices(project.spec, known)
    return replace(known, warnings=(*models.warnings, *warnings))


def reader_of(
    spec: Spec, options: RunOptions, author: ResolvedModel | None, warn: Callable[[str], None]
) -> ResolvedModel | None:
    """A strong model that did not write the changes: what it says of its own work would be worth nothing."""
    where = (spec.models, options.environ, user_config_file(), options.models)
    reader = resolve(READER, reader_name(*where), *where, warn=warn)
    if reader is None or author is None or reader.model != author.model:
        return reader
    if reader.name == READER:
        warn(f"`models.reader` is {author.model}, which writes the changes: it does not read them as well")
    return None


def models_if_known(
    project: Project, environ: Mapping[str, str], overrides: Mapping[str, str] | None = None
) -> Models | None:
    """The models a run would use as things are configured now; None when one is missing."""
    spec = project.spec
    find = _finder(spec, environ, overrides)
    try:
        task = _task_model(spec, environ, overrides)
        proposer = find("proposer", spec.proposer.model) if spec.proposer.asks_model else None
        if task is None or (proposer is None and spec.proposer.kind == "llm"):
            return None
        return Models(task, proposer, judge_of(spec, find, task))
    except SetupError:
        return None


def bound_models(models: Models) -> tuple[ModelBound, ...]:
    """The models as the journal names them; no address with a port of the day, no key, nothing that headers hold."""
    roles: tuple[tuple[Role, ResolvedModel | None], ...] = (
        ("task", models.task),
        ("proposer", models.proposer),
        ("judge", models.judge),
        ("reader", models.reader),
    )
    kindred = kin(models.judge, models.task, models.proposer) if models.judge else ()
    return tuple(
        ModelBound(
            role=role,
            name=model.name,
            model=model.model,
            endpoint=mask(model.endpoint),
            params=redacted(model.params),
            usd_per_mtok=price_in_record(model),
            kin=kindred if role == "judge" else (),
        )
        for role, model in roles
        if model is not None
    )


def price_in_record(model: ResolvedModel) -> tuple[float, float] | None:
    """US dollars per million tokens, in and out; None where nobody knows."""
    price = price_of(model)
    return (price.usd_in, price.usd_out) if price else None
