"""Runs a text on one case as one chat call to a pinned model. It sends what it is given and judges nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ceopt_tui.core.call_params import over_defaults
from ceopt_tui.core.ports import Completer, Message, ModelRequest, ResolvedModel, RunResult
from ceopt_tui.errors import CallFailed
from schemas.evalset import Case
from texttargets.runners.case_messages import TextRole, case_messages
from texttargets.target_file import for_model

DEFAULT_PARAMS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 512}


class ChatRunner:
    """The `chat` runner: text as system message, as user message before the input, or as a template of the input."""

    def __init__(
        self,
        completer: Completer,
        model: ResolvedModel,
        *,
        role: TextRole = "system",
        syntax: str = "none",
        params: Mapping[str, Any] | None = None,
        timeout_s: float = 60.0,
        retries: int = 2,
        references: Mapping[str, str] | None = None,
    ) -> None:
        self._completer = completer
        self._model = model
        self._role = role
        self._syntax = syntax
        self._params = over_defaults(DEFAULT_PARAMS, {**model.params, **(params or {})})
        self._timeout_s = timeout_s
        self._retries = retries
        self._references = "".join(reference_block(path, text) for path, text in (references or {}).items())

    async def run(self, texts: Mapping[str, str], case: Case, sample: int) -> RunResult:
        """One logical call; its own failure is a result with `error`, what ends the run is raised."""
        request = ModelRequest(
            role="task",
            model=self._model,
            messages=self.messages(texts, case),
            params=self._params,
            sample=sample,
            timeout_s=self._timeout_s,
            retries=self._retries,
        )
        try:
            reply = await self._completer.complete(request)
        except CallFailed as failure:
            return RunResult("", error=failure.message)
        return RunResult(reply.text, truncated=reply.truncated, facts=reply.facts)

    def messages(self, texts: Mapping[str, str], case: Case) -> tuple[Message, ...]:
        """What the model is sent for a case."""
        return case_messages(texts, case, self._role, self._syntax, self._references)


def reference_block(path: str, text: str) -> str:
    """A file the text refers to, as it follows the text; what stands in it is never filled in."""
    return f'\n\n<file path="{path}">\n{for_model(text).rstrip()}\n</file>'
