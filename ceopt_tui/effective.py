"""The configuration in force, for printing: the spec with its defaults, and what else decides a run. Holds no key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ceopt_tui.agent_clis.starting import DIALECTS, AgentName
from ceopt_tui.agent_parts import agent_model, agent_of
from ceopt_tui.case_filling import filling_config
from ceopt_tui.core.call_params import over_defaults
from ceopt_tui.core.masking import mask, masked, redacted, secrets_in
from ceopt_tui.core.ports import ResolvedModel, Role
from ceopt_tui.errors import SetupError
from ceopt_tui.inputs import Project, caps_of, digests, split_of, terms_of
from ceopt_tui.run_options import RunOptions
from ceopt_tui.runner_agent import driven, runner_agent, without_key
from judges.change_reader import DEFAULT_PARAMS as READER_PARAMS
from judges.prices import price_of
from judges.tiers import bare_address, chosen_from, reader_name, resolve
from judges.user_config import user_config_file
from texttargets.proposers.code_editor import DEFAULT_PARAMS as EDITOR_PARAMS
from texttargets.proposers.llm import DEFAULT_PARAMS as PROPOSER_PARAMS
from texttargets.runners.chat import DEFAULT_PARAMS as TASK_PARAMS

JUDGE_PARAMS: Mapping[str, Any] = {"temperature": 0}  # its limit follows from the items of a call


def effective_config(project: Project, options: RunOptions) -> dict[str, Any]:
    """Plain values. Beside the spec's own keys there is `effective`."""
    spec = project.spec
    values: dict[str, Any] = spec.model_dump(mode="json", by_alias=True)
    values["runner"]["params"] = redacted(spec.runner.params)
    for name, entry in spec.models.items():
        values["models"][name]["params"] = redacted(entry.params)
        values["models"][name]["api_base"] = bare_address(entry.api_base) if entry.api_base else None
    values["effective"] = {
        "models": _models(project, options),
        **(_measured_by_command if project.by_command else _measured_by_cases)(project, options),
        "caps": caps_of(spec),
        "user_config": str(user_config_file()),
        "digest_to_approve": digests(project)[0],
    }
    shown: dict[str, Any] = masked(values, secrets_in(options.environ))
    return shown


def _measured_by_cases(project: Project, options: RunOptions) -> dict[str, Any]:
    terms, split = terms_of(project, attended=options.attended, usd_per_run=None), split_of(project)
    return {
        "repeats": terms.reference_runs,
        "caution": project.spec.caution,
        "max_iterations": terms.max_iterations,
        "cases": {"selection": len(split.selection), "held_out": len(split.holdout)},
        "placeholders": filling_config(project),
    }


def _measured_by_command(project: Project, options: RunOptions) -> dict[str, Any]:
    terms = terms_of(project, attended=options.attended, usd_per_run=None)
    command = terms.command
    assert command is not None
    return {
        "repeats": command.repeats,
        "max_iterations": terms.max_iterations,
        "experiments_side_by_side": command.batch,
        "runners_up_a_batch": command.runners_up,
        "held_out": "second_sample" if command.second_sample else "command" if command.holdout else None,
    }


def _models(project: Project, options: RunOptions) -> dict[str, Any]:
    spec = project.spec
    roles: dict[str, Any] = {}
    if not project.by_command:
        roles["task"] = _task(project, options)
        roles["task"] |= {"timeout_s": spec.runner.timeout_s, "retries": spec.runner.retries}
    if spec.proposer.kind == "mechanical":
        roles["proposer"] = {"model": None, "from": "not needed: ideas come without a model"}
    elif spec.proposer.kind == "command":
        roles["proposer"] = {"model": None, "from": "not needed: a command edits, with models of its own"}
    else:
        params = EDITOR_PARAMS if project.by_command else PROPOSER_PARAMS
        model = _role(project, options, "proposer", spec.proposer.model, params)
        roles["proposer"] = _editing(agent, project, options, model) if (agent := _editor(project)) else model
    if spec.metric.judge is not None:
        roles["judge"] = _role(project, options, "judge", spec.metric.judge.model, JUDGE_PARAMS)
    where = (spec.models, options.environ, user_config_file(), options.models)
    roles["reader"] = _role(project, options, "reader", reader_name(*where), READER_PARAMS)
    return roles


def _task(project: Project, options: RunOptions) -> dict[str, Any]:
    """The model that a text runs on. An agent that drives it is given its name and no parameter of a call."""
    name, agent = project.spec.runner.model, runner_agent(project.spec)
    if agent is None:
        return _role(project, options, "task", name, TASK_PARAMS)
    known = replace(options, environ=without_key(project.spec, options.environ))
    found = _role(project, known, "task", name, {})
    try:
        model = resolve("task", name, project.spec.models, known.environ, user_config_file(), options.models)
        at = driven(project.spec, model, options.environ) if model else None
    except SetupError as error:
        return {"agent": agent, **found, "problem": mask(str(error))}
    if at is None:
        return {"agent": agent, **found}
    own: dict[str, Any] = {"endpoint": mask(at.endpoint), "params": {}, "concurrency": at.concurrency}
    return {"agent": agent, **found, **own, "variables": _given(agent, options)}


def _editor(project: Project) -> AgentName | None:
    return agent_of(project.spec) if project.by_command else None


def _editing(agent: AgentName, project: Project, options: RunOptions, stand_in: dict[str, Any]) -> dict[str, Any]:
    """The agent that edits, with all it is given, and the model that takes its place where it fails."""
    spec = project.spec
    name = agent_model(DIALECTS[agent], str(stand_in.get("model") or ""))
    may = "edit files, run nothing" if agent == "claude" else spec.execution.codex_security or "asked before it starts"
    return {
        "agent": agent,
        "model": name,
        "from": stand_in["from"] if name else "the agent's own default",
        "may": may,
        "timeout_s": spec.proposer.timeout_s,
        "variables": _given(agent, options),
        "has_the_ideas": spec.proposer.kind != "llm",
        "stand_in": stand_in,
    }


def _given(agent: AgentName, options: RunOptions) -> list[str]:
    """The variables of the user's that it finds around it, by name."""
    return [name for name in DIALECTS[agent].variables if options.environ.get(name, "").strip()]


def _role(project: Project, options: RunOptions, role: Role, name: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """One role's model with where it was named; what is missing is said, and nothing is raised for it."""
    where = (project.spec.models, options.environ, user_config_file(), options.models)
    chosen, source = chosen_from(role, name, *where)
    said: dict[str, Any] = {"name": name, "model": chosen, "from": source}
    try:
        model = resolve(role, name, *where)
    except SetupError as error:
        return {**said, "problem": mask(str(error))}
    return said if model is None else {**said, **_settings(project, role, model, defaults)}


def _settings(project: Project, role: Role, model: ResolvedModel, defaults: Mapping[str, Any]) -> dict[str, Any]:
    own = project.spec.runner.params if role == "task" else {}
    price = price_of(model)
    return {
        "model": model.model,
        "endpoint": mask(model.endpoint),
        "params": redacted(over_defaults(defaults, {**model.params, **own})),
        "concurrency": model.concurrency,
        "usd_per_mtok": {"in": price.usd_in, "out": price.usd_out} if price else None,
    }
