"""Refusals about where a candidate changes something: files, protected rules, nothing at all."""

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from ceopt_tui.core.ports import Refusal
from texttargets.excerpt import excerpt
from texttargets.limits import Limits
from texttargets.sections import sections_named
from texttargets.target_file import text_digest


def check_scope(before: Mapping[str, str], after: Mapping[str, str], limits: Limits) -> list[Refusal]:
    """Codes unchanged and out_of_scope. A path that `after` does not hold counts as left alone."""
    changed = [path for path in after if after[path] != before.get(path)]
    if not changed:
        return [Refusal("unchanged", "the text is the same as before")]
    if text_digest({**before, **after}) in limits.refused:
        return [Refusal("unchanged", "this very text was refused before")]
    refusals = []
    for path in changed:
        if path not in before:
            refusals.append(Refusal("out_of_scope", f"{excerpt(path)} is no target file"))
        elif limits.mutable is not None and not in_scope(path, limits.mutable):
            refusals.append(Refusal("out_of_scope", f"{excerpt(path)} may not be changed"))
    return refusals


def check_protected(before: str, after: str, protect: Collection[str]) -> list[Refusal]:
    """Code out_of_scope: a protected section or rule is gone, or holds other or more words; lines are of `before`."""
    if not protect:
        return []
    refusals = []
    was, now = sections_named(before, protect), sections_named(after, protect)
    for wanted in protect:
        left = Counter(section.text for section in now[wanted])
        for section in was[wanted]:
            left[section.text] -= 1
            if left[section.text] < 0:
                what = "added to" if any(other.text.startswith(section.text) for other in now[wanted]) else "changed"
                message = f"{excerpt(section.title)} is protected and was {what} (line {section.line} before)"
                refusals.append(Refusal("out_of_scope", message, section.line))
    return refusals


def in_scope(path: str, scope: Collection[str]) -> bool:
    """Whether a path is one of the scope's paths or lies in one of its folders."""
    parts = PurePosixPath(path).parts
    return any(parts[: len(entry)] == entry for entry in (PurePosixPath(item).parts for item in scope))
