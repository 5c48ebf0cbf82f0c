"""What the run screen says of the judge and of failure themes. Plain sentences made from the state."""

from __future__ import annotations

from ceopt_tui.core.describe import HIDDEN, hides_scores
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.plan.trusting import trust_of
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.themes import themes_in_force
from ceopt_tui.core.visible import one_line, said


def judging_lines(state: RunState, terms: Terms | None) -> list[tuple[str, str]]:
    """Label and sentence of each line; none for a run that is scored by checks."""
    if state.judging.rubric is None:
        return []
    lines = [("Judge", _trust(state, terms) + _counts(state))]
    if state.judging.groupings and not hides_scores(state):
        lines.append(("Themes", _themes(state)))
    return lines


def _trust(state: RunState, terms: Terms | None) -> str:
    if not state.judging.verdicts:
        return "has judged nothing yet"
    if hides_scores(state):
        return f"its scores are {HIDDEN}"
    if terms is None or terms.judge is None:
        return "its word alone"
    return said(one_line(trust_of(state, terms.judge).sentence))


def _counts(state: RunState) -> str:
    judging, unscored = state.judging, state.runs.failed
    if not (judging.scored or unscored):
        return ""
    parts = [f"{counted(judging.scored, 'output')} scored", f"{unscored:,} unscored"]
    if judging.ambiguous:
        parts.append(f"{judging.ambiguous:,} ambiguous")
    return f" · {', '.join(parts)}"


def _themes(state: RunState) -> str:
    now = themes_in_force(state.judging.groupings, state.judging.edits)
    rest = f", {counted(len(now.unexplained), 'case')} unexplained" if now.unexplained else ""
    return f"{counted(len(now.themes), 'failure theme')}{rest}; t shows them"
