"""The coding agent that runs a spec's text, where one does: which, with which model, in a sandbox or not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ceopt_tui.agent_clis.dialect import Dialect
from ceopt_tui.agent_clis.sandbox import NOT_SANDBOXED, find_sandbox
from ceopt_tui.agent_clis.starting import DIALECTS, MOST_AT_ONCE, AgentName, check_agent, started_inside
from ceopt_tui.core.ports import ResolvedModel
from ceopt_tui.errors import SetupError
from judges.providers import with_any_key
from schemas.spec import Spec


def runner_agent(spec: Spec) -> AgentName | None:
    """The agent that runs the text; None where a chat call or a command does."""
    return spec.runner.kind if spec.runner.kind in ("claude", "codex") else None


def driven(spec: Spec, model: ResolvedModel, environ: Mapping[str, str]) -> ResolvedModel:
    """The task model as the spec's agent drives it. SetupError where that agent has no such model.

    Where it runs is named by agent and sandbox: scores from within one and from outside are not mixed in a run.
    """
    name = runner_agent(spec)
    if name is None:
        return model
    dialect, provider = DIALECTS[name], model.model.partition("/")[0]
    if provider != dialect.provider:
        raise SetupError(
            f"`runner.kind: {name}` drives models of {dialect.provider}, and `{spec.runner.model}` means {model.model}",
            f"Write `runner: {{kind: {name}, model: {dialect.provider}/NAME}}`.",
        )
    if _named_address(spec, model):
        raise SetupError(
            f"`models.{spec.runner.model}.api_base` says where {model.model} answers, and {name} is not told that",
            f"Take it off, and set {dialect.variables[-1] if name == 'claude' else 'OPENAI_BASE_URL'} instead.",
        )
    away = "" if model.endpoint == provider else f" by {model.endpoint}"
    endpoint = f"the {name} command line{away}, {find_sandbox(environ).words}"
    most = min(model.concurrency, MOST_AT_ONCE)
    return replace(model, endpoint=endpoint, api_key=None, params={}, concurrency=most)  # it takes no parameters


def _named_address(spec: Spec, model: ResolvedModel) -> bool:
    """Does the spec give the model an address of its own?"""
    entries = (spec.models.get(key) for key in (spec.runner.model, model.name, model.model))
    return any(entry is not None and entry.api_base for entry in entries)


def without_key(spec: Spec, environ: Mapping[str, str]) -> Mapping[str, str]:
    """The environment as it looks to whoever asks for the key of the agent's model: an agent may sign in without."""
    return environ if runner_agent(spec) is None else with_any_key(environ)


def require_agent(spec: Spec, environ: Mapping[str, str]) -> Dialect | None:
    """The agent of the spec, ready to be started. SetupError says what to install, or how to sign in."""
    name = runner_agent(spec)
    if name is None:
        return None
    dialect = DIALECTS[name]
    if variable := started_inside(dialect, environ):
        what = f"ceopt was started by {name} itself ({variable} is set), and an agent does not start itself"
        raise SetupError(what, "Run ceopt in a shell of your own, or write `runner: {kind: chat}`.")
    check_agent(dialect, environ)
    return dialect


def sandbox_notes(spec: Spec, environ: Mapping[str, str]) -> list[str]:
    """What is to be noted of a run without a sandbox."""
    name = runner_agent(spec)
    sandbox = find_sandbox(environ) if name else None
    if sandbox is None or sandbox.program:
        return []
    return [
        f"{name} ran the text not sandboxed ({sandbox.why}): files elsewhere on this machine were not hidden from it"
    ]


def in_sandbox(model: ResolvedModel) -> bool:
    """Does a model that an agent drives answer from within a sandbox?"""
    return not model.endpoint.endswith(NOT_SANDBOXED)


def agent_run_lines(spec: Spec, *, sandboxed: bool) -> list[str]:
    """What a person approves of the agent that runs the text."""
    name = runner_agent(spec)
    if name is None:
        return []
    if sandboxed:
        may = "sandboxed: it runs any command there and sees no file of yours; the network is open to it"
    else:
        commands = "runs no commands" if name == "claude" else "runs commands in a sandbox of its own"
        may = f"{NOT_SANDBOXED}: it {commands}; files elsewhere on this machine are not hidden from it"
    return [
        f"Each case  one start of the {name} command line in an empty folder, with a home of its own,",
        f"           at most {spec.runner.timeout_s:g} s; before the first it is asked what it sees, once or twice",
        f"           {may}",
    ]
