"""Refusals about where a candidate changes something: files, or nothing at all."""

from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from ceopt_tui.core.ports import Refusal
from texttargets.excerpt import excerpt
from texttargets.limits import Limits
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


def in_scope(path: str, scope: Collection[str]) -> bool:
    """Whether a path is one of the scope's paths or lies in one of its folders."""
    parts = PurePosixPath(path).parts
    return any(parts[: len(entry)] == entry for entry in (PurePosixPath(item).parts for item in scope))
