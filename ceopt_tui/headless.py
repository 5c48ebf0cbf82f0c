"""The skin without a screen: events as JSON lines or plain words, no colour, never a question."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any, Literal

from ceopt_tui.core.command_words import figure
from ceopt_tui.core.delivered import delivered_line
from ceopt_tui.core.describe import detects, experiment_line, hides_scores, outcome_sentence, unseen_need
from ceopt_tui.core.figures import counted, score
from ceopt_tui.core.harness_words import harder_lines, left_out_line, left_out_sentence
from ceopt_tui.core.judging_ports import RecordMark, Sheet, SheetOutcome
from ceopt_tui.core.masking import mask, masked
from ceopt_tui.core.outcomes import run_word
from ceopt_tui.core.plan.forecast import plan_lines
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.ports import Question
from ceopt_tui.core.saving import saved
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.visible import said
from ceopt_tui.core.waits import Wait, waits_after
from ceopt_tui.engine.loop import TickResult
from ceopt_tui.engine.skin import Commit
from ceopt_tui.errors import BusyError, CeoptError, NeedsPersonError
from schemas.command_records import Delivered
from schemas.harness_records import CasesProposed, HarnessExamined
from schemas.keeping_records import ProposalParked, WinnerRead
from schemas.records import (
    AnyRecord,
    BaselineMeasured,
    Committed,
    ExperimentClosed,
    GainReported,
    Looked,
    Noted,
    SplitFrozen,
)

# Fields too long for an event; they are in the journal.
LONG_FIELDS = {"texts", "output", "message", "verdicts"}
LOUD_KINDS = frozenset({"call_started", "call_finished"})
DECIDE = "what waits is asked about in the app: ceopt"
LAST_KIND = "finished"  # said once, by the last line

Write = Callable[[str], None]


class HeadlessSkin:
    """Prints what happens: data to stdout, talk to stderr."""

    def __init__(
        self,
        *,
        as_json: bool,
        out: Write | None = None,
        talk: Write | None = None,
        secrets: Iterable[str] = (),
        wake: str = "",
    ) -> None:
        self.as_json = as_json
        self._secrets = frozenset(secrets)
        self._wake = wake
        self._out = out or (lambda line: print(line, flush=True))  # as it happens, also into a pipe
        self._talk = talk or (lambda line: print(line, file=sys.stderr, flush=True))
        self._state = RunState()
        self._span = 1.0
        self._terms: Terms | None = None
        self._title = ""

    @property
    def state(self) -> RunState:
        return self._state

    def opened(self, state: RunState, terms: Terms, commit: Commit | None = None) -> None:
        self._state, self._span, self._terms = state, terms.span, terms
        if state.split is not None and state.finished is None:
            self._say_plan(state.split)

    def recorded(self, record: AnyRecord) -> None:
        if isinstance(record, SplitFrozen):
            self._say_plan(record)
        if self.as_json:
            if record.kind not in LOUD_KINDS and record.kind != LAST_KIND:
                self._out(json_line({"event": record.kind, **self._short(record)}))
        elif line := self._words(record):
            self._talk(said(line))

    def progress(self, title: str, done: int, total: int) -> None:
        if title != self._title or done == total:
            self._title = title
            self._talk(f"{title}: {done:,} of {total:,}")

    async def ask(self, question: Question) -> str:
        flag = "--prune " if self._terms and self._terms.pruning else ""
        raise NeedsPersonError(
            f"{question.title}: a person has to answer: {question.question}",
            f"Approve with `ceopt approve {flag}SPEC` and run again, or run without --unattended in a terminal.",
        )

    async def score(self, sheet: Sheet, record: RecordMark) -> SheetOutcome:
        raise NeedsPersonError(
            f"{sheet.title}: a person has to score {counted(len(sheet.items) - len(sheet.marks), 'output')}",
            "Score them with `ceopt calibrate SPEC` in a terminal; scores given so far are kept.",
        )

    def finish(self, result: TickResult, resume: str) -> None:
        """The last line: the run in figures for scripts, or in words."""
        if self.as_json:
            self._out(json_line(finished_event(self._state, result, resume, self._wake)))
            return
        self._out(said(outcome_sentence(self._state, self._span)))
        scored, unscored = run_counts(self._state)
        word = run_word(result.outcome, ended=self._state.finished is not None)
        counts = f"{len(self._state.keeps)} kept of {counted(len(self._state.experiments), 'experiment')}"
        self._out(f"{result.status}: {word}; {counts}; scored {scored}, unscored {unscored}")
        if result.reason:
            self._talk(said(result.reason))
        if self._state.waiting.proposals:
            self._talk(DECIDE)
        if result.status != "finished":
            self._talk(going_on(waits_after(self._state, result.outcome, self._wake), resume))

    def _say_plan(self, split: SplitFrozen) -> None:
        """What the run will take, before it takes any of it."""
        if self._terms is not None and self._terms.command is None:
            for line in plan_lines(split, self._terms):
                self._talk(line)

    def _short(self, record: AnyRecord) -> dict[str, Any]:
        values: dict[str, Any] = masked(record.model_dump(mode="json", exclude=LONG_FIELDS | {"kind"}), self._secrets)
        return values

    def _words(self, record: AnyRecord) -> str:
        match record:
            case BaselineMeasured() if self._state.by_command:
                return f"baseline {figure(record.mean)}, {counted(record.scored, 'sample')}"
            case BaselineMeasured() if not hides_scores(self._state):
                pruning = self._terms is not None and self._terms.pruning
                sees = unseen_need(self._state) if pruning else detects(record, self._span)
                return f"baseline {score(record.mean, self._span)}; {sees}"
            case HarnessExamined() if record.flagged:
                named = (f"  {left_out_line(self._state, case)}" for case in record.flagged)
                return "\n".join((left_out_sentence(self._state), *named))
            case CasesProposed():
                return "\n".join(harder_lines(self._state))
            case ExperimentClosed():
                return experiment_line(self._state.experiments[record.number], hidden=hides_scores(self._state))
            case Looked():
                return f"exp-{record.number:03d}  look {record.look} at the held-out cases, level {record.level:.3f}"
            case Committed():
                return f"exp-{record.number:03d}  on branch {record.branch} as {record.commit[:10]}"
            case ProposalParked():
                return f"exp-{record.number:03d}  waits for a person: {record.reason}"
            case WinnerRead() if record.reader:
                said = "speaks against it" if record.reverted else "nothing against it"
                return f"exp-{record.number:03d}  read by {record.reader}: {said if record.usable else record.reason}"
            case GainReported():
                return outcome_sentence(self._state, self._span)
            case Delivered() if not record.taken:
                return delivered_line(record)
            case Noted():
                return f"note: {record.text}"
            case _:
                return ""


def refused(error: CeoptError) -> TickResult:
    """How a run ends that could not start."""
    if isinstance(error, BusyError):
        return TickResult("waiting", "busy", str(error), error.exit_status)
    status: Literal["blocked", "stopped"] = "blocked" if isinstance(error, NeedsPersonError) else "stopped"
    return TickResult(status, "refused", str(error), error.exit_status)


def finish_refused(error: CeoptError, resume: str = "") -> None:
    """The last line for scripts, of a run that was refused before anything was read."""
    HeadlessSkin(as_json=True).finish(refused(error), resume)


def run_counts(state: RunState) -> tuple[int, int]:
    """(runs with a score, runs without one in this tick)."""
    return state.runs.scored, sum(state.runs.failures.values())


def json_line(event: dict[str, Any]) -> str:
    """One event on one line; nothing in it can break the line or pass for a screen code."""
    return json.dumps(event, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def going_on(waits: Sequence[Wait], resume: str) -> str:
    """When to come back, and with which command."""
    until = "; ".join(wait.until for wait in waits)
    by_itself = f", and by itself: {waits[0].wake}" if waits[0].wake else ""
    return f"to go on, {until}{by_itself}: {resume}"


def _characters(state: RunState) -> dict[str, int] | None:
    """Length of the text at first and now, where one was kept."""
    if not state.keeps or state.by_command:
        return None
    return {"before": saved(state).before, "after": saved(state).after}


def finished_event(state: RunState, result: TickResult, resume: str, wake: str = "") -> dict[str, Any]:
    """The figures scripts rely on; see docs/json-output.md. A judge's scores that nobody may see yet are null."""
    hidden = hides_scores(state)
    gain = None if hidden else state.gain
    held_out = None
    if gain is not None:
        held_out = {"before": gain.before, "after": gain.after, "interval": [gain.low, gain.high]}
    best = {} if hidden else state.reference.selection
    final = fmean(fmean(values) for values in best.values()) if best else None
    scored, unscored = run_counts(state)
    waits = [] if state.finished else [asdict(wait) for wait in waits_after(state, result.outcome, wake)]
    return {
        "event": "finished",
        "status": result.status,
        "outcome": result.outcome,
        "reason": mask(result.reason),
        "baseline": state.baseline.mean if state.baseline and not hidden else None,
        "final": gain.selection_after if gain else final,
        "held_out": held_out,
        "characters": _characters(state),
        "kept": len(state.keeps),
        "experiments": len(state.experiments),
        "scored": scored,
        "unscored": unscored,
        "calls": state.spend.calls,
        "usd": state.spend.usd if state.spend.usd_known else None,
        "proposals": [parked.number for parked in state.waiting.proposals],
        "pending_waits": waits,
        "resume": resume,
    }
