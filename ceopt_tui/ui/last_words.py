"""What the shell shows once the screen is closed: the outcome, and how to go on."""

from __future__ import annotations

from ceopt_tui.core.describe import outcome_sentence
from ceopt_tui.core.figures import counted
from ceopt_tui.core.harness_words import harder_lines
from ceopt_tui.core.masking import mask
from ceopt_tui.core.outcomes import run_word
from ceopt_tui.ui.run_model import RunModel


def outcome_lines(model: RunModel) -> list[str]:
    """The run in words and figures, for stdout; none when no tick has ended."""
    state, result, terms = model.state, model.result, model.terms
    if result is None:
        return []
    scored, unscored = state.runs.scored, sum(state.runs.failures.values())
    counts = f"{len(state.keeps)} kept of {counted(len(state.experiments), 'experiment')}"
    word = run_word(result.outcome, ended=state.finished is not None)
    return [
        mask(outcome_sentence(state, terms.span if terms else 1.0)),
        f"{result.status}: {word}; {counts}; scored {scored}, unscored {unscored}",
        *(mask(line) for line in harder_lines(state)),
    ]


def way_on(model: RunModel) -> list[str]:
    """Why the run is not finished and what to type to go on, for stderr."""
    result, options = model.result, model.entry.options
    if result is None or model.state.finished or options is None:
        return []
    return [mask(result.reason), f"to go on: {options.resume_command()}"]
