"""What each rule of a text is worth on the cases it was measured on: the content of coverage.json. Calls no model."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

COVERAGE_VERSION: Literal[1] = 1

RuleStatus = Literal["covered", "uncovered", "harmful", "contradicted", "unclear", "unmeasured", "needed"]
Effect = Literal["loses", "wins", "same", "touchy"]
UNGUARDED: frozenset[RuleStatus] = frozenset({"uncovered", "unclear", "unmeasured"})


class _Values(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CaseWithoutRule(_Values):
    """One case when a rule is gone: `difference` of mean scores, positive where the case does better without it.

    `touchy`: a blank line moves it too, so that it tells nothing of a rule. `scores` are those of every run without the
    rule, of neutral copies too.
    """

    difference: float
    z: float
    effect: Effect
    scores: tuple[float, ...] = ()


class RuleCoverage(_Values):
    """One rule and what its removal did. `cases` lacks those without a score on either side; they are in `lost`."""

    file: str
    rule: str
    line: int  # from 1
    text: str  # on one line, without the mark of a list item
    status: RuleStatus
    why: str
    mean: float | None = None  # mean difference over the cases
    z: float | None = None
    cases: dict[str, CaseWithoutRule] = {}
    lost: tuple[str, ...] = ()
    idea: str = ""  # which case to write, where none guards the rule

    def moved(self, effect: Effect) -> tuple[str, ...]:
        """The cases of that effect."""
        return tuple(case for case, seen in self.cases.items() if seen.effect == effect)


class Coverage(_Values):
    """The map rule × case of one text, bound to that very text and to the way it was measured.

    `cases` are selection cases alone, in the order of the columns. `runs` are of each case of the whole text,
    `runs_without` of each case and removal; `neutral_copies` ran beside a text that repeats itself exactly. `whole` has
    the scores of every run of the whole text, of its neutral copies too.
    """

    version: Literal[1] = COVERAGE_VERSION
    text_digest: str
    measurement_digest: str
    model: str
    judge: str | None = None
    span: float
    cases: tuple[str, ...]
    held_out: int  # cases that were left out
    deterministic: bool
    runs: int
    runs_without: int
    neutral_copies: int
    bar: float  # |z| from which a difference is beyond noise
    requests: int  # sent in the measurement that finished; replies kept from before cost nothing
    from_cache: int
    usd: float | None
    rules: tuple[RuleCoverage, ...]
    whole: dict[str, tuple[float, ...]] = {}

    def is_of(self, text_digest: str, measurement_digest: str) -> bool:
        """Was this measured on that very text, by those cases and settings?"""
        return (self.text_digest, self.measurement_digest) == (text_digest, measurement_digest)

    @property
    def unguarded(self) -> tuple[RuleCoverage, ...]:
        """Rules that no case is known to guard."""
        return tuple(rule for rule in self.rules if rule.status in UNGUARDED)

    @property
    def counts(self) -> dict[RuleStatus, int]:
        """How many rules there are of each kind."""
        found: dict[RuleStatus, int] = {}
        for rule in self.rules:
            found[rule.status] = found.get(rule.status, 0) + 1
        return found
