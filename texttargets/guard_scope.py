"""Refusals about where a candidate changes something: files, protected rules, line ends, nothing at all."""

from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from ceopt_tui.core.ports import Refusal
from texttargets.excerpt import excerpt
from texttargets.limits import Limits
from texttargets.rules import find_sections
from texttargets.target_file import BYTE_ORDER_MARK, text_digest


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


def check_bytes(before: str, after: str) -> list[Refusal]:
    """Code out_of_scope: a byte-order mark or the line ends of the whole file were changed."""
    refusals = []
    if before.startswith(BYTE_ORDER_MARK) != after.startswith(BYTE_ORDER_MARK):
        verb = "lost" if before.startswith(BYTE_ORDER_MARK) else "gained"
        refusals.append(Refusal("out_of_scope", f"the file {verb} its byte-order mark", 1))
    was_crlf, is_crlf = _line_ends(before), _line_ends(after)
    if None not in (was_crlf, is_crlf) and was_crlf != is_crlf:
        change = "CRLF became LF" if was_crlf else "LF became CRLF"
        refusals.append(Refusal("out_of_scope", f"every line end was changed ({change})", 1))
    return refusals


def check_protected(before: str, after: str, protect: Collection[str]) -> list[Refusal]:
    """Code out_of_scope: a protected section or rule is no longer in the text word for word."""
    refusals = []
    for wanted in protect:
        for section in find_sections(before, wanted):
            kept = before[section.start : section.end]
            if before.count(kept) > after.count(kept):
                line = before.count("\n", 0, section.start) + 1
                message = f"{excerpt(section.title)} is protected and was changed (line {line} before)"
                refusals.append(Refusal("out_of_scope", message, line))
    return refusals


def in_scope(path: str, scope: Collection[str]) -> bool:
    """Whether a path is one of the scope's paths or lies in one of its folders."""
    parts = PurePosixPath(path).parts
    return any(parts[: len(entry)] == entry for entry in (PurePosixPath(item).parts for item in scope))


def _line_ends(text: str) -> bool | None:
    """True: only CRLF, False: only LF, None: mixed or a single line."""
    lines, crlf = text.count("\n"), text.count("\r\n")
    return None if not lines or 0 < crlf < lines else crlf == lines
