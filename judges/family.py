"""Which models are of one family: a model that judges work of its own kin likes what it would have written itself."""

from __future__ import annotations

import re
from typing import Literal

from ceopt_tui.core.ports import ResolvedModel

# One maker's models go by several names.
_FAMILIES = (
    ("gpt", r"gpt|chatgpt|o\d|davinci"),
    ("claude", r"claude|haiku|sonnet|opus"),
    ("gemini", r"gemini|gemma"),
    ("mistral", r"(?:open-)?mi[sx]tral|codestral|ministral|magistral|devstral"),
    ("llama", r"(?:meta-)?llama|codellama"),
    ("qwen", r"qwen|qwq|qvq"),
)


def kin(
    judge: ResolvedModel, task: ResolvedModel | None, proposer: ResolvedModel | None
) -> tuple[Literal["task", "proposer"], ...]:
    """The roles whose model is the judge itself or of its family, whoever serves it."""
    own = family(judge.model)
    roles: tuple[Literal["task", "proposer"], ...] = ()
    if task is not None and family(task.model) == own:
        roles += ("task",)
    if proposer is not None and family(proposer.model) == own:
        roles += ("proposer",)
    return roles


def family(model: str) -> str:
    """The family of a model, whoever serves it: gpt, claude, llama, …"""
    bare = model.rsplit("/", 1)[-1]
    if model.startswith("bedrock/"):  # bedrock/eu.anthropic.claude-3-haiku: the maker stands before the name
        bare = re.split(r"\.(?=[a-zA-Z])", bare)[-1]
    bare = bare.casefold()
    for known, pattern in _FAMILIES:
        if re.match(pattern, bare):
            return known
    letters = re.match(r"[a-z]+", bare)
    return letters[0] if letters else bare
