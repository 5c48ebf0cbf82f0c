"""The report's pages on the judge: is it to be trusted, what did people say, what did the failures have in common."""

from __future__ import annotations

from ceopt_tui.core.figures import change, counted, percent
from ceopt_tui.core.plan.shift import LONGER
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.plan.trusting import trust_of
from ceopt_tui.core.saving import only_shortened
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.themes import themes_in_force, trend
from ceopt_tui.core.trust.blind import people_see_no_loss, people_sentence
from ceopt_tui.engine.judge_questions import blind_lines, kin_sentence
from ceopt_tui.engine.reporting.document import Block, Bullets, Paragraph, Section, Table
from schemas.judging_records import PeopleFigures


def judge_section(state: RunState, terms: Terms) -> list[Section]:
    """How far the judge can be trusted, and whose word the gain is."""
    if terms.judge is None:
        return []
    trust, judging = trust_of(state, terms.judge), state.judging
    changed, twice = judging.flips
    unscored = sum(verdict.unscored is not None for verdict in judging.verdicts.values())
    lines = list(trust.lines)
    if twice:
        lines.append(f"asked twice about {counted(twice, 'output')}, it gave another score to {changed}")
    lines += kin_sentence(state)
    lines.append(
        f"scored {counted(judging.scored, 'output')}, {unscored} unscored, {judging.ambiguous} left open by the rubric"
    )
    if state.gain is not None:
        lines.append(whose_word(state, state.gain.people, terms.span))
    return [Section("The judge", (Bullets(tuple(lines)),))]


def whose_word(state: RunState, people: PeopleFigures | None, span: float) -> str:
    """Whether people confirm the run's gain (see no loss, where the text only got shorter), or the judge alone does."""
    shorter = only_shortened(state)
    confirmed = None if people is None else people.low > 0
    confirmed = people_see_no_loss(people, span) if shorter else confirmed
    return people_sentence(people, confirmed, span, shorter=shorter)


def themes_section(state: RunState) -> list[Section]:
    """Failure themes with their share of the failing cases, first grouping to last."""
    groupings, edits = state.judging.groupings, state.judging.edits
    if not groupings:
        return []
    shares, now = trend(groupings, edits), themes_in_force(groupings, edits)
    rows = []
    for theme in (*now.themes, *now.dismissed):
        over_time = " → ".join(f"{share.count} ({percent(share.share)})" for share in shares[theme.id])
        name = f"{theme.name} (dismissed)" if theme in now.dismissed else theme.name
        rows.append((name, theme.change, str(len(theme.cases)), over_time))
    head = ("theme", "what would have to change", "failing cases", "over time (share of what failed)")
    blocks: list[Block] = [Table(head, tuple(rows))]
    if now.unexplained:
        blocks.append(Paragraph(f"Unexplained: {counted(len(now.unexplained), 'failing case')}."))
    return [Section("Failure themes", tuple(blocks))]


def kept_lines(state: RunState, terms: Terms, experiment: ExperimentState) -> list[str]:
    """What stands beside a kept change in a judged run."""
    closed = experiment.closed
    if terms.judge is None or closed is None:
        return []
    lines = []
    if closed.on_theme is not None and closed.on_rest is not None:
        lines.append(
            f"on the cases of its theme {change(closed.on_theme, terms.span)}, "
            f"on the rest {change(closed.on_rest, terms.span)}"
        )
    if closed.length_ratio is not None:
        flag = "; judges tend to like length for its own sake" if closed.length_ratio > LONGER else ""
        lines.append(f"outputs are {closed.length_ratio:.2f} times as long as before{flag}")
    return [*lines, *blind_lines(state, terms, experiment.number)]
