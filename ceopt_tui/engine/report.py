"""The report as Markdown: what was gained on which cases, for what, and what was not measured."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence

from ceopt_tui.core.coverage_words import coverage_section
from ceopt_tui.core.describe import (
    HIDDEN,
    KEPT_BECAUSE,
    SHORTER_BECAUSE,
    detects,
    failing_cases,
    fixed_cases,
    hides_scores,
    money,
    outcome_sentence,
    unseen_need,
)
from ceopt_tui.core.figures import change, counted, score
from ceopt_tui.core.outcomes import experiment_word, run_word
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.plan.wrapping import outcome_word
from ceopt_tui.core.saving import saving, saving_words
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.report_judge import judge_section, kept_lines, themes_section
from ceopt_tui.engine.telling import learnings
from schemas.coverage import Coverage

FENCE = "~~~~~~~~"


def report_markdown(state: RunState, terms: Terms, coverage: Coverage | None = None) -> str:
    """The whole report. No times in it: two runs with the same results give the same report."""
    assert state.started is not None and state.stopped is not None
    head = [
        f"# {state.started.name}: {run_word(outcome_word(state), ended=True)}",
        outcome_sentence(state, terms.span),
        f"The loop ended because: {state.stopped.reason}.",
    ]
    if hides_scores(state):
        hidden = f"The judge's scores are {HIDDEN}."
        return "\n\n".join([*head, hidden, *_counts(state), *_cost(state), *_limits(state, terms)]) + "\n"
    parts = [
        *head,
        *_counts(state),
        *_baseline(state, terms),
        *judge_section(state, terms),
        *_keeps(state, terms),
        *themes_section(state),
        *_experiments(state),
        *_learnings(state),
        *_looks(state),
        *(coverage_section(coverage) if coverage else ()),
        *_cost(state),
        *_limits(state, terms),
    ]
    return "\n\n".join(parts) + "\n"


def text_diff(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Unified diff of all changed files; empty when none changed."""
    lines: list[str] = []
    for path in sorted(after):
        old, new = before.get(path, ""), after[path]
        if old != new:
            lines += difflib.unified_diff(
                old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{path}", f"b/{path}", n=2
            )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _counts(state: RunState) -> list[str]:
    if not state.experiments:
        return []
    counts = Counter(experiment_word(experiment.outcome) for experiment in state.experiments.values())
    listed = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    return ["## Experiments by outcome", f"{len(state.experiments)} in all: {listed}."]


def _baseline(state: RunState, terms: Terms) -> list[str]:
    if state.baseline is None or state.split is None:
        return []
    split = state.split
    reserved = f", {len(split.report_only)} of them kept for this report" if split.report_only else ""
    return [
        "## Evidence quality",
        f"- {counted(len(split.selection), 'selection case')}, "
        f"{counted(len(split.holdout), 'held-out case')}{reserved}; split once, seeded, near-duplicates on one side\n"
        f"- the original text scores {score(state.baseline.mean, terms.span)} on the selection cases\n"
        f"- {_runner_line(state)}\n"
        f"- {unseen_need(state) if terms.pruning else detects(state.baseline, terms.span)}\n"
        f"- caution: {terms.caution}; the rule is a design ceiling, not a theorem",
    ]


def _runner_line(state: RunState) -> str:
    assert state.baseline is not None
    if state.deterministic:
        return "the runner repeats itself: identical text gave identical outputs, so every case was run once"
    if state.nondeterminism:
        return f"the runner was taken to repeat itself until {state.nondeterminism}"
    return "noise was measured from repeats and pooled over the whole run"


def _keeps(state: RunState, terms: Terms) -> list[str]:
    if not state.keeps:
        return []
    shortens = [state.experiments[keep.number].shortens for keep in state.keeps]
    why = ([] if all(shortens) else [KEPT_BECAUSE]) + ([SHORTER_BECAUSE] if any(shortens) else [])
    parts = ["## Kept changes", *why]
    for keep in state.keeps:
        experiment = state.experiments[keep.number]
        before = state.texts[experiment.started.base_digest]
        after = state.texts[keep.text_digest]
        shorter = saving_words(saving(state, experiment.started.base_digest, keep.text_digest))
        beside = [*([f"- {shorter}"] if experiment.shortens else []), *kept_lines(state, terms, experiment)]
        parts.append(_kept(experiment, keep.commit, text_diff(before, after), terms, beside))
    return parts


