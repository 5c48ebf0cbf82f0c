"""A coverage map on a text that has changed since: what it still says, and what it cannot say. No file is read.

A rule is known by its content. What another rule became does not touch what was found of this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.coverage import Coverage, RuleCoverage

NEW = "not in the map: added or changed since it was measured"
MEASURED_OTHERWISE = "the map was measured with other cases or settings"


@dataclass(frozen=True)
class RuleAt:
    """One rule of the text as it is now, of the kinds that a map tells of."""

    file: str
    rule: str
    line: int  # from 1
    text: str


def carried(coverage: Coverage, rules: Sequence[RuleAt], *, text_digest: str, measurement_digest: str) -> Coverage:
    """The map as far as it holds for these rules.

    A rule it knows, by its content, keeps what was found. One it does not know is unmeasured. Measured with other cases
    or settings it knows none that a case guards any more; what no case guarded then stays unguarded.
    """
    if coverage.is_of(text_digest, measurement_digest):
        return coverage
    same = coverage.measurement_digest == measurement_digest
    known = {(one.file, one.rule): one for one in coverage.rules}
    now = tuple(_now(at, known.get((at.file, at.rule)), same) for at in rules)
    return coverage.model_copy(update={"rules": now})


def _now(at: RuleAt, known: RuleCoverage | None, same: bool) -> RuleCoverage:
    if known is not None and (same or known.status not in {"covered", "harmful", "contradicted"}):
        return known.model_copy(update={"line": at.line})
    why = NEW if known is None else MEASURED_OTHERWISE
    return RuleCoverage(file=at.file, rule=at.rule, line=at.line, text=at.text, status="unmeasured", why=why)


def unknown(coverage: Coverage) -> tuple[RuleCoverage, ...]:
    """The rules that a carried map cannot tell of."""
    return tuple(rule for rule in coverage.rules if rule.why in {NEW, MEASURED_OTHERWISE})
