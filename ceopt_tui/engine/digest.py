"""The strategy digest: what a proposer reads of the run instead of its log. Selection cases only."""

from __future__ import annotations

from collections import Counter

from ceopt_tui.core.figures import score
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.ideas import still_open, told_outcome, told_reason

DIGEST_NAME = "strategy-digest.md"
REASONS_SHOWN = 10


def digest_text(state: RunState, span: float) -> str:
    """Categories tried with counts, learnings, what is left, where the best stands."""
    lines = ["# Strategy digest", "", "## Tried so far"]
    tried = state.experiments.values()
    counts = Counter((experiment.hypothesis.category, told_outcome(experiment)) for experiment in tried)
    lines += [f"- {category}: {outcome} × {count}" for (category, outcome), count in sorted(counts.items())]
    lines += ["", "## Last results"]
    for experiment in list(state.experiments.values())[-REASONS_SHOWN:]:
        if experiment.closed:
            lines.append(f"- {experiment.hypothesis.description}: {told_reason(experiment)}")
    if state.learnings:
        lines += ["", "## Learnings", *[f"- {text}" for text in state.learnings]]
    lines += ["", "## Still open"]
    for idea in still_open(state):
        stale = "" if idea.generation == state.generation else " (estimate is stale)"
        lines.append(f"- {idea.description}: {idea.opportunity.get('expected_benefit', 'unknown')}{stale}")
    if state.baseline:
        lines += ["", f"Baseline on selection cases: {score(state.baseline.mean, span)}; keeps: {len(state.keeps)}"]
    return "\n".join(lines) + "\n"
