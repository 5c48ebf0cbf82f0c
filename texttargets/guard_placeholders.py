"""Refusals about placeholders: the same multiset must stand in the text afterwards."""

import re
from collections import Counter

from ceopt_tui.core.figures import counted
from ceopt_tui.core.ports import Refusal
from texttargets.code_marks import marks_in_code
from texttargets.excerpt import on_one_line
from texttargets.placeholders import Placeholder, find_placeholders, placeholders, root_of

_DOUBLED_JSON = re.compile(r"\{\{\s*[\"']")
_SINGLE_JSON = re.compile(r"(?<!\{)\{\s*[\"']")
# What keeps a mark in the text and still switches it off: template tags, comments, a mark quoted inside another.
_TAG = re.compile(r"\{%[^\n]{0,200}?%\}|(?s:\{#.{0,2000}?#\})|\{\{!|\{\{\s*[\"'][^{}\n]{0,200}\{\{")


def check_placeholders(before: str, after: str, syntax: str) -> list[Refusal]:
    """Codes placeholder_lost, placeholder_escaped and placeholder_invented, each naming the mark as it is written."""
    had, has = placeholders(before, syntax), placeholders(after, syntax)
    marks_before, marks_after = find_placeholders(before, syntax), find_placeholders(after, syntax)
    refusals = []
    twisted_spans: set[int] = set()
    for key, missing in (had - has).items():
        mark = next(mark for mark in marks_before if mark.key == key)
        twisted = _twisted(key, before, after, syntax)
        if twisted:
            twisted_spans.update(at for match in twisted for at in range(match.start(), match.end()))
            refusals.append(_escaped(mark, twisted[0], after))
        else:
            refusals.append(_lost(mark, missing, had[key], before))
    shown = _shown_code(after, marks_before, marks_after) if syntax == "brace" else set()
    for key, extra in (has - had).items():
        new = [mark for mark in marks_after if mark.key == key and mark.start not in twisted_spans | shown]
        if new:
            refusals.append(_invented(new[-min(extra, len(new))], had[key], after))
    if any(mark.text.startswith("{{") for mark in marks_before) and syntax != "jinja":
        refusals += _new_tags(before, after)
    return refusals + (_doubled(before, after) if syntax != "none" else [])


def _shown_code(after: str, marks_before: list[Placeholder], marks_after: list[Placeholder]) -> set[int]:
    """Where braces of code were added that no value is put into: of a name that the text fills nowhere."""
    known = {root_of(mark.name) for mark in marks_before if mark.name}
    unknown = (mark for mark in marks_after if mark.name and root_of(mark.name) not in known)
    return {mark.start for mark in marks_in_code(after, unknown)}


def _lost(mark: Placeholder, missing: int, had: int, before: str) -> Refusal:
    line = _line(before, mark.start)
    times = "" if missing == had else f" {missing} of {counted(had, 'time')}"
    message = f"placeholder {on_one_line(mark.text)} is missing{times} (was in line {line})"
    return Refusal("placeholder_lost", message, line)


def _escaped(mark: Placeholder, match: re.Match[str], after: str) -> Refusal:
    line = _line(after, match.start())
    message = f"placeholder {on_one_line(mark.text)} became {on_one_line(match[0])} in line {line}"
    return Refusal("placeholder_escaped", message, line)


def _invented(mark: Placeholder, had: int, after: str) -> Refusal:
    line = _line(after, mark.start)
    what = f"occurs more often than the {counted(had, 'time')} before" if had else "is new"
    return Refusal("placeholder_invented", f"placeholder {on_one_line(mark.text)} {what} (line {line})", line)


def _new_tags(before: str, after: str) -> list[Refusal]:
    """Template tags and comments in a text that had none of them: they decide whether a mark is filled at all."""
    known = Counter(match[0] for match in _TAG.finditer(before))
    for match in _TAG.finditer(after):
        known[match[0]] -= 1
        if known[match[0]] < 0:
            line = _line(after, match.start())
            return [Refusal("placeholder_invented", f"template tag {on_one_line(match[0])} is new (line {line})", line)]
    return []


def _doubled(before: str, after: str) -> list[Refusal]:
    """Literal JSON braces that were doubled the way a format string would want them."""
    match = _DOUBLED_JSON.search(after)
    grown = len(_DOUBLED_JSON.findall(after)) > len(_DOUBLED_JSON.findall(before))
    if match is None or not grown or len(_SINGLE_JSON.findall(after)) >= len(_SINGLE_JSON.findall(before)):
        return []
    line = _line(after, match.start())
    return [Refusal("placeholder_escaped", f"the braces of JSON were doubled in line {line}", line)]


def _twisted(key: str, before: str, after: str, syntax: str) -> list[re.Match[str]]:
    """Where the missing mark's name stands in other brackets than before."""
    inner = re.escape(key.strip("{}$%~- "))
    pattern = re.compile(
        rf"\\?[$%]?(?:\\?\{{){{1,4}}\s*{inner}\s*(?:\\?\}}){{1,4}}"
        rf"|<{{1,3}}{inner}>{{1,3}}|\[{{1,3}}{inner}\]{{1,3}}|%\(?{inner}\)?[s%]|&#123;{inner}&#125;"
    )
    known = {match[0] for match in pattern.finditer(before)} | {mark.text for mark in find_placeholders(before, syntax)}
    return [match for match in pattern.finditer(after) if match[0] not in known]


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
