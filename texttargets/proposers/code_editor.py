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
from schemas.paths import covers, repository_path
from texttargets.edits import apply_edits
from texttargets.proposers.code_files import CodeFiles, code_files
from texttargets.proposers.code_prompt import edit_messages, ideas_messages
from texttargets.proposers.code_reply import (
    EDIT_SCHEMA,
    IDEAS_SCHEMA,
    CodeChange,
    accept,
    parse_change,
    parse_ideas,
)

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
        await asyncio.to_thread(self._carry_out, recipe, folder, files, change)
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

    def _carry_out(self, recipe: Recipe, folder: Path, files: CodeFiles, change: CodeChange) -> None:
        """Everything that is wanted, or nothing: all of it is looked at before the first byte is written."""
        count = len(change.edits) + len(change.written) + len(change.deleted)
        if count == 0:
            raise ProposalRefused([Refusal("no_edits_applied", "the reply holds no edit")])
        if count > self._edits:
            raise ProposalRefused([Refusal("edit_budget", f"{count} edits, at most {self._edits} allowed")])
        refusals = [fault for path in _paths(change) if (fault := _out_of_scope(path, recipe, folder))]
        refusals += [
            Refusal("edit_not_found", f"{path} is no file that was shown")
            for path in (*(str(edit.path) for edit in change.edits), *change.deleted)
            if path not in files.texts and not _out_of_scope(path, recipe, folder)
        ]
        if refusals:
            raise ProposalRefused(refusals)
        texts = apply_edits(files.texts, change.edits, self._edits) if change.edits else dict(files.texts)
        for path, text in {**texts, **change.written}.items():
            if files.texts.get(path) != text:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(text.encode("utf-8"))
        for path in change.deleted:
            (folder / path).unlink()


def _paths(change: CodeChange) -> list[str]:
    return [*(str(edit.path) for edit in change.edits), *change.written, *change.deleted]


def _out_of_scope(path: str, recipe: Recipe, folder: Path) -> Refusal | None:
    try:
        place = repository_path(path)
    except ValueError as error:
        return Refusal("out_of_scope", f"{path!r}: {error}")
    if not any(covers(scope, place) for scope in recipe.mutable):
        return Refusal("out_of_scope", f"{path} may not be changed")
    if not (folder / place).resolve().is_relative_to(folder.resolve()) or (folder / place).is_symlink():
        return Refusal("out_of_scope", f"{path} is or lies behind a link")
    return None
