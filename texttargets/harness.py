"""Finds checks that say nothing about a text: they pass, or fail, whatever comes out.

Such cases leave the gate, the failure themes and the proposer's view; the fault is in the harness, not in the text.
A case that no text passes yet is none of them: that outputs fail is never enough to say a check accepts nothing.
"""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterator, Sequence

import regex

from ceopt_tui.core.figures import counted
from schemas.checks import AllOf, Check, Contains, Length, NoneOf, Regex
from schemas.evalset import Case
from schemas.harness_records import FlaggedCase
from texttargets.checks import check_of, check_output, expected_fails_own_check, needs_expected, unusable_check
from texttargets.patterns import Undecided, found
from texttargets.strict_json import as_text

# Outputs no useful check accepts; one that does can fail on nothing.
NONSENSE = ("", "\u2307 qzx 0 \u2307", "{}", string.printable, "x y\n" * 5_000)
_BANS = re.compile(r"\(\?<?!")  # a pattern that rules something out; what that is cannot be made from it
_LOOKS_BACK = re.compile(r"\(\?<[!=]")
_FLAGS = re.compile(r"^\(\?[a-zA-Z]+\)")  # of the whole pattern: they stand at its start
_SIGNS = re.compile(r"[\\^$.|?*+()\[\]{}]+")  # between the literal pieces of a pattern
_TOOL_CALL = re.compile(r"^\[calls ([^\]\n]+)\]$", re.MULTILINE)  # as importers write down the call of a tool


def harness_findings(
    cases: Sequence[Case], outputs: Collection[str], default: Check | None = None
) -> tuple[FlaggedCase, ...]:
    """Cases whose check passes on every output there is, or on none.

    `outputs` are those of any case; more of them never give more findings. A case that its own text always passes is
    no finding: its check must also accept what other cases got, plain nonsense, and what it bans.
    """
    seen = frozenset(outputs)
    findings = (_finding(case, seen, default) for case in cases if unusable_check(case, default) is None)
    return tuple(finding for finding in findings if finding is not None)


def _finding(case: Case, seen: frozenset[str], default: Check | None) -> FlaggedCase | None:
    check = check_of(case, default)
    assert check is not None  # one that cannot be used is left to the judge

    def passes(output: str) -> bool:
        return check_output(case, output, default).passed

    if not any(map(_rules_out, _parts(check))) and all(map(passes, (*NONSENSE, *_refused_by(check), *seen))):
        tried = f"all {counted(len(seen), 'different output')} seen, " if seen else ""
        return FlaggedCase(
            case_id=case.id,
            fault="never_fails",
            reason=f"its check accepts whatever comes out: {tried}an empty one and nonsense",
        )
    suspect = _suspect(case, check, default)
    return None if suspect is None or any(map(passes, seen)) else suspect


def _suspect(case: Case, check: Check, default: Check | None) -> FlaggedCase | None:
    """A case that cannot be passed, as far as its check says; an output that passed it proves otherwise."""
    if tools := _tools(case, check):
        reason = f"its expected answer is the call of a tool ({tools}), and the runner has no tools"
        return FlaggedCase(case_id=case.id, fault="needs_tools", reason=reason)
    if fault := _contradiction(check) or _refuses_expected(case, check, default):
        reason = f"no answer is known that its check accepts: {fault}"
        return FlaggedCase(case_id=case.id, fault="never_passes", reason=reason)
    return None


def _parts(check: Check) -> Iterator[Check]:
    """The check, or all it is made of."""
    if isinstance(check, AllOf):
        for part in check.checks:
            yield from _parts(part)
    else:
        yield check


def _rules_out(check: Check) -> bool:
    """Whether it bans something by pattern. A ban that is met at the end of any output, behind the last character,
    bans nothing."""
    if not isinstance(check, Regex) or _BANS.search(check.pattern) is None:
        return False
    return check.full or _LOOKS_BACK.search(check.pattern) is not None or not _met_at_every_end(check.pattern)


def _met_at_every_end(pattern: str) -> bool:
    flags, rest = _FLAGS.match(pattern), _FLAGS.sub("", pattern, count=1)
    at_end = rf"{flags[0] if flags else ''}(?=\Z)(?:{rest})"
    try:
        return all(found(at_end, output) for output in NONSENSE if output)
    except (Undecided, regex.error):
        return False


def _refused_by(check: Check) -> Iterator[str]:
    """Outputs that a ban, a limit or a pattern is there to refuse, whether or not one has come up yet."""
    for part in _parts(check):
        if isinstance(part, NoneOf):
            yield from part.values
        elif isinstance(part, Length) and part.maximum is not None:
            yield _sized(part.maximum + 1, part.unit)
        elif isinstance(part, Regex):
            yield part.pattern
            yield from filter(None, _SIGNS.split(part.pattern))


def _tools(case: Case, check: Check) -> str:
    """The tools that the wanted answer calls, where the check compares with it."""
    if case.expected is None or not needs_expected(check):
        return ""
    calls = (call.split(maxsplit=1)[0].rstrip(",") for call in _TOOL_CALL.findall(as_text(case.expected)))
    return ", ".join(dict.fromkeys(calls))


def _contradiction(check: Check) -> str:
    """Why no output at all can pass; empty where one might."""
    parts = list(_parts(check))
    asked = [(value, part.ignore_case) for part in parts if isinstance(part, Contains) for value in part.values]
    banned = [(value, part.ignore_case) for part in parts if isinstance(part, NoneOf) for value in part.values]
    if any(_excludes(*ban, *wish) for wish in asked for ban in banned):
        return "it asks for a phrase that it also bans"
    limits = [part for part in parts if isinstance(part, Length)]
    for limit in limits:
        least = max(other.minimum or 0 for other in limits if other.unit == limit.unit)
        if limit.unit == "characters":
            least = max([least, *(len(value.strip()) for value, any_case in asked if not any_case)])
        if limit.maximum is not None and least > limit.maximum:
            return "the longest answer it allows is shorter than what it asks for"
    return ""


def _excludes(banned: str, banned_in_any_case: bool, wanted: str, wanted_in_any_case: bool) -> bool:
    """Whether no output can hold the one without the other; what may be written in any case can get round a ban."""
    if banned_in_any_case:
        return banned.casefold() in wanted.casefold()
    return not wanted_in_any_case and banned in wanted


def _refuses_expected(case: Case, check: Check, default: Check | None) -> str:
    """Whether even the wanted answer fails, and so does all that the check itself asks for."""
    if expected_fails_own_check(case, default) is None:
        return ""
    if any(check_output(case, output, default).passed for output in _asked_for(check)):
        return ""
    return "its own expected answer fails it"


def _asked_for(check: Check) -> Iterator[str]:
    """Outputs made from what the check names, which ought to pass."""
    for part in _parts(check):
        if isinstance(part, Contains) and part.values:
            yield "\n".join(part.values)
        elif isinstance(part, Length):
            yield from (_sized(size, part.unit) for size in (part.minimum, part.maximum) if size is not None)


def _sized(size: int, unit: str) -> str:
    return {"characters": "", "words": " ", "lines": "\n"}[unit].join("x" * min(size, 1_000_000))
