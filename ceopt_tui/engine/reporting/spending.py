"""The report's pages on cost by role, and on what was not measured."""

from __future__ import annotations

from ceopt_tui.core.charts import ShareChart, call_chart, money_chart
from ceopt_tui.core.describe import money, role_cost, unseen_need
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.reporting.document import Bullets, Figure, Section, Table


def cost_section(state: RunState) -> list[Section]:
    """Calls, tokens and money by role; an unknown price is said, never shown as nothing."""
    rows = [f"in all: {money(state)}"]
    for role, spend in sorted(state.spend.roles.items()):
        tokens = f"{counted(spend.input_tokens, 'token')} in, {spend.output_tokens:,} out"
        estimated = ", token counts estimated" if spend.estimated else ""
        tokens = "tokens not known" if spend.outside and not spend.input_tokens else tokens
        other = "a command of yours" if spend.outside else "unknown model"
        model = state.models[role].model if role in state.models else other
        rows.append(f"{role} ({model}): {counted(spend.calls, 'call')}, {tokens}, {role_cost(spend)}{estimated}")
    charts = [chart for chart in (call_chart(state), money_chart(state)) if chart]
    return [Section("Cost by role", (Bullets(tuple(rows)), *(Figure(chart, _values(chart)) for chart in charts)))]


def _values(chart: ShareChart) -> Table:
    rows = tuple((share.name, share_figure(chart.unit, share.value)) for share in chart.shares)
    return Table(("role", f"{chart.unit}s" if chart.unit == "call" else chart.unit), rows)


def share_figure(unit: str, value: float | None) -> str:
    """The figure of one bar."""
    if value is None:
        return "unknown"
    return f"{value:.4f}" if unit == "USD" else f"{value:,.0f}"


def limits_section(state: RunState, terms: Terms) -> list[Section]:
    """What nobody should conclude from this report."""
    lines = ["other models, other inputs and the effect of the text outside these cases were not measured"]
    if state.split is not None and not state.split.holdout:
        lines.append("not measured on unseen items: there are no held-out cases")
    if state.keeps and state.gain is None:
        why = state.stopped.no_gain if state.stopped else ""
        lines.append(f"the gain over the original was not measured: {why or 'fewer than two distinct held-out cases'}")
    if not terms.pruning and any(state.experiments[keep.number].shortens for keep in state.keeps):
        lines.append(unseen_need(state))
    if state.gain and not state.gain.fresh:
        lines.append("the held-out scores of the report are the ones that decided: a repeat would be identical")
    if state.runs.failed:
        lines.append(f"{counted(state.runs.failed, 'run')} without a score: left out")
    lines += [f"probe {probe.probe}: not run ({probe.detail})" for probe in state.probes if probe.status == "not_run"]
    lines += [note.text for note in state.notes if note.level == "warning"]
    return [Section("What was not measured", (Bullets(tuple(lines)),))]
