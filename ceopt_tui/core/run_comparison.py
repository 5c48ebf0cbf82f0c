"""Two runs side by side, and whether their scores can be held against each other at all. Pure; draws nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ceopt_tui.core.describe import HIDDEN, hides_scores, money, span_of
from ceopt_tui.core.figures import change, counted, score
from ceopt_tui.core.outcomes import run_word
from ceopt_tui.core.plan.stopping import best_mean
from ceopt_tui.core.state.run import RunState

DIGEST_CHARACTERS = 12
UNKNOWN = "not known"
SCORED_BY = ("task", "judge")  # roles whose model makes the scores


@dataclass(frozen=True)
class RunComparison:
    """`rows` are label, first and second run; `why_not` is empty where the scores can be compared."""

    rows: tuple[tuple[str, str, str], ...]
    why_not: tuple[str, ...]

    @property
    def comparable(self) -> bool:
        return not self.why_not


def compare_runs(first: RunState, second: RunState) -> RunComparison:
    """What people ask of two runs, in words."""
    left, right = _facts(first), _facts(second)
    rows = tuple((label, left[label], right[label]) for label in left)
    return RunComparison(rows, tuple(_why_not(first, second)))


def _facts(state: RunState) -> dict[str, str]:
    kept, tried = len(state.keeps), counted(len(state.experiments), "experiment")
    started = state.started
    return {
        "Outcome": run_word(state.finished.outcome, ended=True) if state.finished else state.status,
        "Tuning": _tuning(state),
        "Held out": _held_out(state),
        "Kept": f"{kept} of {tried}",
        "Cost": money(state),
        "Task": _model(state, "task"),
        "Judge": _model(state, "judge"),
        "Proposer": _model(state, "proposer"),
        "Cases": _cases(state),
        "Measured": started.measurement_digest[:DIGEST_CHARACTERS] if started else UNKNOWN,
        "Text": started.text_digest[:DIGEST_CHARACTERS] if started else UNKNOWN,
    }


def _tuning(state: RunState) -> str:
    if hides_scores(state):
        return HIDDEN
    if state.baseline is None:
        return "not measured"
    span, before = span_of(state), state.baseline.mean
    after = best_mean(state) if state.keeps else before
    return f"{score(before, span)} → {score(before if after is None else after, span)}"


def _held_out(state: RunState) -> str:
    gain, span = state.gain, span_of(state)
    if gain is None:
        return "no final gain measured"
    if hides_scores(state):
        return HIDDEN
    interval = f"(90%: {change(gain.low, span)} to {change(gain.high, span)})"
    return f"{score(gain.before, span)} → {score(gain.after, span)}, {change(gain.gain, span)} {interval}"


def _model(state: RunState, role: str) -> str:
    bound = state.models.get(role)
    return bound.model if bound else "none"


def _cases(state: RunState) -> str:
    if state.split is None:
        return UNKNOWN
    return f"{len(state.split.selection)} for tuning, {len(state.split.holdout)} held out"


def _why_not(first: RunState, second: RunState) -> Iterator[str]:
    if first.started is None or second.started is None:
        yield "one of them has not started"
        return
    if first.by_command or second.by_command:
        if first.started.command != second.started.command:
            yield "another command measured them"
    elif _sides(first) != _sides(second):
        yield "not the same cases on the same sides"
    if first.started.measurement_digest != second.started.measurement_digest:
        yield "what decides a score differs: the spec's metric or runner, the eval set, or a file these name"
    for role in SCORED_BY:
        if _model(first, role) != _model(second, role):
            yield f"another {role} model: {_model(first, role)}, {_model(second, role)}"
    if _rubric(first) != _rubric(second):
        yield "another rubric"


def _sides(state: RunState) -> tuple[Sequence[str], Sequence[str]]:
    split = state.split
    return (sorted(split.selection), sorted(split.holdout)) if split else ((), ())


def _rubric(state: RunState) -> str:
    return state.judging.rubric.digest if state.judging.rubric else ""


def verdict_lines(found: RunComparison) -> list[str]:
    """Whether the scores can be compared, and why not."""
    if found.comparable:
        return ["Measured alike: the scores can be compared; whether a difference is more than chance they do not say."]
    return ["The scores cannot be compared:", *(f"- {reason}" for reason in found.why_not)]
