"""The content of the report of a run that a command measures. No times in it: equal results give an equal report."""

from __future__ import annotations

from collections import Counter

from ceopt_tui.core.command_words import by_cases, command_outcome, figure, floor_words
from ceopt_tui.core.delivered import delivered_lines
from ceopt_tui.core.figures import counted
from ceopt_tui.core.outcomes import experiment_word, run_word
from ceopt_tui.core.plan.wrapping import outcome_word
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.reporting.document import Block, Bullets, Cell, Code, Paragraph, Part, Report, Section, Table
from ceopt_tui.engine.reporting.spending import cost_section
from ceopt_tui.engine.telling import learnings
from schemas.records import Compared


def command_report(state: RunState) -> Report:
    """The whole report of a run whose loop has ended."""
    assert state.started is not None and state.stopped is not None
    title = f"{state.started.name}: {run_word(outcome_word(state), ended=True)}"
    lead = (command_outcome(state), f"The loop ended because: {state.stopped.reason}.")
    sections = [
        *_counts(state),
        *_kept(state),
        *_experiments(state),
        *_comparisons(state),
        *_by_cases(state),
        *_learnt(state),
        *cost_section(state),
        *_limits(state),
    ]
    return Report(title, lead, tuple(sections))


def _counts(state: RunState) -> list[Section]:
    if not state.experiments:
        return []
    counts = Counter(experiment_word(experiment.outcome) for experiment in state.experiments.values())
    listed = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    return [Section("Experiments by outcome", (Paragraph(f"{len(state.experiments)} in all: {listed}."),))]


def _kept(state: RunState) -> list[Section]:
    parts: list[Block | Part] = []
    for keep in state.keeps:
        experiment, change = state.experiments[keep.number], state.commands.changes[keep.number]
        blocks: list[Block] = [
            Paragraph(experiment.hypothesis.description),
            Bullets(
                (
                    f"commit {keep.commit} on {keep.branch}",
                    f"files: {', '.join(change.files)}",
                    f"why: {experiment.closed.reason if experiment.closed else 'it is being closed'}",
                    f"forecast when it began: {experiment.started.forecast.get('expected_benefit', 'none on record')}",
                )
            ),
            Table(("change",), ((Code(change.diff),),)),
        ]
        parts.append(Part(experiment.name, tuple(blocks)))
    return [Section("What was kept", tuple(parts))] if parts else []


def _experiments(state: RunState) -> list[Section]:
    rows = tuple(
        (
            one.name,
            experiment_word(one.outcome),
            one.hypothesis.description,
            one.closed.reason if one.closed else "",
            _cases(one),
        )
        for one in state.experiments.values()
    )
    head = ("experiment", "outcome", "tried", "why it ended", "cases")
    return [Section("Every experiment", (Table(head, rows),))] if rows else []


def _cases(experiment: ExperimentState) -> str:
    closed = experiment.closed
    if closed is None:
        return ""
    said = [f"fixed {', '.join(closed.fixed)}"] if closed.fixed else []
    said += [f"regressed {', '.join(closed.regressions)}"] if closed.regressions else []
    said += [f"broken (always passed, now always fails) {', '.join(closed.broken)}"] if closed.broken else []
    return "; ".join(said)


def _comparisons(state: RunState) -> list[Section]:
    """Every pairing that decided something, with who measured it and where."""
    rows: list[tuple[Cell, ...]] = []
    for experiment in state.experiments.values():
        for one in experiment.comparisons:
            rows += [(experiment.name, *_side(one), name, *_values(one, name)) for name in sorted(one.candidate)]
    head = ("experiment", "comparison", "measured by", "metric", "before", "after")
    return [Section("Measurements behind the decisions", (Table(head, tuple(rows)),))] if rows else []


def _side(one: Compared) -> tuple[str, str]:
    return f"{one.comparison}, {one.workload}", f"{one.measured_by} on {one.machine or 'a machine without a name'}"


def _values(one: Compared, name: str) -> tuple[str, str]:
    before, after = one.reference.get(name, ()), one.candidate[name]
    return ", ".join(map(figure, before)) or "not measured", ", ".join(map(figure, after))


def _by_cases(state: RunState) -> list[Section]:
    """What stands behind decisions by cases: what the set can see, the looks at held-out cases and their levels."""
    if not by_cases(state):
        return []
    lines = [f"what the held-out cases can see: {floor_words(state)}"]
    lines += [
        f"look {look.look} at the held-out cases: {state.experiments[look.number].name}, "
        f"level {look.level:.3f} after {counted(look.keeps, 'keep')}"
        for look in state.looks
    ]
    if state.nondeterminism:
        lines.append(f"the command was taken to repeat itself until {state.nondeterminism}")
    elif state.deterministic:
        lines.append("the command repeats itself, so every case was run once")
    return [Section("Evidence, case by case", (Bullets(tuple(lines)),))]


def _learnt(state: RunState) -> list[Section]:
    told = tuple(known.text for known in learnings(state))
    return [Section("What this run learnt", (Bullets(told),))] if told else []


def _limits(state: RunState) -> list[Section]:
    """What nobody should conclude from this report."""
    lines = ["what the measuring command does not print, and other machines and loads, were not measured"]
    if state.keeps and state.gain is None and state.stopped:
        lines.append(f"first and last state were not compared once more: {state.stopped.no_gain or 'not possible'}")
    waiting = [state.experiments[one.number].name for one in state.waiting.proposals]
    if waiting:
        lines.append(f"{counted(len(waiting), 'change')} waits for a person: {', '.join(waiting)}")
    lines += delivered_lines(state)
    lines += [note.text for note in state.notes if note.level == "warning"]
    return [Section("What was not measured", (Bullets(tuple(lines)),))]
