"""Refusals about fences and about a reply's own words taken for the text."""

from ceopt_tui.core.ports import Refusal
from texttargets.fences import fence_line, find_fences, split_lines
from texttargets.front_matter import find_front_matter
from texttargets.guard_reply_words import check_reply_words
from texttargets.guard_wrapping import wrapping_tag


def check_fences(before: str, after: str) -> list[Refusal]:
    """Code fence: a block left open, the whole text wrapped in one or in tags, or words about it added."""
    old, new = _body(before), _body(after)
    wrapped = _wrapped(old[0], new) or _tagged(old[0], new)
    if wrapped:
        return [wrapped]
    return [refusal for refusal in (_left_open(old[0], new), check_reply_words(old[0], *new)) if refusal]


def _body(text: str) -> tuple[list[str], int]:
    """Lines after the front matter, and how many lines stand before them."""
    front = find_front_matter(text)
    start = front.end if front else 0
    return split_lines(text[start:].removeprefix("\ufeff")), text.count("\n", 0, start)


def _left_open(old: list[str], new: tuple[list[str], int]) -> Refusal | None:
    lines, above = new
    still_open = [fence for fence in find_fences(lines) if fence.last is None]
    if not still_open or any(fence.last is None for fence in find_fences(old)):
        return None
    line = still_open[0].first + above + 1
    return Refusal("fence", f"the fence opened in line {line} is never closed", line)


def _wrapped(old: list[str], new: tuple[list[str], int]) -> Refusal | None:
    lines, above = new
    filled = [index for index, line in enumerate(lines) if line.strip()]
    before = [line for line in old if line.strip()]
    if len(filled) < 2 or (before and fence_line(before[0])):
        return None
    opening, closing = fence_line(lines[filled[0]]), fence_line(lines[filled[-1]])
    if opening is None or closing is None or closing[1] or (before and fence_line(before[-1]) and opening[1] == ""):
        return None
    line = filled[0] + above + 1
    return Refusal("fence", f"the whole text is wrapped in a fence (line {line})", line)


def _tagged(old: list[str], new: tuple[list[str], int]) -> Refusal | None:
    lines, above = new
    found = wrapping_tag("".join(old), "".join(lines))
    return found and Refusal(
        found.code, f"{found.message} (line {above + (found.line or 1)})", above + (found.line or 1)
    )
