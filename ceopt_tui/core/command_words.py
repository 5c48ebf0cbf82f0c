"""A run measured by a command, in words: its metric has a name and no scale, and smaller may be better."""

from __future__ import annotations

from ceopt_tui.core.figures import counted
from ceopt_tui.core.state.run import RunState
from schemas.records import GainReported

MINIMIZE = "minimize"


def figure(value: float) -> str:
    """A measured number in at most five digits."""
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.5g}"


def command_outcome(state: RunState) -> str:
    """What came of the run, for a person."""
    if state.stopped is None:
        return "The run has not ended."
    gain = state.gain
    if gain and by_cases(state):
        return _gain_by_cases(gain)
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


def by_cases(state: RunState) -> bool:
    """Do the cases that the command prints decide? Only then is there a smallest gain that the set can see."""
    return state.baseline is not None and state.baseline.sees_most > 0


def floor_words(state: RunState) -> str:
    """What gains the held-out cases can see, where cases decide."""
    assert state.baseline is not None
    half, most = state.baseline.sees_half, state.baseline.sees_most
    if half == most:
        return f"no gain below {figure(most)} can be told from chance"
    return (
        f"a gain of {figure(half)} is seen about half the time, one of {figure(most)} four times in five; "
        "smaller ones will mostly be missed"
    )


def _gain_by_cases(gain: GainReported) -> str:
    runs = "fresh runs" if gain.fresh else "the command repeats itself, so these runs are the deciding ones"
    sure = "" if gain.clearly_better else "; not clearly better: the interval holds 0"
    interval = f"90% interval {gain.low:+.5g} to {gain.high:+.5g}; cautious estimate {gain.cautious:.5g}"
    return (
        f"on {counted(gain.cases, 'held-out case')}, {runs}: {figure(gain.before)} → {figure(gain.after)}, better by "
        f"{gain.gain:.5g} ({interval}){sure}"
    )


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
    if by_cases(state):
        return (
            "a change is kept only if, case by case, it is better by clearly more than the noise measured in this run: "
            "on the cases it was tuned on, then on held-out ones; its diff is read"
        )
    return "a change is kept only if it is better by more than the spec's threshold, gates hold and its diff was read"
