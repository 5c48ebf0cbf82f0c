"""Refusals about a reply's own tags taken for the text: reasoning before it, or one pair of tags around all of it."""

import re

from ceopt_tui.core.ports import Refusal

_REASONING = re.compile(
    r"\s*<(think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis)>", re.IGNORECASE
)
_OPENING = re.compile(r"<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>")
_DEEPEST = 8


def wrapping_tag(before: str, after: str) -> Refusal | None:
    """Code fence; both texts are bodies without front matter, and the line counts from the start of `after`."""
    line = after[: len(after) - len(after.lstrip())].count("\n") + 1
    reasoning = _REASONING.match(after)
    if reasoning and f"<{reasoning[1].casefold()}>" not in before.casefold():
        return Refusal("fence", f"<{reasoning[1]}> opens the text: a model's thinking stands in it", line)
    old, new = _wrappers(before), _wrappers(after)
    if len(new) <= len(old):
        return None
    return Refusal("fence", f"the whole text is wrapped in <{new[0][:40]}>", line)


def _wrappers(text: str) -> list[str]:
    """Names of the tags around the whole text, from the outside in."""
    names: list[str] = []
    text = text.strip()
    while len(names) < _DEEPEST:
        opening = _OPENING.match(text)
        if opening is None or not text.endswith(f"</{opening[1]}>") or not _spans(text, opening[1]):
            break
        names.append(opening[1])
        text = text[opening.end() : -len(opening[1]) - 3].strip()
    return names


def _spans(text: str, name: str) -> bool:
    """Whether the first tag is closed by the last one only."""
    depth = 0
    for tag in re.finditer(rf"<(/?){re.escape(name)}(?=[\s>])[^<>]*>", text):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return tag.end() == len(text)
    return False
