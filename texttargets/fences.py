"""Fenced blocks of a Markdown text, and lines as all text parts count them (split at \\n only)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*([^\r\n]*?)[ \t\r\n]*$")


@dataclass(frozen=True)
class Fence:
    """One block; line indexes count from 0, `last` is None when it is never closed."""

    first: int
    last: int | None
    marker: str
    info: str


def split_lines(text: str) -> list[str]:
    """Lines with their ends; joined they give the text back, whatever other separators it holds."""
    lines = text.split("\n")
    ended = [line + "\n" for line in lines[:-1]]
    return ended + lines[-1:] if lines[-1] else ended


def fence_line(line: str) -> tuple[str, str] | None:
    """Marker and info string of a line that may open or close a fence."""
    match = _FENCE.match(line)
    if match is None or (match[1][0] == "`" and "`" in match[2]):
        return None
    return match[1], match[2]


def find_fences(lines: Sequence[str]) -> list[Fence]:
    """All fenced blocks in order; a fence closes with its own character, at least as long and with nothing after it."""
    fences: list[Fence] = []
    opened: tuple[int, str, str] | None = None
    for index, line in enumerate(lines):
        found = fence_line(line)
        if found is None:
            continue
        marker, info = found
        if opened is None:
            opened = (index, marker, info)
        elif marker.startswith(opened[1]) and not info:
            fences.append(Fence(opened[0], index, opened[1], opened[2]))
            opened = None
    if opened is not None:
        fences.append(Fence(opened[0], None, opened[1], opened[2]))
    return fences


def fenced_lines(lines: Sequence[str]) -> set[int]:
    """Indexes of all lines that belong to a fenced block, its fences included."""
    inside: set[int] = set()
    for fence in find_fences(lines):
        inside.update(range(fence.first, len(lines) if fence.last is None else fence.last + 1))
    return inside
