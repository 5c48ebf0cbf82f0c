"""Finds checks that say nothing about a text: they pass, or fail, whatever comes out.

Such cases leave the gate, the failure themes and the proposer's view; the fault is in the harness, not in the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.checks import AllOf, Check, Contains, Length, NoneOf
from schemas.evalset import Case
from texttargets.checks import check_of, check_output, unusable_check
from texttargets.strict_json import as_text

# Outputs no useful check accepts; one that does can fail on nothing.
NONSENSE = ("", "\u2307 qzx 0 \u2307", "{}")


@dataclass(frozen=True)
class HarnessFinding:
    """One case whose check cannot tell outputs apart."""

    case_id: str
    fault: Literal["never_fails", "never_passes"]
    reason: str


def harness_findings(
    cases: Sequence[Case], outputs_by_case: Mapping[str, Sequence[str]], default: Check | None = None
) -> tuple[HarnessFinding, ...]:
    """Checks that pass on every output seen in the set, or fail on every one.

    A case that its own text always passes is no finding: its check must also accept what other cases got, plain
    nonsense, and what it bans. A case that always fails is none while its wanted answer would pass.
    """
    seen = {output for outputs in outputs_by_case.values() for output in outputs}
    if not seen:
        return ()
    findings = (_finding(case, seen, default) for case in cases if unusable_check(case, default) is None)
    return tuple(finding for finding in findings if finding is not None)


def _finding(case: Case, seen: set[str], default: Check | None) -> HarnessFinding | None:
    def passes(output: str) -> bool:
        return check_output(case, output, default).passed

    if all(map(passes, (*NONSENSE, *_banned(check_of(case, default))))) and all(map(passes, seen)):
        return HarnessFinding(
            case.id, "never_fails", f"passed on all {len(seen)} different outputs seen, and on nonsense"
        )
    witnesses = _witnesses(case, check_of(case, default))
    if not any(map(passes, witnesses)) and not any(map(passes, seen)):
        also = "" if case.expected is None else ", the expected answer among them"
        return HarnessFinding(case.id, "never_passes", f"failed on all {len(seen)} different outputs seen{also}")
    return None


def _banned(check: Check | None) -> tuple[str, ...]:
    """Outputs that a ban or a limit is there to refuse, whether or not one has come up yet."""
    if isinstance(check, AllOf):
        return tuple(output for part in check.checks for output in _banned(part))
    if isinstance(check, NoneOf):
        return check.values
    if isinstance(check, Length) and check.maximum is not None:
        return (_sized(check.maximum + 1, check.unit),)
    return ()


def _witnesses(case: Case, check: Check | None) -> tuple[str, ...]:
    """Outputs that ought to pass, made from the case itself."""
    wanted = () if case.expected is None else (as_text(case.expected),)
    if isinstance(check, AllOf):
        return wanted + tuple(output for part in check.checks for output in _witnesses(case, part))
    if isinstance(check, Contains) and check.values:
        return (*wanted, "\n".join(check.values))
    if isinstance(check, Length):
        sizes = [size for size in (check.minimum, check.maximum) if size is not None]
        return wanted + tuple(_sized(size, check.unit) for size in sizes)
    return wanted


def _sized(size: int, unit: str) -> str:
    return {"characters": "", "words": " ", "lines": "\n"}[unit].join("x" * min(size, 1_000_000))
