"""Gives a draft the layout of the file it goes to: line ends, mark, front matter, version. Changes no other word."""

from __future__ import annotations

import re
from typing import Literal

from texttargets.front_matter import find_front_matter, raw_value
from texttargets.target_file import BYTE_ORDER_MARK

Step = Literal["major", "minor", "patch"]
_PARTS: dict[Step, int] = {"major": 0, "minor": 1, "patch": 2}
_VERSION = re.compile(r"([\"']?)(\d+)\.(\d+)\.(\d+)\1")


def laid_out(draft: str, target: str, step: Step) -> str:
    """The draft as it would stand in the place of `target`; where that has a version, with the next one."""
    text = draft.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")
    old = find_front_matter(target)
    if old is not None and find_front_matter(text) is None:
        body = target[old.end :].replace("\r\n", "\n")
        gap = body[: len(body) - len(body.lstrip("\n"))]
        text = old.text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n") + gap + text.lstrip("\n")
    version = next_version(target, step)
    if version is not None:
        text = _with_version(text, version)
    text = text.rstrip("\n") + ("\n" if target.endswith("\n") else "")
    if "\r\n" in target:
        text = text.replace("\n", "\r\n")
    return (BYTE_ORDER_MARK if target.startswith(BYTE_ORDER_MARK) else "") + text


def version_of(text: str) -> str | None:
    """The `version` in the front matter, as it is written; None where there is none of the form 1.2.3."""
    found = find_front_matter(text)
    written = raw_value(found, "version") if found is not None else None
    return written.strip() if written is not None and _VERSION.fullmatch(written.strip()) else None


def next_version(text: str, step: Step) -> str | None:
    """The version after that of a text, in the same quotes."""
    match = _VERSION.fullmatch(version_of(text) or "")
    if match is None:
        return None
    numbers, at = [int(match[part]) for part in (2, 3, 4)], _PARTS[step]
    numbers = [*numbers[:at], numbers[at] + 1, *[0] * (2 - at)]
    return f"{match[1]}{'.'.join(map(str, numbers))}{match[1]}"


def _with_version(text: str, version: str) -> str:
    found = find_front_matter(text)
    assert found is not None
    line = re.compile(r"^version:.*$", re.MULTILINE)
    block = line.sub(f"version: {version}", found.block, count=1)
    if block == found.block and not line.search(block):
        block = f"{block.rstrip()}\nversion: {version}\n"
    return text[: found.end].replace(found.block, block, 1) + text[found.end :]
