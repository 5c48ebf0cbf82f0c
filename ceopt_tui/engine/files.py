"""Files of a run for people: the log view, the digest, the report. Written whole, atomically, from the state."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Backend
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.digest import DIGEST_NAME, digest_text
from ceopt_tui.engine.log_view import LOG_NAME, LogText
from ceopt_tui.engine.report import report_markdown, report_page
from ceopt_tui.journal.atomic import write_atomic
from ceopt_tui.journal.disk import JOURNAL_NAME
from schemas.coverage import Coverage
from schemas.records import ReportWritten

REPORT_NAME = "report.md"
PAGE_NAME = "report.html"
VIEW_EVERY = 25  # in long runs the view follows in steps: writing it costs as much as it is long


class LogView:
    """experiment-log.yaml of one run, kept up while the run is at work."""

    def __init__(self, folder: Path, spec_text: str) -> None:
        self._path = folder / LOG_NAME
        self._text = LogText(spec_text)
        self._shown = 0  # experiments in it when it was last written

    async def write(self, state: RunState) -> None:
        """Rewrites it, off the event loop: a long one takes a while. The state must not change meanwhile."""
        self._shown = len(state.experiments)
        await asyncio.to_thread(self._write, state)

    def _write(self, state: RunState) -> None:
        write_atomic(self._path, self._text.of(state).encode("utf-8"))

    def is_due(self, state: RunState) -> bool:
        """After every experiment of a short run, now and then in a long one."""
        count = len(state.experiments)
        return count < VIEW_EVERY or count >= self._shown + VIEW_EVERY


def view_is_stale(folder: Path) -> bool:
    """Was the journal written after the view? A kill can come between the two at the end of a run."""
    try:
        return (folder / LOG_NAME).stat().st_mtime_ns < (folder / JOURNAL_NAME).stat().st_mtime_ns
    except FileNotFoundError:
        return True


def write_digest(folder: Path, state: RunState, span: float) -> str:
    """Rewrites the digest and gives it as it stands on disk."""
    path = folder / DIGEST_NAME
    write_atomic(path, digest_text(state, span).encode("utf-8"))
    return path.read_text(encoding="utf-8")


def write_report(
    folder: Path, backend: Backend, state: RunState, terms: Terms, coverage: Coverage | None = None
) -> ReportWritten:
    """Writes the report, as Markdown and as a page, beside the journal; commits both on the optimization branch."""
    assert state.started is not None
    data = report_markdown(state, terms, coverage).encode("utf-8")
    page = report_page(state, terms, coverage).encode("utf-8")
    write_atomic(folder / REPORT_NAME, data)
    write_atomic(folder / PAGE_NAME, page)
    text, drawn = report_paths(state.started.name)
    commit = backend.publish({text: data, drawn: page}, f"optimize({state.started.name}): report")
    return ReportWritten(path=text, commit=commit)


def report_paths(name: str) -> tuple[str, str]:
    """Where the report of a run is committed: as Markdown, and as a page."""
    place = f"docs/optimize/{name}-report"
    return f"{place}.md", f"{place}.html"
