"""What a person is asked, laid out to be read: the material first, then one short question with its options."""

from __future__ import annotations

from ceopt_tui.core.describe import detects, failing_cases, fixed_cases, money, unseen_need
from ceopt_tui.core.figures import change, counted, score
from ceopt_tui.core.harness_words import left_out_line, left_out_sentence
from ceopt_tui.core.plan.closing import broken, changes, tallies
from ceopt_tui.core.plan.forecast import plan_lines
from ceopt_tui.core.ports import Question
from ceopt_tui.core.saving import saving, saving_words
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.judge_questions import judge_lines, winner_lines
from ceopt_tui.engine.parts import Parts, RunInputs
from ceopt_tui.engine.reading import reading_lines
from ceopt_tui.engine.text_diff import text_diff

PROCEED, ADJUST, STOP = "proceed", "adjust the spec", "stop"
LEFT_OUT_SHOWN = 6  # cases that count for nothing, each with its reason
KEEP, REFUSE = "keep", "refuse"
_PROOF = {
    False: "a change is kept only if it also wins on the held-out cases, which it was never chosen on",
    True: "a rule leaves only if no loss shows without it, on these cases and then on the held-out ones",
}


def spec_question(state: RunState, inputs: RunInputs, parts: Parts) -> Question:
    """Before the first paid call: what will be run, on what, for how much. Money stands where no one has to scroll."""
    split = inputs.split
    lines = [
        inputs.description,
        "",
        f"Target     {', '.join(inputs.texts)}",
        *plan_lines(split, parts.terms),
        "",
        f"May change {', '.join(inputs.mutable)}",
        f"May not    {', '.join(inputs.immutable) or 'nothing else is named'}",
        f"Cases      {len(split.selection)} to tune on, {len(split.holdout)} held out (never tuned on, confirm a keep)",
        *inputs.approval_lines,
    ]
    return Question("spec", f"Start {inputs.name}?", "\n".join(lines), "Start measuring?", (PROCEED, ADJUST, STOP))


def baseline_question(state: RunState, inputs: RunInputs, parts: Parts) -> Question:
    """Before the first idea: where the text stands and what this set can show."""
    assert state.baseline is not None
    baseline, span = state.baseline, parts.terms.span
    low, high = baseline.calls_per_experiment
    repeat = "outputs repeat exactly: one run a case is enough" if baseline.deterministic else "outputs vary: repeats"
    usd = baseline.usd_per_experiment
    price = f", {usd[0]:.3f} to {usd[1]:.3f} USD" if usd else ", price unknown"
    lines = [
        f"Baseline   {score(baseline.mean, span)} on {counted(len(state.selection), 'selection case')}"
        f" ({counted(baseline.scored, 'run')}, {baseline.unscored} unscored)",
        f"Noise      {repeat}",
        f"Detects    {unseen_need(state) if parts.terms.pruning else detects(baseline, span)}",
        f"Probes     {_probes(state)}",
        *_left_out(state),
        *judge_lines(state, parts.terms),
        f"Cost       {low} to {counted(high, 'call')} an experiment{price}; spent so far {money(state)}",
        f"Proof      {_PROOF[parts.terms.pruning]}",
    ]
    asked = "Start taking rules out?" if parts.terms.pruning else "Start optimizing?"
    return Question("baseline", "The baseline is measured", "\n".join(lines), asked, (PROCEED, ADJUST, STOP))


def _left_out(state: RunState) -> list[str]:
    """The cases that count for nothing, each with the reason; a person may want to put their checks right first."""
    flagged = state.harness.flagged
    if not flagged:
        return []
    more = [f"           and {len(flagged) - LEFT_OUT_SHOWN} more; `ceopt log` has them all"]
    return [
        f"Checks     {left_out_sentence(state)}; put right, they count",
        *(f"           {left_out_line(state, case)}" for case in flagged[:LEFT_OUT_SHOWN]),
        *(more if len(flagged) > LEFT_OUT_SHOWN else []),
    ]


def _probes(state: RunState) -> str:
    return "; ".join(f"{probe.probe} {probe.status.replace('_', ' ')}" for probe in state.probes) or "none"


def _case_lines(state: RunState, parts: Parts, number: int) -> list[str]:
    """Single cases behind the mean; one that always passed and now always fails is named first of all."""
    experiment = state.experiments[number]
    fixed, regressed = changes(state, parts.terms, experiment)
    broke = broken(state, parts.terms, experiment)
    runs = tallies(state, parts.terms, experiment, (*broke, *fixed, *regressed))
    lines = [
        f"Broken     {failing_cases(broke, runs)}",
        f"Fixed      {fixed_cases(fixed, runs)}",
        f"Regressed  {failing_cases(regressed, runs)}",
    ]
    if broke:
        lines.append("Broken cases passed in every run of the current text and fail in every run of this one.")
    return lines


def keep_question(state: RunState, parts: Parts, number: int) -> Question:
    """A confirmed winner: its diff is read against what the spec asks for before it is kept."""
    experiment = state.experiments[number]
    title = f"{experiment.name} is shorter and no worse" if experiment.shortens else f"{experiment.name} won"
    message = "\n".join(winner_material(state, parts, number))
    return Question(f"keep-{number}", title, message, "Keep this change?", (KEEP, REFUSE))


def winner_material(state: RunState, parts: Parts, number: int) -> list[str]:
    """What a person decides on a confirmed change by: its evidence, its cases, what its readers say, its diff."""
    experiment = state.experiments[number]
    assert experiment.text_digest is not None
    span = parts.terms.span
    lines = [experiment.hypothesis.description, ""]
    for decided in experiment.decisions:
        gain = decided.numbers.get("mean_difference")
        lines.append(f"{decided.step:<13}{decided.decision:<14}{change(gain, span) if gain is not None else ''}")
    lines += ["", *_case_lines(state, parts, number)]
    if experiment.shortens:
        found = saving(state, experiment.started.base_digest, experiment.text_digest)
        lines += ["", f"Length     {saving_words(found)}"]
    diff = text_diff(state.texts[experiment.started.base_digest], state.texts[experiment.text_digest])
    if parts.judging:
        lines += ["", *winner_lines(state, parts.terms, number)]
    if read := reading_lines(state, parts, experiment):
        lines += ["", *read]
    return [*lines, "", diff, _doubt(experiment, parts)]


def _doubt(experiment: ExperimentState, parts: Parts) -> str:
    """What a person has to ask themselves, since no case can."""
    if experiment.shortens:
        return "Do you want this rule for something that no case asks about?"
    return f"Does it earn its gain by what you want, not by what the {_scorer(parts)} to see?"


def _scorer(parts: Parts) -> str:
    return "judge fails" if parts.judging else "checks fail"
