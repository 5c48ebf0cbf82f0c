"""Marks of a template that are code: braces in a fenced block of a named language, among other code in their line.

A mark alone in its line of such a block is what the block is there for: `{code}` between fences of Python.
"""

from collections.abc import Iterable

from texttargets.fences import find_fences, split_lines
from texttargets.placeholders import Placeholder


def marks_in_code(text: str, marks: Iterable[Placeholder]) -> list[Placeholder]:
    """Those of the marks of a text that more likely are code than something to fill."""
    lines = split_lines(text)
    named = [fence for fence in find_fences(lines) if fence.info]
    if not named:
        return []
    inside = {at for fence in named for at in range(fence.first + 1, len(lines) if fence.last is None else fence.last)}
    found = []
    for mark in marks:
        at = text.count("\n", 0, mark.start)
        if at in inside and lines[at].strip() != mark.text:
            found.append(mark)
    return found
