"""What a pull request says of code that a command measured: the changes as diffs, and what stands behind each keep."""

from __future__ import annotations

from ceopt_tui.core.command_words import figure
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.visible import one_line
from schemas.records import Compared


def kept_diffs(state: RunState) -> list[str]:
    """The kept changes in order, each against what it was made on."""
    diffs = (state.commands.changes[keep.number].diff for keep in state.keeps)
    return [diff if diff.endswith("\n") else f"{diff}\n" for diff in diffs]


def command_evidence(state: RunState) -> list[str]:
    """A section on why each change was kept, in the figures that decided it."""
    assert state.started is not None
    lines = [f"Measured by a command, which is not part of the change: {_code(state.started.command)}."]
    for keep in state.keeps:
        experiment = state.experiments[keep.number]
        reason = experiment.closed.reason if experiment.closed else "it is being closed"
        lines.append(f"{experiment.name}: {one_line(reason)}")
        lines += [f"  {_compared(one)}" for one in experiment.comparisons]
    if state.gain is None:
        why = state.stopped.no_gain if state.stopped else "the run has not ended"
        lines.append(f"First and last state were not compared once more: {why or 'not possible'}.")
    lines.append("Other machines, other loads and what the command does not print were not measured.")
    return ["## Evidence", "\n".join(line if line.startswith("  ") else f"- {line}" for line in lines)]


def _compared(one: Compared) -> str:
    metrics = (
        f"{_code(name)} {_values(one.reference.get(name, ()))} → {_values(values)}"
        for name, values in sorted(one.candidate.items())
    )
    return f"- {one.comparison}, {one.workload}: {'; '.join(metrics)}"


def _values(values: tuple[float, ...]) -> str:
    return ", ".join(map(figure, values)) or "not measured"


def _code(text: str) -> str:
    """The text in Markdown as it is; a host would make mentions and links of names."""
    return f"`` {one_line(text)} ``" if "`" in text else f"`{one_line(text)}`"