def _kept(experiment: ExperimentState, commit: str, diff: str, terms: Terms, beside: Sequence[str]) -> str:
    lines = [f"### {experiment.name}: {experiment.hypothesis.description} ({commit[:10]})", ""]
    for decided in experiment.decisions:
        numbers = decided.numbers
        z, gain = numbers.get("z"), numbers.get("mean_difference")
        figures = f"z {z:.2f}, difference {change(gain, terms.span)}" if z is not None and gain is not None else ""
        tentative = " (tentative: 5 to 10 cases)" if numbers.get("tentative") else ""
        lines.append(f"- {decided.step}: {decided.decision}{tentative} {figures}")
    if experiment.closed:
        closed, tallies = experiment.closed, experiment.closed.tallies
        lines.append(f"- fixed: {fixed_cases(closed.fixed, tallies)}")
        lines.append(f"- regressed: {failing_cases(closed.regressions, tallies)}")
        lines.append(f"- broken (always passed, now always fails): {failing_cases(closed.broken, tallies)}")
    lines += [*beside, "", f"{FENCE}diff", diff.rstrip("\n"), FENCE]
    return "\n".join(lines)


def _experiments(state: RunState) -> list[str]:
    if not state.experiments:
        return []
    rows = ["| experiment | outcome | tried | why it ended |", "|---|---|---|---|"]
    for experiment in state.experiments.values():
        reason = experiment.closed.reason if experiment.closed else ""
        cells = (experiment.name, experiment_word(experiment.outcome), experiment.hypothesis.description, reason)
        rows.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    return ["## Every experiment", "\n".join(rows)]


def _learnings(state: RunState) -> list[str]:
    told = learnings(state)
    return ["## What this run learnt", "\n".join(f"- {known.text}" for known in told)] if told else []


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _looks(state: RunState) -> list[str]:
    if not state.looks:
        return []
    rows = [
        f"- look {look.look}: exp-{look.number:03d} at level {look.level:.3f}"
        f"{' (to show no loss)' if state.experiments[look.number].shortens else ''}"
        for look in state.looks
    ]
    return ["## Looks at the held-out cases", "\n".join(rows)]


def _cost(state: RunState) -> list[str]:
    rows = [f"- in all: {money(state)}"]
    for role, spend in sorted(state.spend.roles.items()):
        tokens = f"{counted(spend.input_tokens, 'token')} in, {spend.output_tokens:,} out"
        price = "cost unknown" if spend.unpriced else f"{spend.usd:.4f} USD"
        estimated = ", token counts estimated" if spend.estimated else ""
        model = state.models[role].model if role in state.models else "unknown model"
        rows.append(f"- {role} ({model}): {counted(spend.calls, 'call')}, {tokens}, {price}{estimated}")
    return ["## Cost by role", "\n".join(rows)]


def _limits(state: RunState, terms: Terms) -> list[str]:
    lines = ["- other models, other inputs and the effect of the text outside these cases were not measured"]
    if state.split is not None and not state.split.holdout:
        lines.append("- not measured on unseen items: there are no held-out cases")
    if state.keeps and state.gain is None:
        why = state.stopped.no_gain if state.stopped else ""
        lines.append(
            f"- the gain over the original was not measured: {why or 'fewer than two distinct held-out cases'}"
        )
    if not terms.pruning and any(state.experiments[keep.number].shortens for keep in state.keeps):
        lines.append(f"- {unseen_need(state)}")
    if state.gain and not state.gain.fresh:
        lines.append("- the held-out scores of the report are the ones that decided: a repeat would be identical")
    if state.runs.failed:
        lines.append(f"- {counted(state.runs.failed, 'run')} without a score: left out")
    lines += [f"- probe {probe.probe}: not run ({probe.detail})" for probe in state.probes if probe.status == "not_run"]
    lines += [f"- {note.text}" for note in state.notes if note.level == "warning"]
    return ["## What was not measured", "\n".join(lines)]
