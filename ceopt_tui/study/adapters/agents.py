"""The harnesses `claude` and `codex`: each cell is one start of the agent's command line, in a folder of its own."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from ceopt_tui.agent_clis.sandbox import Sandbox, find_sandbox
from ceopt_tui.agent_clis.starting import DIALECTS, MOST_AT_ONCE, AgentName, agent_version, check_agent, started_inside
from ceopt_tui.core.ports import ResolvedModel, RunResult
from ceopt_tui.core.study.estimates import Terms
from ceopt_tui.errors import SetupError
from ceopt_tui.study.adapters.programs import prove_apart
from ceopt_tui.study.probing import Proof
from ceopt_tui.study.spending import together
from judges.prices import price_of, require_price
from judges.program_calls import USUAL_TOKENS_IN, USUAL_TOKENS_OUT, ProgramClient
from judges.providers import with_any_key
from judges.tiers import TIER_VARIABLES, resolve
from judges.user_config import user_config_file
from schemas.evalset import Case
from schemas.record import CallFacts
from schemas.spec_metric import LEGACY_TIERS
from schemas.study import BoundTarget, Study, text_kind
from texttargets.runners.agent import AgentRunner, AgentText
from texttargets.runners.agent_cell import AgentCell, Look
from texttargets.runners.canary import IsolationError

VERSION = 1
RETRIES = 2
TIER_NAMES = TIER_VARIABLES.keys() | LEGACY_TIERS.keys()


def agent_models(study: Study, environ: Mapping[str, str]) -> dict[str, ResolvedModel]:
    """The model of every agent, by target. SetupError where it is of another provider, or a cap cannot be held."""
    sandbox = find_sandbox(environ) if any(target.harness in DIALECTS for target in study.bound_targets) else None
    found = {
        target.id: _model(target, study, environ, sandbox)
        for target in study.bound_targets
        if target.harness in DIALECTS and sandbox is not None
    }
    if study.budget.usd is not None:
        for model in found.values():
            require_price(model, "study.yaml", "`budget.calls` in study.yaml")
    return found


def program_terms(model: ResolvedModel) -> Terms:
    """How cells of a program are paid: it adds its own instructions to every prompt."""
    return Terms(price_of(model), USUAL_TOKENS_OUT, RETRIES + 1, USUAL_TOKENS_IN)


def require_agents(study: Study, environ: Mapping[str, str]) -> None:
    """SetupError where an agent is missing, has no login, or would have to start itself."""
    for target in study.bound_targets:
        if target.harness not in DIALECTS:
            continue
        dialect = DIALECTS[cast(AgentName, target.harness)]
        if variable := started_inside(dialect, environ):
            raise SetupError(
                f"ceopt was started by {target.harness} itself ({variable} is set), and an agent does not start itself",
                "Run ceopt in a shell of your own.",
            )
        check_agent(dialect, environ)


class AgentHarness:
    """One target: an agent with a model. Implements ports.Runner and probing.Provable."""

    def __init__(
        self,
        study: Study,
        target: BoundTarget,
        model: ResolvedModel,
        calls: ProgramClient,
        environ: Mapping[str, str],
        hidden: Sequence[Path],
    ) -> None:
        dialect, self._sandbox = DIALECTS[cast(AgentName, target.harness)], find_sandbox(environ)
        self._environ, self._hidden = environ, tuple(hidden)
        self._paid: list[CallFacts] = []
        self._runner = AgentRunner(
            calls,
            AgentCell(dialect, model.model.partition("/")[2], self._sandbox, environ, target.timeout_s),
            model,
            AgentText(text_kind(next(iter(study.texts.values())))),
            identity={"agent": target.harness, "where": model.endpoint},
            booked=self._book,
            machine=socket.gethostname(),
            hidden=hidden,
            timeout_s=target.timeout_s,
            retries=RETRIES,
        )

    async def run(self, texts: Mapping[str, str], case: Case, sample: int) -> RunResult:
        """One start, or its cached reply."""
        return await self._runner.run(texts, case, sample)

    async def work(
        self, texts: Mapping[str, str], case: Case, sample: int, files: Mapping[str, str], look: Look
    ) -> RunResult:
        """One start on a case with files to work on."""
        return await self._runner.work(texts, case, sample, files, look)

    async def prove(self, token: str) -> Proof:
        """That it follows the text under test and no other, and that its sandbox holds."""
        try:
            await self._runner.prove()
        except IsolationError as error:
            hint = "Update it, install bubblewrap, or leave the target out; `ceopt doctor` looks at both."
            raise SetupError(error.message, hint) from error
        proof = await prove_apart(self._told, self._sandbox, self._environ, self._hidden, token)
        return replace(proof, facts=together(self._paid))

    async def _told(self, words: str, look: Look) -> CallFacts:
        facts = (await self._runner.told(words, look)).facts
        self._paid.append(facts)
        return facts

    async def _book(self, facts: CallFacts) -> None:
        self._paid.append(facts)


def _model(target: BoundTarget, study: Study, environ: Mapping[str, str], sandbox: Sandbox) -> ResolvedModel:
    name = cast(AgentName, target.harness)
    dialect = DIALECTS[name]
    bare = "/" not in target.model and target.model not in study.models and target.model not in TIER_NAMES
    asked = f"{dialect.provider}/{target.model}" if bare else target.model  # as the agent itself names it
    model = resolve("task", asked, study.models, with_any_key(environ), user_config_file())
    provider = model.model.partition("/")[0] if model else ""
    if model is None or provider != dialect.provider:
        raise SetupError(
            f"the harness `{name}` of the target `{target.id}` drives models of {dialect.provider}, "
            f"and `{target.model}` means {model.model if model else 'no model'}",
            f"Write `model: {dialect.provider}/NAME`.",
        )
    version = agent_version(dialect, environ) or "not installed"
    endpoint = f"the {name} command line ({version}), {sandbox.words}"
    most = min(model.concurrency, MOST_AT_ONCE)
    return replace(model, endpoint=endpoint, api_base=None, api_key=None, params={}, concurrency=most)
