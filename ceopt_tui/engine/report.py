"""The report of a run, as Markdown and as a page: one content, drawn twice."""

from __future__ import annotations

from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.reporting.content import report_document
from ceopt_tui.engine.reporting.markdown import markdown
from ceopt_tui.engine.reporting.page import page
from schemas.coverage import Coverage


def report_markdown(state: RunState, terms: Terms, coverage: Coverage | None = None) -> str:
    """The report as Markdown."""
    return markdown(report_document(state, terms, coverage))


def report_page(state: RunState, terms: Terms, coverage: Coverage | None = None) -> str:
    """The report as an HTML page that stands alone."""
    return page(report_document(state, terms, coverage))
