"""What the themes screen says: failure themes as rows, their cases with output and feedback. Knows no widget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.figures import counted, percent
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.themes import ThemeShare, themes_in_force, trend
from ceopt_tui.core.visible import one_line, said, visible
from schemas.judging_records import Theme

UNEXPLAINED: Literal["unexplained"] = "unexplained"
GONE = "Its output is not kept any more: the text it came from has been replaced."
Standing = Literal["open", "dismissed", "unexplained"]


@dataclass(frozen=True)
class ThemeRow:
    """One theme, or the cases that belong to none."""

    id: str
    name: str
    change: str
    cases: tuple[str, ...]
    share: str
    trend: str
    standing: Standing = "open"


@dataclass(frozen=True)
class ThemeBoard:
    """All failing selection cases of the last grouping, each in one row."""

    rows: tuple[ThemeRow, ...] = ()

    def row(self, theme_id: str | None) -> ThemeRow | None:
        return next((row for row in self.rows if row.id == theme_id), None)

    @property
    def themes(self) -> tuple[ThemeRow, ...]:
        """Those a person can edit."""
        return tuple(row for row in self.rows if row.standing != "unexplained")


def theme_board(state: RunState) -> ThemeBoard:
    """The themes as they stand: largest first, then those a person dismissed, then what is unexplained."""
    judging = state.judging
    if not judging.groupings:
        return ThemeBoard()
    shares = trend(judging.groupings, judging.edits)
    now = themes_in_force(judging.groupings, judging.edits)
    rows = [
        *(_row(theme, shares[theme.id], "open") for theme in now.themes),
        *(_row(theme, shares[theme.id], "dismissed") for theme in now.dismissed),
    ]
    if now.unexplained:
        failing = sum(len(row.cases) for row in rows) + len(now.unexplained)
        share = percent(len(now.unexplained) / failing)
        why = "The feedback on these cases is like no other; they belong to no theme."
        rows.append(ThemeRow(UNEXPLAINED, UNEXPLAINED, why, now.unexplained, share, "", UNEXPLAINED))
    return ThemeBoard(tuple(rows))


def _row(theme: Theme, shares: tuple[ThemeShare, ...], standing: Standing) -> ThemeRow:
    name, change = one_line(theme.name), said(one_line(theme.change))
    return ThemeRow(theme.id, name, change, theme.cases, percent(shares[-1].share), _trend(shares), standing)


def _trend(shares: tuple[ThemeShare, ...]) -> str:
    """How the theme's number of failing cases moved since the grouping before."""
    if len(shares) < 2:
        return ""
    before, now = shares[-2], shares[-1]
    if before.count == 0:
        return "+ new"
    if now.count == before.count:
        return "= as before"
    return f"{'↓' if now.count < before.count else '↑'} from {before.count}"


def detail_text(row: ThemeRow) -> list[tuple[str, str]]:
    """A theme in full, as labelled facts."""
    facts = [("Change", row.change), ("Cases", f"{counted(len(row.cases), 'case')}, {row.share} of what fails")]
    if row.trend:
        facts.append(("Trend", row.trend))
    facts.append(("Which", ", ".join(map(one_line, row.cases))))
    return [(label, text) for label, text in facts if text]


def cases_text(state: RunState, row: ThemeRow) -> str:
    """The cases of a theme: what the text put out, and what the judge says would have to change."""
    text_digest = state.judging.groupings[-1].text_digest
    parts = []
    for case in row.cases:
        feedback = _feedback(state, text_digest, case)
        outputs = dict.fromkeys(state.runs.outputs.get((text_digest, case), ()))
        parts.append(f"# {one_line(case)}")
        parts += [f"Feedback    {visible(sentence)}" for sentence in feedback]
        parts += ["", *(f"{visible(output)}\n" for output in outputs)] if outputs else [GONE, ""]
    return "\n".join(parts)


def _feedback(state: RunState, text_digest: str, case: str) -> list[str]:
    verdicts = state.judging.verdicts.items()
    said_of = [verdict.feedback for place, verdict in verdicts if place[:2] == (text_digest, case)]
    return list(dict.fromkeys(sentence for sentence in said_of if sentence))
