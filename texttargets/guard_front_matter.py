"""Refusals about YAML front matter: unchanged byte for byte, or readable with the same name where it may change."""

from ceopt_tui.core.ports import Refusal
from texttargets.front_matter import (
    FrontMatter,
    find_front_matter,
    front_matter_fault,
    opens_front_matter,
    raw_value,
)


def check_front_matter(before: str, after: str, *, may_change: bool) -> list[Refusal]:
    """Code front_matter, with the line in the file."""
    was, now = find_front_matter(before), find_front_matter(after)
    if was is None:
        added = now is not None and not opens_front_matter(before)
        return [_refusal(1, "front matter was added")] if added else []
    if now is None:
        gone = "is never closed" if opens_front_matter(after) else "is gone"
        return [_refusal(1, f"the front matter {gone}")]
    if was.text == now.text:
        return []
    fault = front_matter_fault(now)
    if fault is not None and fault != front_matter_fault(was):
        line, message = fault
        return [_refusal(line, f"front matter is damaged in line {line}: {message}")]
    if raw_value(was, "name") != raw_value(now, "name"):
        return [_refusal(_first_difference(was, now), "the `name` in the front matter was changed")]
    if may_change:
        return []
    line = _first_difference(was, now)
    return [_refusal(line, f"the front matter was changed in line {line}")]


def _first_difference(was: FrontMatter, now: FrontMatter) -> int:
    old, new = was.text.split("\n"), now.text.split("\n")
    pairs = zip(old, new, strict=False)
    return next((line for line, (a, b) in enumerate(pairs, start=1) if a != b), min(len(old), len(new)))


def _refusal(line: int, message: str) -> Refusal:
    return Refusal("front_matter", message, line)
