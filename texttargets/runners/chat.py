"""Runs a text on one case as one chat call to a pinned model. It sends what it is given and judges nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ceopt_tui.core.call_params import over_defaults
from ceopt_tui.core.ports import Completer, Message, ModelRequest, ResolvedModel, RunResult
from ceopt_tui.errors import CallFailed
from schemas.evalset import Case
from texttargets.placeholders import fill, find_placeholders
from texttargets.strict_json import as_text
from texttargets.target_file import for_model

TextRole = Literal["system", "user", "template"]
DEFAULT_PARAMS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 512}
WHOLE_INPUT = "input"  # the placeholder that takes an input that is one text


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
        self._references = "".join(_reference(path, text) for path, text in (references or {}).items())

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
        """What the model is sent for a case; several target files follow one another in the order of their names."""
        text = "\n\n".join(for_model(texts[path]) for path in sorted(texts))
        if self._role == "template":
            return (Message("user", fill(text, self._values(text, case), self._syntax)),)
        text, question = self._apart(text, case)
        text += self._references
        if self._role == "user" or not question or not text.strip():
            return (Message("user", "\n\n".join(part for part in (text.rstrip("\n"), question) if part)),)
        return (Message("system", text), Message("user", question))

    def _values(self, text: str, case: Case) -> Mapping[str, Any]:
        """A text fills the one placeholder there is, or `input` where there are several."""
        if isinstance(case.input, dict):
            return case.input
        names = {mark.name for mark in find_placeholders(text, self._syntax) if mark.name}
        name = names.pop() if len(names) == 1 else WHOLE_INPUT
        return {name: case.input}

    def _apart(self, text: str, case: Case) -> tuple[str, str]:
        """The text with what it asks for filled in, and the rest of the input as the user's words."""
        if isinstance(case.input, str):
            return text, case.input
        asked = {(mark.name or "").split(".")[0].split("[")[0] for mark in find_placeholders(text, self._syntax)}
        rest = {key: value for key, value in case.input.items() if key not in asked}
        if len(rest) == 1:
            question = as_text(next(iter(rest.values())))
        else:
            question = "\n".join(f"{key}: {as_text(value)}" for key, value in rest.items())
        return fill(text, {key: value for key, value in case.input.items() if key in asked}, self._syntax), question


def _reference(path: str, text: str) -> str:
    """A file the text refers to, as it follows the text; what stands in it is never filled in."""
    return f'\n\n<file path="{path}">\n{for_model(text).rstrip()}\n</file>'
