"""A run measured by a command, in words: its metric has a name and no scale, and smaller may be better."""

from __future__ import annotations

from ceopt_tui.core.figures import counted
from ceopt_tui.core.state.run import RunState

MINIMIZE = "minimize"


def figure(value: float) -> str:
    """A measured number in at most five digits."""
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.5g}"


def command_outcome(state: RunState) -> str:
    """What came of the run, for a person."""
    if state.stopped is None:
        return "The run has not ended."
    gain = state.gain
    if gain:
        sure = "" if gain.clearly_better else _not_sure(gain.cases)
        interval = f" (90% interval {gain.low:+.5g} to {gain.high:+.5g})" if gain.cases > 1 else ""
        return (
            f"measured afresh, {counted(gain.cases, 'sample')} of each side: {figure(gain.before)} → "
            f"{figure(gain.after)}, better by {gain.gain:.5g}{interval}{sure}"
        )
    if state.keeps:
        why = f"; first and last state were not compared once more: {state.stopped.no_gain}"
        return f"{counted(len(state.keeps), 'change')} kept{why if state.stopped.no_gain else ''}."
    if state.baseline is None:
        return "Nothing was measured."
    if not state.experiments:
        return "No change was tried."
    return f"No change is kept: none of {counted(len(state.experiments), 'experiment')} was better for sure."


def _not_sure(samples: int) -> str:
    return "; one sample shows no spread" if samples == 1 else "; not clearly better: the interval holds 0"


def command_score(state: RunState) -> str:
    """Where the primary metric stands: at the beginning and now."""
    if state.baseline is None:
        return "not measured yet"
    if state.gain:
        return f"{figure(state.gain.before)} at first, {figure(state.gain.after)} now, measured afresh"
    kept = f"; {counted(len(state.keeps), 'change')} kept since" if state.keeps else "; no change kept"
    return f"{figure(state.baseline.mean)} at first, {counted(state.baseline.scored, 'sample')}{kept}"


def command_proof(state: RunState) -> str:
    """What stands behind the keeps."""
    if state.gain:
        return command_outcome(state)
    waiting = state.waiting.proposals
    if waiting:
        named = ", ".join(state.experiments[one.number].name for one in waiting)
        one = len(waiting) == 1
        read = "waits for you to read it" if one else "wait for you to read them"
        return f"{counted(len(waiting), 'change')} {read}: {named}"
    return "a change is kept only if it is better by more than the spec's threshold, gates hold and its diff was read"
