"""What one decision by evidence looks at, and what its numbers mean for the objectives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ceopt_tui.core.decision.claims import claimed_objective
from ceopt_tui.core.decision.compare import Comparison, ComparisonVerdict, is_violated
from ceopt_tui.core.decision.pair import Compared, compare_pair
from ceopt_tui.core.decision.reading import Undecidable
from ceopt_tui.core.decision.rules import Rules
from ceopt_tui.core.decision.runs import Ground, read_ground, read_passes, read_runs
from ceopt_tui.core.decision.snapshot import Snapshot
from ceopt_tui.core.evidence.ladder import Evidence
from ceopt_tui.core.evidence.noise import Noise, Runs
from ceopt_tui.core.evidence.setting import REGRESSED_Z
from ceopt_tui.core.statistics import mean


@dataclass(frozen=True)
class Side:
    """One set of cases, both texts, with the objectives that have no score per case."""

    before: Runs
    after: Runs
    others: Compared
    passes: tuple[Runs, Runs] | None = None  # of both, where the cases say themselves whether they passed

    @property
    def cases(self) -> tuple[str, ...]:
        """Ids of all cases either side was run on."""
        return tuple(sorted({*self.before, *self.after}))


@dataclass(frozen=True)
class Matter:
    """Everything one decision by evidence looks at."""

    rules: Rules
    ground: Ground
    noise: Noise
    claim: str
    selection: Side
    held_out: Side | None

    @property
    def total_cases(self) -> int:
        """Cases in all; before the held-out ones are seen, at least half of all cases are among them."""
        if self.ground.total_cases is not None:
            return self.ground.total_cases
        held_out = len(self.held_out.cases) if self.held_out else len(self.selection.cases) + 1
        return len(self.selection.cases) + held_out


def read_matter(
    rules: Rules,
    payload: Mapping[str, Any],
    baseline: Snapshot,
    candidate: Snapshot,
    pair: tuple[Snapshot, Snapshot] | None,
) -> Matter:
    """Reads the runs and pools of a payload; raises Undecidable where they cannot be used."""
    ground = read_ground(rules, payload)
    selection = _side(rules, ground, baseline, candidate)
    if not any(selection.before.values()):
        raise Undecidable("baseline.runs holds no score")
    held_out = _side(rules, ground, *pair) if pair else None
    noise = ground.noise or Noise()
    if ground.noise is None:
        for side in filter(None, (selection, held_out)):
            noise = noise.with_runs(side.before).with_runs(side.after)
    return Matter(rules, ground, noise, claimed_objective(rules, payload), selection, held_out)


def _side(rules: Rules, ground: Ground, before: Snapshot, after: Snapshot) -> Side:
    others = replace(rules, required=tuple(one for one in rules.required if one.name != rules.primary.name))
    scale = ground.scale
    told = read_passes(before), read_passes(after)
    return Side(
        read_runs(before, scale),
        read_runs(after, scale),
        compare_pair(before, after, others),
        None if told[0] is None or told[1] is None else (told[0], told[1]),
    )


def primary_comparison(matter: Matter, side: Side, found: Evidence, *, improved: bool) -> Comparison:
    """The primary's comparison as the other objectives have theirs."""
    objective = matter.rules.primary
    scores = [mean(scores) for scores in side.before.values() if scores]
    level = mean(scores) if scores else 0.0
    relative = found.mean_difference / abs(level) if level else 0.0
    full = found.step != "exploratory"  # four cases rule a candidate out, they prove nothing
    regressed = full and found.z <= REGRESSED_Z
    verdict: ComparisonVerdict = "improved" if full and improved else "regressed" if regressed else "inconclusive"
    violated = full and (regressed or is_violated(objective, verdict, found.mean_difference, relative))
    return Comparison(verdict, found.mean_difference, relative, violated)


def target_reached(matter: Matter) -> bool:
    """Is every declared target met: by the candidate's mean over all selection cases, and by the other objectives?"""
    side, primary = matter.selection, matter.rules.primary
    targets = [one for one in matter.rules.required if one.target is not None]
    scores = [mean(scores) for scores in side.after.values() if scores]
    if not targets or len(scores) < len(side.cases):
        return False
    others = side.others.target_reached or targets == [primary]
    return others and primary.reached(mean(scores))
