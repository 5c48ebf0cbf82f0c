"""Has the ground moved? Fresh runs of the current text in every pool of a candidate, held against its earlier ones.

Arms that are measured apart differ by load alone: a pool without a newly measured reference carries a few runs of it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from ceopt_tui.core.plan.actions import PlannedRun
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from schemas.records import ReferenceReset

DRIFT_CASES = 3
DRIFT_BOUND = 3.0


def drift_runs(cases: int, *, deterministic: bool) -> int:
    """Runs of the current text in one pool that measures so many cases."""
    return min(1 if deterministic else DRIFT_CASES, cases)


def drift_check(
    state: RunState, terms: Terms, experiment: ExperimentState, cases: Sequence[str], *, held_out: bool
) -> list[PlannedRun]:
    """Runs of the current text that this step of the experiment still owes; none where it is measured anew anyway."""
    rung, reference = experiment.rung, state.reference
    if (reference.held_out_since if held_out else reference.selection_since) in {None, rung}:
        return []
    wanted = drift_runs(len(cases), deterministic=state.deterministic)
    drawn = random.Random(f"{terms.seed}:drift:{rung}").sample(sorted(cases), wanted)
    digest, number = reference.text_digest, experiment.number
    return [
        PlannedRun(digest, case, sample, "drift", number)
        for case in drawn
        if (rung, case) not in experiment.drift
        for sample in state.runs.free_samples(digest, case, 1)
    ]


def drifted(state: RunState, terms: Terms, *, held_out: bool) -> ReferenceReset | None:
    """The reset that is due when fresh runs on this side lie more than three standard errors off the reference."""
    sigma2, reference = terms.noise(state).sigma2, state.reference
    earlier = reference.held_out if held_out else reference.selection
    pairs = [(values, earlier[case]) for case, values in reference.drift.items() if earlier.get(case)]
    shift = sum(sum(new) / len(new) - sum(old) / len(old) for new, old in pairs)
    variance = sigma2 * sum(1 / len(new) + 1 / len(old) for new, old in pairs)
    if variance == 0 or abs(shift) <= DRIFT_BOUND * variance**0.5:
        return None
    where = " on the held-out cases" if held_out else ""
    reason = f"fresh runs of the current text differ from its earlier ones by more than 3 standard errors{where}"
    return ReferenceReset(text_digest=reference.text_digest, reason=reason, held_out_only=held_out)
