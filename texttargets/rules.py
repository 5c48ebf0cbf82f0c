"""A text as addressable rules: front matter, headings, list items, paragraphs, code blocks.

The rules are a partition: joined in order they give the text back. Fenced blocks and front matter are never split.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from texttargets.fences import fenced_lines, find_fences, split_lines
from texttargets.front_matter import find_front_matter
from texttargets.target_file import BYTE_ORDER_MARK

Kind = Literal["front_matter", "heading", "list_item", "paragraph", "code", "tag", "break"]
REMOVABLE: frozenset[Kind] = frozenset({"list_item", "paragraph", "code"})

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*\S)")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{2,})[ \t\r\n]*$")
_BREAK = re.compile(r"^ {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t\r\n]*$")
_COMMENT = re.compile(r"^[ \t]*<!--")
_ITEM = re.compile(r"^([ \t]*)(?:[-*+•–]|\d{1,3}[.)]|[a-z]\))[ \t]+(?=\S)")
_TAG = re.compile(r"^[ \t]*</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?>[ \t\r\n]*$")


@dataclass(frozen=True)
class Rule:
    """One rule. `text` is exactly text[start:end], blank lines after it included; `line` counts from 1.

    `id` depends on the content alone, so it survives edits elsewhere. `headings` leads to the section it stands in.
    """

    id: str
    kind: Kind
    text: str
    start: int
    end: int
    line: int
    level: int = 0  # of a heading
    headings: tuple[str, ...] = ()

    @property
    def content(self) -> str:
        """The text without the mark and the blank lines around it."""
        return _without_blank_lines(self.text)

    @property
    def words(self) -> str:
        """The content on one line, without the mark of a list item."""
        return " ".join(without_mark(self.content).split())

    @property
    def title(self) -> str:
        """The first line, without the marks of a heading."""
        return self.content.split("\n")[0].strip().strip("#").strip()


@dataclass
class _Block:
    kind: Kind
    first: int
    indent: int = 0
    level: int = 0


def split_rules(text: str) -> tuple[Rule, ...]:
    """Split a text into its rules."""
    lines = split_lines(text)
    blocks = _blocks(text, lines)
    if not blocks:
        return ()
    bounds = [0, *(block.first for block in blocks[1:]), len(lines)]
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    seen: Counter[str] = Counter()
    path: list[tuple[int, str]] = []
    rules = []
    for block, (first, last) in zip(blocks, pairwise(bounds), strict=True):
        piece = "".join(lines[first:last])
        if block.kind == "heading":
            path = [entry for entry in path if entry[0] < block.level]
        above = tuple(title for _, title in path)
        span = (offsets[first], offsets[last])
        rules.append(Rule(_identifier(piece, seen), block.kind, piece, *span, block.first + 1, block.level, above))
        if block.kind == "heading":
            path.append((block.level, rules[-1].title))
    return tuple(rules)


def without_mark(words: str) -> str:
    """Words without the mark of a list item before them."""
    return _ITEM.sub("", words)


def without_rules(text: str, identifiers: Collection[str]) -> str:
    """The text with the named rules removed; a byte-order mark stays."""
    kept = "".join(rule.text for rule in split_rules(text) if rule.id not in identifiers)
    return kept if not text.startswith(BYTE_ORDER_MARK) else BYTE_ORDER_MARK + kept.removeprefix(BYTE_ORDER_MARK)


def _blocks(text: str, lines: list[str]) -> list[_Block]:
    front = find_front_matter(text)
    head = text.count("\n", 0, front.end) if front else 0
    if front and not text[: front.end].endswith("\n"):
        head = len(lines)
    blocks = [_Block("front_matter", 0)] if front else []
    body = lines[head:]
    fenced = {index + head for index in fenced_lines(body)}
    openings = {fence.first + head for fence in find_fences(body)}
    commented = _commented_lines(lines, head, fenced)
    after_blank = True
    for index in range(head, len(lines)):
        line = lines[index].removeprefix(BYTE_ORDER_MARK)
        if index in commented:
            continue
        if not line.strip() and index not in fenced:
            after_blank = True
            continue
        current = blocks[-1] if blocks else None
        if current and _becomes_heading(current, line, index, after_blank, fenced):
            current.kind, current.level = "heading", 1 if "=" in line else 2
        else:
            block = _block(line, index, index in fenced)
            if current is None or not _continues(current, block, after_blank, index in openings):
                blocks.append(block)
        after_blank = False
    return blocks or ([_Block("paragraph", 0)] if lines else [])


def _commented_lines(lines: Sequence[str], head: int, fenced: set[int]) -> set[int]:
    """Lines inside HTML comments that begin a line: what looks like a heading or a list item there is none.

    The first line is not among them, and an unclosed comment is words like any other.
    """
    inside: set[int] = set()
    opened: int | None = None
    for index in range(head, len(lines)):
        line = lines[index]
        if opened is None:
            begins = _COMMENT.match(line.removeprefix(BYTE_ORDER_MARK)) if index not in fenced else None
            opened = index if begins and "-->" not in line else None
        elif "-->" in line:
            inside.update(range(opened + 1, index + 1))
            opened = None
    return inside


def _block(line: str, index: int, fenced: bool) -> _Block:
    heading, item = _HEADING.match(line), _ITEM.match(line)
    if fenced:
        return _Block("code", index, indent=_indent(line))
    if heading:
        return _Block("heading", index, level=len(heading[1]))
    if _BREAK.match(line):
        return _Block("break", index)
    if item:
        return _Block("list_item", index, indent=_indent(line))
    return _Block("tag" if _TAG.match(line) else "paragraph", index, indent=_indent(line))


def _becomes_heading(current: _Block, line: str, index: int, after_blank: bool, fenced: set[int]) -> bool:
    underlined = current.kind == "paragraph" and current.first == index - 1 and index not in fenced
    return underlined and not after_blank and _UNDERLINE.match(line) is not None


def _continues(current: _Block, block: _Block, after_blank: bool, opens_fence: bool) -> bool:
    """Whether a line that would start `block` still belongs to the block before it."""
    if block.kind == "code" and not opens_fence:
        return True
    if current.kind == "list_item" and block.kind in ("list_item", "paragraph", "tag", "code"):
        return block.indent > current.indent or (block.kind == "paragraph" and not after_blank)
    return current.kind == block.kind == "paragraph" and not after_blank


def _indent(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _identifier(piece: str, seen: Counter[str]) -> str:
    content = without_mark(_without_blank_lines(piece))
    digest = hashlib.sha256(" ".join(content.split()).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    seen[digest] += 1
    return f"r-{digest}" if seen[digest] == 1 else f"r-{digest}-{seen[digest]}"


def _without_blank_lines(piece: str) -> str:
    lines = piece.removeprefix(BYTE_ORDER_MARK).split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return "\n".join(lines).removesuffix("\r")
