"""Two files of outputs compared pair by pair: what is a pair, the rows, and what they come to.

Sends nothing; `pairwise` asks the judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from ceopt_tui.core.evidence.signflip import signflip_p
from ceopt_tui.core.figures import counted
from ceopt_tui.errors import CeoptError, InputError, Problem
from ceopt_tui.exits import ExitStatus
from judges.judge_rows import ended
from judges.judged_item import JudgedItem
from judges.ledger import Spend
from judges.pairwise import Pair, Preference, Winner

MUCH_LONGER = 1.5  # outputs that grew by half may win by their length

_SIDES: dict[Winner | None, str | None] = {"candidate": "items", "reference": "against", "tie": "tie", None: None}


def pair_up(
    items: Sequence[JudgedItem], others: Sequence[JudgedItem], other_file: Path
) -> tuple[tuple[Pair, ...], tuple[str, ...]]:
    """Outputs with one id and one input, in the order of `items`, and notes on what has no partner.

    Raises InputError where an id stands for two inputs, or no id is in both.
    """
    theirs = {item.id: item for item in others}
    problems = [
        Problem(str(other_file), 0, "input", f"the item {item.id!r} has another input here")
        for item in items
        if item.id in theirs and theirs[item.id].input != item.input
    ]
    pairs = [Pair(item.id, item.input, theirs[item.id].output, item.output) for item in items if item.id in theirs]
    if not pairs and not problems:
        problems = [Problem(str(other_file), 0, "id", "no id in this file is among the items")]
    if problems:
        raise InputError(problems, "A pair is two outputs for one input, under one id.")
    alone = len(items) + len(others) - 2 * len(pairs)
    notes = (f"{counted(alone, 'item')} in one of the two files alone, left out",) if alone else ()
    return tuple(pairs), notes


@dataclass(frozen=True)
class PairRow:
    """One comparison."""

    preference: Preference

    @property
    def preferred(self) -> str | None:
        """`items`, `against`, `tie`, or None without a verdict."""
        return _SIDES[self.preference.winner]

    def to_json(self) -> dict[str, Any]:
        """The row scripts rely on."""
        preference = self.preference
        return {"id": preference.pair_id, "preferred": self.preferred, "unscored": preference.unscored}


@dataclass(frozen=True)
class PairSummary:
    """What all comparisons came to. `usd` is None where a price is unknown; `growth` where one side shows nothing."""

    items: int
    against: int
    ties: int
    unscored: int
    failed: int
    growth: float | None
    calls: int
    usd: float | None
    stopped: CeoptError | None = None

    @property
    def p(self) -> float:
        """Exact two-sided sign test: would a fair coin favour one side as clearly? Ties say nothing."""
        more, fewer = max(self.items, self.against), min(self.items, self.against)
        return min(1.0, 2 * signflip_p([1.0] * more + [-1.0] * fewer))

    @property
    def scored(self) -> int:
        return self.items + self.against + self.ties

    @property
    def much_longer(self) -> bool:
        """Whether the length of one side may be what was preferred."""
        return self.growth is not None and not 1 / MUCH_LONGER <= self.growth <= MUCH_LONGER

    @property
    def exit_status(self) -> ExitStatus:
        """Finished only when no call failed and the verdicts may be used."""
        return ended(self.stopped, self.failed, self.scored, self.unscored)

    def to_json(self) -> dict[str, Any]:
        """The last line scripts rely on."""
        counts = {"items": self.items, "against": self.against, "ties": self.ties, "unscored": self.unscored}
        growth = None if self.growth is None else round(self.growth, 3)
        usd = None if self.usd is None else round(self.usd, 6)
        return {"summary": {**counts, "p": round(self.p, 6), "length_ratio": growth, "calls": self.calls, "usd": usd}}


def summary(
    pairs: Sequence[Pair], rows: Sequence[PairRow], spend: Spend, stopped: CeoptError | None = None
) -> PairSummary:
    """Counts over all pairs."""
    counts = Counter(row.preferred for row in rows)
    before, after = fmean(len(pair.reference) for pair in pairs), fmean(len(pair.candidate) for pair in pairs)
    return PairSummary(
        items=counts["items"],
        against=counts["against"],
        ties=counts["tie"],
        unscored=counts[None],
        failed=sum(row.preference.failed for row in rows),
        growth=after / before if before and after else None,
        calls=spend.requests,
        usd=spend.usd,
        stopped=stopped,
    )
