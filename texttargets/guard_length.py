"""Refusals about size: too long."""

from collections.abc import Mapping

from ceopt_tui.core.figures import counted
from ceopt_tui.core.ports import Refusal
from ceopt_tui.core.tokens import estimate_tokens
from texttargets.limits import Limits

DEFAULT_GROWTH = 4
DEFAULT_ADDED_TOKENS = 600


def check_length(before: Mapping[str, str], after: Mapping[str, str], limits: Limits) -> list[Refusal]:
    """Code too_long, over all target files together; the token counts are estimates."""
    was = sum(map(estimate_tokens, (before if limits.original is None else limits.original).values()))
    now = sum(map(estimate_tokens, {**before, **after}.values()))
    if limits.max_tokens is not None and now > limits.max_tokens:
        return [Refusal("too_long", f"about {counted(now, 'token')}, max_tokens is {limits.max_tokens}")]
    default = max(DEFAULT_GROWTH * was, was + DEFAULT_ADDED_TOKENS)
    allowed = default if limits.max_growth is None else int(limits.max_growth * was)
    if now > allowed:
        return [Refusal("too_long", f"about {counted(now, 'token')}, before {was}; growth is capped at {allowed}")]
    return []
