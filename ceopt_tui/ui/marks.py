"""Words and signs of statuses and outcomes. A sign always stands beside its word, so colour says nothing alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.state.run import RunState

Tone = Literal["good", "bad", "unsure", "alarm", "busy", "quiet"]


@dataclass(frozen=True)
class Mark:
    """How something stands: sign and word for people, tone for the theme."""

    sign: str
    word: str
    tone: Tone

    def __str__(self) -> str:
        return f"{self.sign} {self.word}"


_EXPERIMENTS = {
    "kept": Mark("✓", "kept", "good"),
    "runner_up_kept": Mark("✓", "kept as well", "good"),
    "promising": Mark("…", "promising", "busy"),
    "measured": Mark("…", "measured", "busy"),
    "running": Mark("…", "running", "busy"),
    "inconclusive": Mark("~", "not sure", "unsure"),
    "censored": Mark("~", "cut short", "unsure"),
    "not_selected": Mark("-", "not selected", "quiet"),
    "reverted": Mark("✗", "reverted", "bad"),
    "runner_up_reverted": Mark("✗", "reverted", "bad"),
    "degenerate": Mark("✗", "failed a gate", "bad"),
    "no_edits_applied": Mark("✗", "no edit", "bad"),
    "refused": Mark("✗", "refused", "bad"),
    "error": Mark("!", "error", "alarm"),
    "timeout": Mark("!", "timed out", "alarm"),
    "deferred_needs_approval": Mark("!", "needs approval", "alarm"),
}
_RUNS = {
    "improved": Mark("✓", "improved", "good"),
    "no_improvement": Mark("-", "no improvement", "quiet"),
    "nothing_measured": Mark("!", "nothing measured", "alarm"),
    "no_headroom": Mark("-", "nothing to gain", "quiet"),
    "inconclusive": Mark("~", "not sure", "unsure"),
    "too_few_cases": Mark("!", "too few cases", "alarm"),
    "harness_failed": Mark("!", "checks failed", "alarm"),
    "no_movement": Mark("!", "no score moved", "alarm"),
    "proposer_failed": Mark("!", "no usable idea", "alarm"),
}
NEW = Mark("+", "new", "quiet")
UNREADABLE = Mark("!", "damaged", "alarm")  # its journal
UNUSABLE = Mark("!", "unusable", "alarm")  # its spec
NEEDS_YOU = Mark("?", "needs you", "unsure")
RUNNING = Mark("…", "running", "busy")
STOPPING = Mark("…", "stopping", "busy")
WAITING = Mark("=", "paused", "quiet")
CUT_OFF = Mark("=", "cut off", "unsure")
BLOCKED = Mark("!", "blocked", "alarm")
FINISHED = Mark("✓", "finished", "good")


def experiment_mark(outcome: str) -> Mark:
    """Sign and word of an experiment's outcome."""
    return _EXPERIMENTS.get(outcome) or Mark("-", outcome.replace("_", " "), "quiet")


def outcome_mark(outcome: str) -> Mark:
    """Sign and word of what came of a run."""
    return _RUNS.get(outcome) or Mark("-", outcome.replace("_", " "), "quiet")


def status_mark(state: RunState, at_work: bool) -> Mark:
    """How a run stands by its journal; `at_work` says that a process is working on it."""
    if state.finished:
        return FINISHED
    if state.asked:
        return NEEDS_YOU
    if at_work:
        return RUNNING
    if state.started is None:
        return NEW
    return {"running": CUT_OFF, "blocked": BLOCKED}.get(state.status, WAITING)
