"""Refusals about size: too long, or cut off before its end."""

import re
from collections.abc import Mapping

from ceopt_tui.core.figures import counted
from ceopt_tui.core.ports import Refusal
from ceopt_tui.core.tokens import estimate_tokens
from texttargets.excerpt import excerpt
from texttargets.limits import Limits

DEFAULT_GROWTH = 4
DEFAULT_ADDED_TOKENS = 600

_LEFT_OUT = re.compile(
    r"""^\W*(?:(?:the\ )?(?:rest|remainder|remaining)\b[^\n]{0,60}
          \b(?:unchanged|same|as\ before|as\ above|omitted|original|as\ it\ (?:is|was))
    |(?:existing|previous|original)\b[^\n]{0,40}\b(?:unchanged|here|stays?|remains?|continues?)
    |(?:truncated|omitted\ for\ brevity|unchanged))\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_DANGLING = frozenset(("a", "an", "the", "and", "or", "of", "to", "with", "if", "that", "your"))
_SENTENCE_END = tuple(".!?:;)]}>\"'`”’»*|。！？」』】…")


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


def check_truncation(before: str, after: str) -> list[Refusal]:
    """Code truncated: the reply behind a whole text seems to have ended early or to have left parts out."""
    if not after.strip():
        return [Refusal("truncated", "the text is empty", 1)] if before.strip() else []
    lines = after.split("\n")
    known = {line.strip() for line in before.split("\n")}
    for number, line in enumerate(lines, start=1):
        if _has_half_character(line):
            return [Refusal("truncated", f"half a character in line {number}", number)]
        if line.strip() not in known and _LEFT_OUT.match(line.strip()):
            return [Refusal("truncated", f"line {number} stands for text that was left out: {excerpt(line)}", number)]
    last = after.rstrip().rsplit("\n", 1)[-1].strip()
    if last not in known and _ends_early(before, last):
        number = after.rstrip().count("\n") + 1
        return [Refusal("truncated", f"the text breaks off in line {number}: {excerpt(last[-60:])}", number)]
    return []


def _ends_early(before: str, last: str) -> bool:
    if _finished(last):
        return False
    old_lines = [line.strip() for line in before.rstrip().split("\n")]
    whole = next((line for line in old_lines if len(last) > 2 and line.startswith(last)), None)
    if whole is not None and (whole[len(last)].isalnum() and last[-1].isalnum()):
        return True
    if whole is not None and whole != old_lines[-1]:
        return True
    if not _finished(old_lines[-1]):
        return False
    words = last.rstrip(",-").split()
    return last.endswith((",", "(", "[", "{")) or (len(words) > 1 and words[-1].casefold() in _DANGLING)


def _finished(line: str) -> bool:
    return line.endswith(_SENTENCE_END)


def _has_half_character(line: str) -> bool:
    return not line.isascii() and any("\ud800" <= character <= "\udfff" for character in line)
