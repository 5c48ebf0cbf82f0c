"""The strategy digest: what a proposer reads of the run instead of its log. Selection cases only."""

from __future__ import annotations

from collections import Counter

from ceopt_tui.core.figures import score
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.ideas import still_open
from ceopt_tui.engine.telling import learnings, told_outcome, unseen_by_checks

DIGEST_NAME = "strategy-digest.md"
LEARNINGS_SHOWN = 10


def digest_text(state: RunState, span: float) -> str:
    """Categories tried with counts, learnings, what is left, where the best stands."""
    lines = ["# Strategy digest", "", "## Tried so far"]
    tried = state.experiments.values()
    counts = Counter(
        (experiment.hypothesis.category, told_outcome(experiment, experiment.outcome)) for experiment in tried
    )
    lines += [f"- {category}: {outcome} × {count}" for (category, outcome), count in sorted(counts.items())]
    if told := _learnings(state):
        lines += ["", "## Learnings", *[f"- {text}" for text in told]]
    lines += ["", "## Still open"]
    for idea in still_open(state):
        stale = "" if idea.generation == state.generation else " (estimate is stale)"
        lines.append(f"- {idea.description}: {idea.opportunity.get('expected_benefit', 'unknown')}{stale}")
    if state.baseline:
        lines += ["", f"Baseline on selection cases: {score(state.baseline.mean, span)}; keeps: {len(state.keeps)}"]
    return "\n".join(lines) + "\n"


def _learnings(state: RunState) -> list[str]:
    """The last ones, and for good what was refused by whoever read it: nothing else sees that."""
    told = learnings(state)
    refused = {experiment.number for experiment in state.experiments.values() if unseen_by_checks(experiment)}
    older = [known for known in told[:-LEARNINGS_SHOWN] if known.number in refused]
    return [known.text for known in (*older, *told[-LEARNINGS_SHOWN:])]
