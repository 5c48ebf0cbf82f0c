"""The editor of code that is a model: it sees the files that may change, and its edits are applied exactly or not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ceopt_tui.core.call_params import over_defaults
from ceopt_tui.core.command_ports import Edited, Recipe
from ceopt_tui.core.ports import (
    Completer,
    HypothesisDraft,
    Message,
    ModelReply,
    ModelRequest,
    ProposalRefused,
    Refusal,
    ResolvedModel,
)
from ceopt_tui.errors import CallFailed, ProposalError
from texttargets.proposers.code_files import code_files
from texttargets.proposers.code_prompt import edit_messages, ideas_messages
from texttargets.proposers.code_reply import EDIT_SCHEMA, IDEAS_SCHEMA, accept, parse_change, parse_ideas
from texttargets.proposers.code_writing import wanted_files, write_files

DEFAULT_PARAMS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 8192}
OUTAGES = frozenset({"server error", "connection", "timeout"})
TIMEOUT_S = 300.0


class CodeEditor:
    """Implements command_ports.Editor with a model; `edits` is how many an experiment may make."""

    name = "llm"

    def __init__(self, completer: Completer, model: ResolvedModel, edits: int = 4) -> None:
        self._completer = completer
        self._model = model
        self._edits = edits

    async def ideas(self, recipe: Recipe, folder: Path, wanted: int) -> Sequence[HypothesisDraft]:
        files = await asyncio.to_thread(code_files, folder, recipe.mutable)
        reply = await self._ask(ideas_messages(recipe, files, wanted), IDEAS_SCHEMA, parse_ideas)
        return parse_ideas(reply.text)[:wanted]

    async def edit(self, recipe: Recipe, folder: Path) -> Edited:
        files = await asyncio.to_thread(code_files, folder, recipe.mutable)
        reply = await self._ask(edit_messages(recipe, files), EDIT_SCHEMA, parse_change)
        change = parse_change(reply.text)
        contents = await asyncio.to_thread(wanted_files, change, files.texts, recipe.mutable, folder, self._edits)
        # In no thread: an edit that is cancelled would go on writing while its checkout is taken away.
        write_files(folder, contents)
        # What the call cost goes on record with the change, once.
        return Edited(self._model.model, change.why)

    async def _ask(
        self, messages: tuple[Message, ...], schema: Mapping[str, Any], parse: Callable[[str], object]
    ) -> ModelReply:
        request = ModelRequest(
            role="proposer",
            model=self._model,
            messages=messages,
            params=over_defaults(DEFAULT_PARAMS, self._model.params),
            response_schema=schema,
            timeout_s=TIMEOUT_S,
        )
        try:
            reply = await self._completer.complete(request, accept(parse))
        except CallFailed as failure:
            if failure.reason in OUTAGES:
                raise  # nobody answered: that says nothing about the editor's ideas
            raise ProposalError(f"The editor gave no reply: {failure.message}") from failure
        if reply.truncated:
            raise ProposalRefused([Refusal("truncated", "the reply was cut off before its end")])
        return reply
