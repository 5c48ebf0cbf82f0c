"""Words and signs of statuses and outcomes. A sign always stands beside its word, so colour says nothing alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.outcomes import experiment_word, run_word
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


# Sign and tone; the word is the one that every skin says.
_EXPERIMENTS: dict[str, tuple[str, Tone]] = {
    "kept": ("✓", "good"),
    "runner_up_kept": ("✓", "good"),
    "promising": ("…", "busy"),
    "measured": ("…", "busy"),
    "running": ("…", "busy"),
    "inconclusive": ("~", "unsure"),
    "censored": ("~", "unsure"),
    "reverted": ("✗", "bad"),
    "runner_up_reverted": ("✗", "bad"),
    "degenerate": ("✗", "bad"),
    "no_edits_applied": ("✗", "bad"),
    "refused": ("✗", "bad"),
    "error": ("!", "alarm"),
    "timeout": ("!", "alarm"),
    "deferred_needs_approval": ("?", "unsure"),
}
_BY_WORD = {experiment_word(outcome): mark for outcome, mark in _EXPERIMENTS.items()}
_RUNS: dict[str, tuple[str, Tone]] = {
    "improved": ("✓", "good"),
    "shortened": ("✓", "good"),
    "inconclusive": ("~", "unsure"),
    "nothing_measured": ("!", "alarm"),
    "too_few_cases": ("!", "alarm"),
    "harness_failed": ("!", "alarm"),
    "no_movement": ("!", "alarm"),
    "proposer_failed": ("!", "alarm"),
}
_PLAIN: tuple[str, Tone] = ("-", "quiet")
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
    return word_mark(experiment_word(outcome))


def word_mark(word: str) -> Mark:
    """The sign that belongs to an experiment's outcome in words."""
    sign, tone = _BY_WORD.get(word, _PLAIN)
    return Mark(sign, word, tone)


def outcome_mark(outcome: str) -> Mark:
    """Sign and word of what came of a run that has ended."""
    sign, tone = _RUNS.get(outcome, _PLAIN)
    return Mark(sign, run_word(outcome, ended=True), tone)


def waits_for_you(state: RunState) -> bool:
    """Is there a question without an answer, or a change that only a person may keep?"""
    return state.asked is not None or bool(state.waiting.proposals)


def status_mark(state: RunState, at_work: bool) -> Mark:
    """How a run stands by its journal; `at_work` says that a process is working on it."""
    if state.finished:
        return FINISHED
    if state.asked:
        return NEEDS_YOU
    if at_work:
        return RUNNING
    if waits_for_you(state):
        return NEEDS_YOU
    if state.started is None:
        return NEW
    return {"running": CUT_OFF, "blocked": BLOCKED}.get(state.status, WAITING)
