"""Edits of a proposer, applied to the exact text: each must fit once, or none is applied.

A model sees `\\n` and no byte-order mark; the file keeps its own. Whatever lies outside an edit keeps every byte.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ceopt_tui.core.figures import counted
from ceopt_tui.core.ports import ProposalRefused, Refusal
from texttargets.excerpt import excerpt
from texttargets.sections import find_sections, headings_of
from texttargets.target_file import BYTE_ORDER_MARK

DEFAULT_BUDGET = 4


@dataclass(frozen=True)
class Edit:
    """Replace `search`, which occurs exactly once, by `replace`. Without `path` it is looked for in every file."""

    search: str
    replace: str
    path: str | None = None


@dataclass(frozen=True)
class SectionEdit:
    """Replace a whole section, heading and subsections included, or one rule.

    `section` is a rule id or a heading with or without its `#`.
    """

    section: str
    replace: str
    path: str | None = None


@dataclass(frozen=True)
class _Splice:
    number: int
    path: str
    start: int
    end: int
    text: str


def apply_edits(
    texts: Mapping[str, str], edits: Sequence[Edit | SectionEdit], budget: int = DEFAULT_BUDGET
) -> dict[str, str]:
    """Apply all edits to the texts they were written for and return every text.

    Raises ProposalRefused (a ProposalError) with codes edit_budget, edit_not_found, edit_ambiguous, edit_overlap,
    subsection_lost or no_edits_applied; then nothing is applied.
    """
    if not edits:
        raise ProposalRefused([Refusal("no_edits_applied", "the reply holds no edit")])
    if len(edits) > budget:
        raise ProposalRefused([Refusal("edit_budget", f"{counted(len(edits), 'edit')}, at most {budget} allowed")])
    views = {path: _View(text) for path, text in texts.items()}
    splices: list[_Splice] = []
    refusals: list[Refusal] = []
    for number, edit in enumerate(edits, start=1):
        located = _locate(number, edit, views)
        if isinstance(located, Refusal):
            refusals.append(located)
        else:
            splices.append(located)
    splices.sort(key=lambda splice: (splice.path, splice.start, splice.end))
    refusals += _overlaps(splices, views)
    if refusals:
        raise ProposalRefused(refusals)
    return {path: _spliced(view.text, [s for s in splices if s.path == path]) for path, view in views.items()}


class _View:
    """A text as a model sees it, and the way back to the offsets of the exact text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.seen = _as_seen(text)
        self._hidden: list[int] | None = None

    def exact(self, offset: int, *, start: bool) -> int:
        """Offset in the exact text: before the CR of a line end, after the mark where an edit starts."""
        at = offset + bisect_left(self._positions(), offset)
        while start and self.text[at : at + 1] == BYTE_ORDER_MARK:
            at += 1
        return at

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def line_end(self, start: int, end: int) -> str:
        """The line end in use: inside the edited span if it has one, else in the whole text."""
        for piece in (self.text[start:end], self.text):
            if "\n" in piece:
                crlf = piece.count("\r\n")
                return "\r\n" if crlf * 2 > piece.count("\n") else "\n"
        return "\n"

    def _positions(self) -> list[int]:
        """For each hidden character (mark, CR of a CRLF) how many seen characters stand before it."""
        if self._hidden is None:
            hidden: list[int] = []
            for offset, character in enumerate(self.text) if len(self.text) != len(self.seen) else ():
                if character == BYTE_ORDER_MARK or (character == "\r" and self.text[offset + 1 : offset + 2] == "\n"):
                    hidden.append(offset - len(hidden))
            self._hidden = hidden
        return self._hidden


def _as_seen(text: str) -> str:
    return text.replace("\r\n", "\n").replace(BYTE_ORDER_MARK, "")


def _locate(number: int, edit: Edit | SectionEdit, views: Mapping[str, _View]) -> _Splice | Refusal:
    wanted = edit.search if isinstance(edit, Edit) else edit.section
    shown = f"edit {number}: {excerpt(wanted)}"
    chosen = {path: view for path, view in views.items() if edit.path in (None, path)}
    if not chosen:
        return Refusal("out_of_scope", f"edit {number}: {excerpt(str(edit.path))} is no target file")
    places = [(path, span) for path, view in chosen.items() for span in _spans(edit, view)]
    if not places:
        return Refusal("edit_not_found", f"{shown} does not occur in the text")
    if len(places) > 1:
        path, (start, _) = places[1]
        line = views[path].line(views[path].exact(start, start=True))
        return Refusal("edit_ambiguous", f"{shown} occurs more than once (again in line {line})", line)
    path, (start, end) = places[0]
    replace = _as_seen(edit.replace)
    if isinstance(edit, SectionEdit):
        replace = replace.rstrip("\n")
        if lost := _lost_subsections(views[path].seen[start:end], replace):
            named = ", ".join(excerpt(title) for title in lost)
            message = (
                f"{shown} holds {named}, and the new text does not; repeat what is to stay, edit what goes by name"
            )
            return Refusal("subsection_lost", message, views[path].line(views[path].exact(start, start=True)))
    return _splice(number, path, views[path], start, end, replace)


def _lost_subsections(section: str, replace: str) -> list[str]:
    """Headings below the section's own that would go without having been named."""
    left = Counter(title.casefold() for title in headings_of(replace))
    lost = []
    for title in headings_of(section)[1:]:
        left[title.casefold()] -= 1
        if left[title.casefold()] < 0:
            lost.append(title)
    return lost


def _spans(edit: Edit | SectionEdit, view: _View) -> list[tuple[int, int]]:
    """At most two places, in offsets of the seen text."""
    if isinstance(edit, SectionEdit):
        return [(section.start, section.end) for section in find_sections(view.seen, edit.section)][:2]
    search = _as_seen(edit.search)
    if not search:
        return [] if view.seen else [(0, 0)]
    first = view.seen.find(search)
    if first < 0:
        return []
    second = view.seen.find(search, first + 1)
    return [(at, at + len(search)) for at in (first, second) if at >= 0]


def _splice(number: int, path: str, view: _View, start: int, end: int, replace: str) -> _Splice:
    """Shrink the edit to what differs, so that what it merely repeats keeps its bytes."""
    search = view.seen[start:end]
    limit = min(len(search), len(replace))
    head = next((i for i in range(limit) if search[i] != replace[i]), limit)
    tail = next((i for i in range(limit - head) if search[-1 - i] != replace[-1 - i]), limit - head)
    first, last = start + head, end - tail
    exact_start = view.exact(first, start=True)
    exact_end = max(exact_start, view.exact(last, start=False))
    line_end = view.line_end(view.exact(start, start=True), view.exact(end, start=False))
    text = replace[head : len(replace) - tail].replace("\n", line_end)
    return _Splice(number, path, exact_start, exact_end, text)


def _overlaps(splices: Sequence[_Splice], views: Mapping[str, _View]) -> list[Refusal]:
    refusals = []
    for one, other in pairwise(splices):
        clash = one.end > other.start or (one.start == other.start and one.end == other.end)
        if one.path == other.path and clash:
            line = views[other.path].line(other.start)
            message = f"edits {min(one.number, other.number)} and {max(one.number, other.number)} change the same place"
            refusals.append(Refusal("edit_overlap", message, line))
    return refusals


def _spliced(text: str, splices: Sequence[_Splice]) -> str:
    parts = []
    done = 0
    for splice in splices:
        parts += [text[done : splice.start], splice.text]
        done = splice.end
    return "".join([*parts, text[done:]])
