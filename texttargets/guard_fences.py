"""Refusals about fences and about a reply's own words taken for the text."""

import re

from ceopt_tui.core.ports import Refusal
from texttargets.excerpt import excerpt
from texttargets.fences import fence_line, find_fences, split_lines
from texttargets.front_matter import find_front_matter
from texttargets.guard_wrapping import wrapping_tag

_REWRITTEN = r"(?:improved|updated|revised|rewritten|refined|modified|edited|new|final|optimi[sz]ed|complete|full)"
_OUR_NOUN = r"(?:prompt|version|rewrite|revision|draft|edit)s?"
_TEXT_NOUN = r"(?:prompt|text|version|instructions?|template|file|skill|document|markdown)s?"
_PREAMBLE = re.compile(
    rf"""(?:sure|certainly|of\ course|absolutely|great)\b[^\n]{{0,80}}[:!.]\s*$
    |(?:here(?:['’]s|\ is|\ are)|below\ is)\b[^\n]{{0,60}}\b{_OUR_NOUN}\b[^\n]{{0,60}}:\s*$
    |(?:here(?:['’]s|\ is|\ are)|below\ is|this\ is)\b[^\n]{{0,40}}\b{_REWRITTEN}\b[^\n]{{0,40}}\b{_TEXT_NOUN}\b
    |i(?:['’]ve|\ have|\ will|['’]ll)?\ (?:improved|updated|revised|rewritten|rewrote|changed)\b
    |(?:the\ )?{_REWRITTEN}\ {_TEXT_NOUN}\s*:\s*$
    |(?:voici|hier\ ist|aquí\ (?:está|tienes)|ecco|aqui\ está|hier\ is|här\ är|oto|вот)\b[^\n]{{0,60}}:\s*$
    |(?:以下|下面)(?:是|は|、)?[^\n]{{0,12}}(?:改进|改善|优化|修改|更新|修订|改訂|完整)[^\n]{{0,20}}$
    |다음은[^\n]{{0,20}}(?:개선|수정|고친)[^\n]{{0,20}}$""",
    re.IGNORECASE | re.VERBOSE,
)
_POSTAMBLE = re.compile(
    r"""(?:i\ hope\ this|let\ me\ know\ if|feel\ free\ to\ (?:adjust|change|edit|modify))\b
    |\W*(?:(?:key|main|summary\ of)\ (?:the\ )?(?:changes|improvements)|(?:changes|improvements)\ made)\b[^\n]{0,20}$
    |\W*(?:what\ i\ changed|why\ this\ works)\W*$
    |this\ (?:version|rewrite|revision)\ (?:now\ )?(?:improves|addresses|fixes|adds|clarifies|should|makes|keeps)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_END_LINES = 12  # how far from the end a closing remark is looked for


def check_fences(before: str, after: str) -> list[Refusal]:
    """Code fence: a block left open, the whole text wrapped in one or in tags, or words about it added."""
    old, new = _body(before), _body(after)
    wrapped = _wrapped(old[0], new) or _tagged(old[0], new)
    if wrapped:
        return [wrapped]
    return [refusal for refusal in (_left_open(old[0], new), _remark(old[0], new)) if refusal]


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


def _remark(old: list[str], new: tuple[list[str], int]) -> Refusal | None:
    lines, above = new
    known = {line.strip() for line in old}
    filled = [index for index, line in enumerate(lines) if line.strip()]
    for index in filled[:1]:
        if lines[index].strip() not in known and _PREAMBLE.match(lines[index].strip(" *_#>\r\n")):
            return _reply_words(lines[index], index + above + 1)
    for index in filled[-_END_LINES:]:
        if lines[index].strip() not in known and _POSTAMBLE.match(lines[index].strip(" *_#>\r\n")):
            return _reply_words(lines[index], index + above + 1)
    return None


def _reply_words(line_text: str, line: int) -> Refusal:
    return Refusal("fence", f"words about the text stand in the text, line {line}: {excerpt(line_text.strip())}", line)
