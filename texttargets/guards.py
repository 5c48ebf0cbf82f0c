"""All refusals of a candidate that need no model, in one pure function."""

from collections.abc import Mapping, Sequence

from ceopt_tui.core.ports import Guard, Refusal
from texttargets.guard_bytes import check_bytes
from texttargets.guard_characters import check_characters
from texttargets.guard_fences import check_fences
from texttargets.guard_front_matter import check_front_matter
from texttargets.guard_length import check_length
from texttargets.guard_placeholders import check_placeholders
from texttargets.guard_protection import check_protected
from texttargets.guard_scope import check_scope
from texttargets.guard_truncation import check_truncation
from texttargets.language import check_language
from texttargets.leak import check_leaks
from texttargets.leak_index import LeakIndex
from texttargets.leak_sources import LeakSources
from texttargets.limits import Limits


def make_guard(*, sources: LeakSources, syntax: str, limits: Limits | None = None) -> Guard:
    """A guard for one run; the sources are indexed here once.

    `after` may hold only the changed files. With several files each message starts with its path.
    """
    index = LeakIndex(sources)
    in_force = limits if limits is not None else Limits()

    def guard(before: Mapping[str, str], after: Mapping[str, str]) -> Sequence[Refusal]:
        refusals = check_scope(before, after, in_force)
        if any(refusal.code == "unchanged" for refusal in refusals):
            return refusals
        refusals += check_length(before, after, in_force)
        for path in sorted(path for path in after if path in before and after[path] != before[path]):
            found = _check_file(before[path], after[path], syntax, index, in_force)
            refusals += found if len(before) == 1 else [_in_file(path, refusal) for refusal in found]
        return refusals

    return guard


def _check_file(before: str, after: str, syntax: str, index: LeakIndex, limits: Limits) -> list[Refusal]:
    return [
        *check_placeholders(before, after, syntax),
        *check_front_matter(before, after, may_change=limits.front_matter_may_change),
        *check_bytes(before, after),
        *check_characters(before, after),
        *check_protected(before, after, limits.protect),
        *check_fences(before, after),
        *check_truncation(before, after),
        *check_language(before, after),
        *check_leaks(before, after, index, limits.allowed_phrases),
    ]


def _in_file(path: str, refusal: Refusal) -> Refusal:
    return Refusal(refusal.code, f"{path}: {refusal.message}", refusal.line)
