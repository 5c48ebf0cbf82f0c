"""The report's content, section by section: what was gained on which cases, for what, and what was not measured.

No times in it: two runs with the same results give the same report.
"""

from __future__ import annotations

from collections import Counter

from ceopt_tui.core.charts import outcome_chart
from ceopt_tui.core.describe import HIDDEN, hides_scores, outcome_sentence
from ceopt_tui.core.figures import counted
from ceopt_tui.core.outcomes import experiment_word, run_word
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.plan.wrapping import outcome_word
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.command.report import command_report
from ceopt_tui.engine.reporting.cases import harder_section, left_out_section
from ceopt_tui.engine.reporting.coverage_map import coverage_section
from ceopt_tui.engine.reporting.document import Block, Bullets, Figure, Paragraph, Part, Report, Section, Table
from ceopt_tui.engine.reporting.evidence import case_section, evidence_section, gain_section, score_section
from ceopt_tui.engine.reporting.judged import judge_section, themes_section
from ceopt_tui.engine.reporting.keeps import keeps_section
from ceopt_tui.engine.reporting.spending import cost_section, limits_section
from ceopt_tui.engine.reporting.waiting import waiting_section
from ceopt_tui.engine.telling import learnings
from schemas.coverage import Coverage

MOST_LISTED = 200  # rows of one list; a page with thousands is read by nobody, and hosts refuse to show it
THE_REST = "`ceopt log` has them all"


def report_document(state: RunState, terms: Terms, coverage: Coverage | None = None) -> Report:
    """The whole report of a run whose loop has ended."""
    if state.by_command:
        return command_report(state)
    assert state.started is not None and state.stopped is not None
    title = f"{state.started.name}: {run_word(outcome_word(state), ended=True)}"
    lead = [outcome_sentence(state, terms.span), f"The loop ended because: {state.stopped.reason}."]
    if hides_scores(state):
        lead.append(f"The judge's scores are {HIDDEN}.")
        shown = [*_counts(state), *cost_section(state), *limits_section(state, terms)]
        return Report(title, tuple(lead), tuple(shown))
    sections = [
        *gain_section(state, terms),
        *score_section(state, terms),
        *case_section(state, terms),
        *_counts(state),
        *evidence_section(state, terms),
        *left_out_section(state),
        *harder_section(state),
        *judge_section(state, terms),
        *keeps_section(state, terms),
        *waiting_section(state, terms),
        *themes_section(state),
        *_experiments(state),
        *_learnings(state),
        *_looks(state),
        *(coverage_section(coverage) if coverage else ()),
        *cost_section(state),
        *limits_section(state, terms),
    ]
    return Report(title, tuple(lead), tuple(sections))


def _counts(state: RunState) -> list[Section]:
    chart = outcome_chart(state)
    if chart is None:
        return []
    counts = Counter(experiment_word(experiment.outcome) for experiment in state.experiments.values())
    listed = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(counts.items()))
    rows = tuple((share.name, f"{share.value:,.0f}") for share in chart.shares if share.value is not None)
    figure = Figure(chart, Table(("outcome", "experiments"), rows))
    return [Section("Experiments by outcome", (Paragraph(f"{len(state.experiments):,} in all: {listed}."), figure))]


def _experiments(state: RunState) -> list[Section]:
    if not state.experiments:
        return []
    listed = _listed(state)
    rows = tuple(
        (
            experiment.name,
            experiment_word(experiment.outcome),
            experiment.hypothesis.description,
            experiment.closed.reason if experiment.closed else "",
        )
        for experiment in listed
    )
    blocks: list[Block | Part] = [Table(("experiment", "outcome", "tried", "why it ended"), rows)]
    if left := len(state.experiments) - len(listed):
        title = "Experiments that came furthest, and the last"
        blocks.insert(0, Paragraph(f"{counted(left, 'experiment')} more: {THE_REST}."))
    else:
        title = "Every experiment"
    return [Section(title, tuple(blocks))]


def _listed(state: RunState) -> list[ExperimentState]:
    """All of them; of very many those that a held-out look was spent on, then the last ones, up to the limit."""
    every = list(state.experiments.values())
    if len(every) <= MOST_LISTED:
        return every
    looked = [experiment.number for experiment in every if experiment.look][-MOST_LISTED // 2 :]
    seen = {*looked, *(keep.number for keep in state.keeps)}
    rest = [experiment.number for experiment in every if experiment.number not in seen]
    chosen = {*seen, *rest[len(looked) - MOST_LISTED :]}
    return [experiment for experiment in every if experiment.number in chosen]


def _learnings(state: RunState) -> list[Section]:
    told = learnings(state)
    if not told:
        return []
    bullets = Bullets(tuple(known.text for known in told[-MOST_LISTED:]))
    left = len(told) - len(bullets.items)
    more = [Paragraph(f"The last {MOST_LISTED}; {left:,} more came before them.")] if left else []
    return [Section("What this run learnt", (*more, bullets))]


def _looks(state: RunState) -> list[Section]:
    if not state.looks:
        return []
    rows = tuple(
        f"look {look.look}: exp-{look.number:03d} at level {look.level:.3f}"
        f"{' (to show no loss)' if state.experiments[look.number].shortens else ''}"
        for look in state.looks[-MOST_LISTED:]
    )
    left = len(state.looks) - len(rows)
    more = [Paragraph(f"The last {MOST_LISTED}; {left:,} more came before them.")] if left else []
    return [Section("Looks at the held-out cases", (*more, Bullets(rows)))]
