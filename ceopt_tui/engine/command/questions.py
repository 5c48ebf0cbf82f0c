"""What a person is asked in a run that a command measures: the material first, then one short question."""

from __future__ import annotations

from ceopt_tui.core.command_words import figure, floor_words
from ceopt_tui.core.describe import money
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.actions import Ask
from ceopt_tui.core.plan.command.batch import winner
from ceopt_tui.core.plan.command.candidate import broken_by
from ceopt_tui.core.plan.command.setting_up import aggregate, own_place
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.plan.proposals import proposal_options
from ceopt_tui.core.ports import Question
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.visible import visible
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.questions import ADJUST, KEEP, PROCEED, REFUSE, STOP

LONGEST_DIFF = 20_000  # characters of a diff in a question; the branch has all of it


def command_question(state: RunState, inputs: RunInputs, parts: Parts, action: Ask) -> Question | None:
    """The question of an action; None where it is asked in the same words in every run."""
    if action.what == "spec":
        return _spec(inputs, parts)
    if action.what == "baseline":
        return _baseline(state, inputs, parts)
    if action.what in {"keep", "proposal"} and action.number is not None:
        return _keep(state, inputs, parts, action.number, proposal=action.what == "proposal")
    return None


def _spec(inputs: RunInputs, parts: Parts) -> Question:
    command = parts.terms.command
    assert command is not None
    lines = [
        inputs.description,
        "",
        f"Measures   {visible(inputs.command)}",
        *[f"Goal       {goal}" for goal in inputs.goals],
        _protocol(command),
        f"May change {', '.join(inputs.mutable)}",
        f"May not    {', '.join(inputs.immutable)}",
        *inputs.approval_lines,
    ]
    return Question("spec", f"Start {inputs.name}?", "\n".join(lines), "Start measuring?", (PROCEED, ADJUST, STOP))


def _protocol(command: CommandTerms) -> str:
    if command.cases:
        return (
            "Protocol   case by case, against the noise measured in the run: up to 3 runs of a change, then held-out "
            f"cases; what repeats itself is run once (caution {command.cases.caution})"
        )
    turns = ", taken in turns" if command.paired else ""
    held_out = "; held-out runs confirm it" if command.holdout else ""
    return (
        f"Protocol   {command.mode}: {counted(command.repeats, 'sample')} of each side decide a keep{turns}{held_out}"
    )


def _baseline(state: RunState, inputs: RunInputs, parts: Parts) -> Question:
    command = parts.terms.command
    assert command is not None
    place = own_place(state)
    snapshot, samples = state.commands.snapshot(place), state.commands.taken(place)
    seconds = sum(sample.elapsed_s for sample in samples) / max(1, len(samples))
    lines = [f"Measured   {counted(len(samples), 'sample')}, {seconds:.1f} s each, on {samples[-1].machine}"]
    for name in dict.fromkeys((*snapshot["judge"], *snapshot["metrics"])):
        entry = snapshot["judge"].get(name) or snapshot["metrics"][name]
        values = entry["samples"]
        if values and all(isinstance(value, int | float) for value in values):
            spread = f"  ({figure(min(values))} to {figure(max(values))})" if len(values) > 1 else ""
            lines.append(f"  {name:<20} {figure(aggregate(command, snapshot, name))}{spread}")
    lines += ["", *[f"Goal       {goal}" for goal in inputs.goals], f"Cost       spent so far {money(state)}"]
    if command.cases:
        lines.append(f"Can see    {floor_words(state)}")
    if not command.holdout:
        lines.append("Proof      a change is chosen and reported on the same measurement: there is no held-out one")
    lines += [f"Note       {note.text}" for note in state.notes if note.level == "warning"]
    question = "Start optimizing?"
    return Question("baseline", "The baseline is measured", "\n".join(lines), question, (PROCEED, ADJUST, STOP))


def _keep(state: RunState, inputs: RunInputs, parts: Parts, number: int, *, proposal: bool) -> Question:
    experiment, change = state.experiments[number], state.commands.changes[number]
    lines = [experiment.hypothesis.description, ""]
    for one in experiment.comparisons:
        stage = one.comparison if one.comparison == one.workload else f"{one.comparison}, {one.workload}"
        where = f"{stage}, by {one.measured_by} on {one.machine or 'an unnamed machine'}"
        lines.append(f"Compared   {where}")
        for name in one.reference:
            if name in one.candidate:
                lines.append(f"  {name:<20} {_samples(one.reference[name])} → {_samples(one.candidate[name])}")
    lines += _deciding(state, parts, experiment)
    forecast = experiment.started.forecast.get("expected_benefit")
    lines += [f"Forecast   {forecast}"] if forecast else []
    lines += [f"Must hold  {text}" for text in inputs.constraints]
    lines += [f"Files      {', '.join(change.files)}", "", visible(change.diff)[:LONGEST_DIFF]]
    lines.append("Does it earn its gain by what you want, not by what the measurement fails to see?")
    if proposal:
        reason = state.waiting.parked[number].reason
        lines.insert(0, f"Waits      {reason}")
        options = proposal_options(state, parts.terms, number)
        return Question(f"proposal-{number}", f"{experiment.name} waits for you", "\n".join(lines), "Keep it?", options)
    return Question(f"keep-{number}", f"{experiment.name} won", "\n".join(lines), "Keep this change?", (KEEP, REFUSE))


def _deciding(state: RunState, parts: Parts, experiment: ExperimentState) -> list[str]:
    """The steps of a decision by cases, and the cases that the change breaks."""
    command = parts.terms.command
    if command is None or command.cases is None:
        return []
    lines = [f"Decided    {one.step.replace('_', ' ')}: {one.reason}" for one in experiment.decisions]
    broken = experiment.closed.broken if experiment.closed else broken_by(winner(state, command, experiment.number))
    return lines + ([f"Breaks     {', '.join(broken)}: always passed, now always fails"] if broken else [])


def _samples(values: tuple[float, ...]) -> str:
    shown = ", ".join(figure(value) for value in values[:5])
    return shown + (", …" if len(values) > 5 else "")
