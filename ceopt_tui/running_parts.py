"""Who runs a spec's text on a case: a chat call, or a coding agent's command line with all it needs."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Mapping

from ceopt_tui.agent_clis.dialect import Dialect
from ceopt_tui.agent_clis.sandbox import find_sandbox
from ceopt_tui.agent_clis.starting import agent_version
from ceopt_tui.core.ports import Completer, ResolvedModel, Runner
from ceopt_tui.inputs import Project
from ceopt_tui.runner_agent import require_agent
from judges.cache import ReplyCache
from judges.ledger import Ledger
from judges.program_calls import ProgramClient
from schemas.records import CallFacts
from texttargets.runners.agent import AgentRunner, AgentText
from texttargets.runners.agent_cell import AgentCell
from texttargets.runners.chat import ChatRunner

Booked = Callable[[CallFacts], Awaitable[None]]


async def not_booked(facts: CallFacts) -> None:
    """For whoever keeps no journal."""


def make_runner(
    project: Project,
    syntax: str,
    client: Completer,
    task: ResolvedModel,
    ledger: Ledger,
    cache: ReplyCache | None,
    environ: Mapping[str, str],
    booked: Booked = not_booked,
) -> Runner:
    """The runner of the spec's text. SetupError where its agent is missing or has no login."""
    dialect = require_agent(project.spec, environ)
    if dialect is not None:
        return _agent_runner(dialect, project, syntax, task, ProgramClient(ledger, cache), environ, booked)
    target, runner = project.spec.target, project.spec.runner
    assert target is not None
    return ChatRunner(
        client,
        task,
        role=target.role,
        syntax=syntax,
        params=runner.params,
        timeout_s=runner.timeout_s,
        retries=runner.retries,
        references=project.references,
    )


def _agent_runner(
    dialect: Dialect,
    project: Project,
    syntax: str,
    task: ResolvedModel,
    calls: ProgramClient,
    environ: Mapping[str, str],
    booked: Booked,
) -> AgentRunner:
    target, runner, sandbox = project.spec.target, project.spec.runner, find_sandbox(environ)
    assert target is not None
    version = agent_version(dialect, environ) or "unknown"
    return AgentRunner(
        calls,
        AgentCell(dialect, task.model.partition("/")[2], sandbox, environ, runner.timeout_s),
        task,
        AgentText(target.kind, target.role, syntax, project.references),
        identity={"agent": dialect.executable, "version": version, "where": sandbox.words},
        booked=booked,
        machine=socket.gethostname(),
        hidden=[project.loaded.file, *(one.file for one in project.evalsets)],
        timeout_s=runner.timeout_s,
        retries=runner.retries,
    )
