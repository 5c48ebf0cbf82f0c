"""The harness `command`: each cell is one start of a program of the user's, such as any other agent.

It reads the prompt from standard input in an empty folder, and prints its reply. What it spends it cannot say: that
is estimated. Its replies are asked for anew each time, since what it is made of is not known here.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from ceopt_tui.agent_clis.sandbox import Sandbox, find_sandbox
from ceopt_tui.core.masking import mask, secrets_in
from ceopt_tui.core.ports import Message, ModelReply, ModelRequest, Price, ResolvedModel, RunResult
from ceopt_tui.core.running_ports import Started
from ceopt_tui.core.visible import one_line
from ceopt_tui.errors import CallFailed, SetupError
from ceopt_tui.programs import program_environment, run_program, workplace
from ceopt_tui.study.adapters.programs import prove_apart
from ceopt_tui.study.probing import Proof
from ceopt_tui.study.prompts import own_text
from judges.prices import require_price
from judges.program_calls import ProgramClient
from schemas.evalset import Case
from schemas.record import CallFacts
from schemas.study import BoundTarget, Study
from texttargets.runners.agent_cell import FOLDER, Look
from texttargets.runners.agent_workspace import write_snapshot
from texttargets.runners.case_messages import case_messages

VERSION = 1
KEPT_BYTES = 1_000_000
LAST_WORDS = 400


def command_models(study: Study, environ: Mapping[str, str]) -> dict[str, ResolvedModel]:
    """What stands for the model of every command, by target. SetupError where a cap on money cannot be held."""
    sandbox = find_sandbox(environ)
    found = {}
    for target in study.bound_targets:
        if target.harness == "command":
            entry = study.models.get(target.model)
            known = entry.usd_per_mtok if entry is not None else None
            price = Price(known.in_, known.out) if known is not None else None
            where = f"the command {shlex.join(target.command)}, {sandbox.words}"
            found[target.id] = ResolvedModel(target.model, target.model, where, price=price, concurrency=4)
    if study.budget.usd is not None:
        for model in found.values():
            require_price(model, "study.yaml", "`budget.calls` in study.yaml")
    return found


class CommandHarness:
    """One target. Implements ports.Runner and probing.Provable."""

    def __init__(
        self,
        target: BoundTarget,
        model: ResolvedModel,
        calls: ProgramClient,
        environ: Mapping[str, str],
        folder: Path,
        hidden: Sequence[Path],
    ) -> None:
        self._target, self._model, self._calls = target, model, calls
        self._environ, self._hidden = environ, tuple(hidden)
        self._sandbox: Sandbox = find_sandbox(environ)
        own = str((folder / target.script).resolve()) if target.script is not None else target.command[0]
        self._words = (own, *target.command[1:])

    async def run(self, texts: Mapping[str, str], case: Case, sample: int) -> RunResult:
        """One start; its own failure is a result with `error`."""
        return await self.work(texts, case, sample, {}, None)

    async def work(
        self, texts: Mapping[str, str], case: Case, sample: int, files: Mapping[str, str], look: Look | None
    ) -> RunResult:
        """One start on a case with files to work on; it may say nothing then."""
        own = own_text(texts)
        [*_, message] = case_messages({own: texts[own]}, case, "user", "none")
        beside = {**files, **{place: text for place, text in texts.items() if place != own}}
        try:
            reply = await self._ask(message.content, sample, beside, look)
        except CallFailed as failure:
            return RunResult("", error=failure.message)
        return RunResult(reply.text, truncated=reply.truncated, facts=reply.facts)

    async def prove(self, token: str) -> Proof:
        """That its sandbox holds."""
        return await prove_apart(self._told, self._sandbox, self._environ, self._hidden, token)

    async def _told(self, words: str, look: Look) -> CallFacts:
        return (await self._ask(words, 0, {}, look)).facts

    async def _ask(self, prompt: str, sample: int, beside: Mapping[str, str], look: Look | None = None) -> ModelReply:
        request = ModelRequest(
            role="task",
            model=self._model,
            messages=(Message("user", prompt),),
            sample=sample,
            timeout_s=self._target.timeout_s,
            retries=0,
            identity={"command": json.dumps(self._words)},
            use_cache=False,
        )
        return await self._calls.complete(request, lambda: self._start(prompt, beside, look))

    async def _start(self, prompt: str, beside: Mapping[str, str], look: Look | None) -> Started:
        try:
            with workplace() as place:
                folder, home = place.root / FOLDER, place.scratch / "home"
                folder.mkdir()
                home.mkdir()
                write_snapshot(folder, beside)
                asked = place.request / "prompt.txt"
                asked.write_text(prompt, encoding="utf-8", errors="replace")
                environment = program_environment(self._environ, self._target.variables) | {"HOME": str(home)}
                boxed = shlex.join(self._sandbox.box(self._words, place, folder))
                ended = await run_program(
                    f"exec {boxed} < {shlex.quote(str(asked))}",
                    place,
                    environment,
                    timeout_s=self._target.timeout_s,
                    cwd=folder,
                    kept_bytes=KEPT_BYTES,
                )
                if look is not None:
                    look(folder)
        except OSError as error:
            raise SetupError(f"`{self._words[0]}` cannot be started: {error}") from error
        secrets = secrets_in(self._environ) | {self._environ.get(name, "") for name in self._target.variables} - {""}
        text = mask(ended.stdout, frozenset(secrets))
        fault = ended.fault or (f"ended with status {ended.status}" if ended.status else "")
        if not fault and not text.strip() and look is None:
            fault = "printed nothing"
        if not fault:
            return Started(text, elapsed_s=ended.elapsed_s)
        words = one_line(mask(ended.stderr.strip()[-LAST_WORDS:], frozenset(secrets)))
        told = f"`{self._words[0]}` {fault}" + (f": {words}" if words else "")
        return Started("", elapsed_s=ended.elapsed_s, trouble="failed", fault=told)
