"""A pull request's title and text as Markdown: the change, its evidence, its cases, its cost.

Words of models and names of cases stand between backticks: a host would make links and mentions of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ceopt_tui.core.command_words import figure
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
    role_cost,
    span_of,
)
from ceopt_tui.core.figures import counted, score
from ceopt_tui.core.masking import mask
from ceopt_tui.core.saving import only_shortened
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.visible import one_line, visible
from ceopt_tui.engine.command.pull_request import command_evidence, kept_diffs
from ceopt_tui.engine.reporting.judged import whose_word
from ceopt_tui.engine.text_diff import text_diff

SUBJECT = 72  # characters; git and its hosts cut or wrap longer ones


def pull_request(state: RunState) -> str:
    """Title as a heading, then the text, of a run that kept something. Secrets are hidden."""
    parts = [f"# {pull_request_title(state)}", outcome_sentence(state, span_of(state)), *_changes(state)]
    if state.by_command:
        parts += command_evidence(state)
    else:
        parts += _of_cases(state)
    return mask(visible("\n\n".join([*parts, *_cost(state), *_checking(state)]) + "\n"))


def _of_cases(state: RunState) -> list[str]:
    if hides_scores(state):
        return [f"The judge's scores are {HIDDEN}."]
    return [*_evidence(state), *_cases(state)]


def pull_request_title(state: RunState) -> str:
    """One line: the change itself, or how many there are and what they did to unseen cases."""
    assert state.started is not None
    if len(state.keeps) == 1:
        return subject(f"{state.started.name}: {_kept(state)[0].hypothesis.description}")
    title = f"{state.started.name}: {counted(len(state.keeps), 'change')}"
    if state.gain is None or hides_scores(state) or only_shortened(state):
        return subject(title)
    if state.by_command:
        return subject(f"{title}, {figure(state.gain.before)} → {figure(state.gain.after)}")
    before, after = (score(value, span_of(state)) for value in (state.gain.before, state.gain.after))
    return subject(f"{title}, {before} → {after} on unseen cases")


def subject(text: str) -> str:
    """The text on one line, cut at a word where it is too long for a subject."""
    text = " ".join(text.split())
    return text if len(text) <= SUBJECT else text[: SUBJECT - 1].rsplit(" ", 1)[0] + "…"


def _kept(state: RunState) -> list[ExperimentState]:
    return [state.experiments[keep.number] for keep in state.keeps]


def _changes(state: RunState) -> list[str]:
    rows = [
        f"- {experiment.name} ({keep.commit[:10]}): {_code(experiment.hypothesis.description)}"
        for experiment, keep in zip(_kept(state), state.keeps, strict=True)
    ]
    return ["## What changed", "\n".join(rows), *map(_fenced, _diffs(state))]


def _diffs(state: RunState) -> list[str]:
    """Of a text the whole change; commits one by one."""
    if state.by_command:
        return kept_diffs(state)
    return [text_diff(state.texts[state.original_digest], state.best_texts)]


def _fenced(diff: str) -> str:
    fence = "~" * (_longest(re.findall("~+", diff)) + 3)
    return f"{fence}diff\n{diff}{fence}"


def _evidence(state: RunState) -> list[str]:
    shortens = [experiment.shortens for experiment in _kept(state)]
    lines = ([] if all(shortens) else [KEPT_BECAUSE]) + ([SHORTER_BECAUSE] if any(shortens) else [])
    if state.split is not None:
        sides = f"{counted(len(state.selection), 'case')} to tune on, {len(state.holdout)} held out"
        looks = counted(len(state.looks), "look")
        lines.append(f"{sides}; {looks} at the held-out ones, each at a stricter level than the one before.")
    if state.baseline is not None:
        lines.append(f"{detects(state.baseline, span_of(state))}.")
    if state.gain is not None and state.judging.rubric is not None:
        lines.append(whose_word(state, state.gain.people, span_of(state)))
    if task := state.models.get("task"):
        lines.append(f"Measured with {_code(task.model)}; other models and other inputs were not measured.")
    if state.gain is None:
        why = state.stopped.no_gain if state.stopped else "the run has not ended"
        lines.append(f"The gain over the original was not measured: {why or 'too few held-out cases'}.")
    return ["## Evidence", "\n".join(f"- {line}" for line in lines)]


def _cases(state: RunState) -> list[str]:
    """Of every kept change, against the text it changed."""
    lines = []
    for experiment in _kept(state):
        if (closed := experiment.closed) is None:
            continue
        tallies = {_code(case): tally for case, tally in closed.tallies.items()}
        name = f"{experiment.name}, " if len(state.keeps) > 1 else ""
        lines.append(f"- {name}fixed: {fixed_cases(_codes(closed.fixed), tallies)}")
        lines.append(f"- {name}regressed: {failing_cases(_codes(closed.regressions), tallies)}")
        lines.append(
            f"- {name}broken (always passed, now always fails): {failing_cases(_codes(closed.broken), tallies)}"
        )
    return ["## Cases", "\n".join(lines)] if lines else []


def _cost(state: RunState) -> list[str]:
    rows = [f"- in all: {money(state)}, {counted(len(state.experiments), 'experiment')}"]
    for role, spend in sorted(state.spend.roles.items()):
        rows.append(f"- {role}: {counted(spend.calls, 'call')}, {role_cost(spend)}")
    return ["## Cost", "\n".join(rows)]


def _checking(state: RunState) -> list[str]:
    assert state.started is not None
    branch = state.started.branch
    lines = [f"- the changes, one commit each: `git log {state.started.base_sha[:10]}..{branch}`"]
    if state.report is not None:
        lines.append(f"- the whole report, every experiment in it: `git show {branch}:{state.report.path}`")
    return ["## To check it", "\n".join(lines)]


def _codes(names: Sequence[str]) -> list[str]:
    return [_code(name) for name in names]


def _code(text: str) -> str:
    """The text as it is, in Markdown: between more backticks than it holds in a row."""
    line = one_line(text)
    ticks = "`" * (_longest(re.findall("`+", line)) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line.strip() else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def _longest(texts: Iterable[str]) -> int:
    return max(map(len, texts), default=0)
