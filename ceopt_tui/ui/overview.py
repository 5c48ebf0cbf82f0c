"""The lines at the top of the run screen: now, next, clocks, spend, score. Plain sentences made from the state."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ceopt_tui.core.clocks import calendar_s, spoken
from ceopt_tui.core.command_words import command_proof, command_score
from ceopt_tui.core.describe import HIDDEN, hides_scores, unmissed
from ceopt_tui.core.figures import change, counted, score
from ceopt_tui.core.harness_words import left_out_sentence
from ceopt_tui.core.plan.stopping import best_mean
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.saving import only_shortened, saved, saving_words
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.visible import one_line, said
from ceopt_tui.ui.code_review import under_way
from ceopt_tui.ui.judging_lines import judging_lines
from ceopt_tui.ui.marks import NEEDS_YOU, RUNNING, STOPPING, Mark, status_mark

BAR_CELLS = 16
JOINED = " · "  # between the lines of a message that is shown on one
_AFTER = {
    "exploratory": "measure it on all cases, or drop it",
    "add_sample": "measure it again with fresh runs, or drop it",
    "confirm": "one look at the held-out cases, or drop it",
    "holdout": "keep it or revert it",
}
_AFTER_THE_END = "r report, b best text, w what now (apply, pull request, go on)"
_AFTER_CODE = "r report, b what was kept, w what now (apply, pull request, go on)"


@dataclass(frozen=True)
class Activity:
    """What the engine in this process does with the run; all defaults when it does nothing."""

    working: bool = False
    elsewhere: bool = False  # another process works on the run
    stopping: bool = False
    asking: str = ""  # the short question that waits for the person
    title: str = ""  # of the measurement under way
    done: int = 0
    total: int = 0
    tick_s: float = 0.0  # active seconds of this tick
    trouble: str = ""  # why the last tick ended early


def mark_of(state: RunState, activity: Activity) -> Mark:
    """The run's status now: this process's work first, else the journal's word."""
    if activity.asking:
        return NEEDS_YOU
    if activity.working:
        return STOPPING if activity.stopping else RUNNING
    return status_mark(state, activity.elsewhere)


def overview(state: RunState, terms: Terms | None, activity: Activity, now: datetime) -> list[tuple[str, str]]:
    """Label and sentence of every line, in order."""
    span = terms.span if terms else 1.0
    terms = terms.extended(state.raised) if terms else None
    return [
        ("Now", _now(state, activity)),
        ("Next", _next(state, terms, activity)),
        ("Time", _time(state, terms, activity, now)),
        ("Spend", _spend(state, terms)),
        ("Score", _score(state, span)),
        ("Proof", _proof(state, span, pruning=terms is not None and terms.pruning)),
        *judging_lines(state, terms),
        *_cases(state),
    ]


def _cases(state: RunState) -> list[tuple[str, str]]:
    """What is to be said of the eval set itself; nothing where all cases count and leave something to gain."""
    left_out, proposed = left_out_sentence(state), state.harness.proposed
    lines = [("Checks", left_out)] if left_out else []
    if proposed and proposed.ideas:
        lines.append(("Add", said(one_line(proposed.ideas[0].text))))
    return lines


def _now(state: RunState, activity: Activity) -> str:
    if activity.asking:
        return f"waits for your answer: {one_line(activity.asking)}"
    if activity.stopping:
        return "stopping: the calls under way are still recorded"
    if activity.working:
        return _work(state, activity)
    if activity.trouble:
        return said(one_line(activity.trouble, JOINED))
    if state.finished:
        return f"finished: {said(one_line(state.finished.reason, JOINED))}"
    if activity.elsewhere and state.tick:
        return f"process {state.tick.pid} works on it; you are looking on"
    if state.asked:
        return f"paused at a question: {one_line(state.asked.question)}"
    if state.last_tick and state.status != "running":
        return f"paused: {said(one_line(state.last_tick.reason, JOINED))}"
    return "not started" if state.tick is None else "cut off: its process ended in the middle of its work"


def _work(state: RunState, activity: Activity) -> str:
    if activity.total and activity.done < activity.total:
        filled = BAR_CELLS * activity.done // activity.total
        bar = "█" * filled + "░" * (BAR_CELLS - filled)
        return f"{bar} {activity.done:,} of {counted(activity.total, 'run')}: {one_line(activity.title)}"
    if state.stopped:
        return "wrapping up"
    if any(call.role == "proposer" for group in state.spend.open.values() for call in group):
        return "waiting for the proposer's reply"
    if state.by_command:
        return under_way(state)
    if state.current:
        return f"{state.current.name}: " + ("deciding" if state.current.text_digest else "editing the text")
    return "looking for ideas" if state.baseline else "getting ready"


def _next(state: RunState, terms: Terms | None, activity: Activity) -> str:
    if state.finished:
        if not state.keeps:
            return "r shows the report"
        return _AFTER_CODE if state.by_command else _AFTER_THE_END
    if activity.elsewhere:
        return "this screen follows its journal"
    if not (activity.working or activity.asking):
        if state.asked:
            return "press a to answer it; what is measured is kept"
        if state.waiting.proposals:
            return "press a to decide on what waits for you"
        return "press c to go on; what is measured is kept" if state.started else "press c to start"
    if state.stopped:
        return "the report" if state.by_command else "the final gain on held-out cases, then the report"
    if state.baseline is None:
        return "baseline, then your approval of it" if "spec" in state.approvals else "your approval, then the baseline"
    if state.current and not state.by_command:
        last = state.current.last
        return _AFTER.get(last.next_measurement if last else "exploratory", "decide")
    left = f" (at most {terms.max_iterations - state.iterations} more)" if terms else ""
    return f"the next experiment{left}"


def _time(state: RunState, terms: Terms | None, activity: Activity, now: datetime) -> str:
    if state.phase3_at is None:
        limits = f" ({_hours(terms.max_active_s)} of work, {_hours(terms.max_wall_s)} calendar)" if terms else ""
        return f"limits{limits} count from the first idea"
    work_s = state.active_s + activity.tick_s - state.phase3_active_s
    until = now if not state.finished else datetime.fromisoformat(state.finished.at)
    wall_s = calendar_s(datetime.fromisoformat(state.phase3_at), until)
    if terms is None:
        return f"work {spoken(work_s)} · calendar {spoken(wall_s)}"
    return (
        f"work {spoken(work_s)} of {_hours(terms.max_active_s)} · "
        f"calendar {spoken(wall_s)} of {_hours(terms.max_wall_s)}"
    )


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:g} h"


def _spend(state: RunState, terms: Terms | None) -> str:
    approved = state.approvals.get("spec")
    caps = terms.caps if terms else approved.caps if approved else {}
    most_calls, most_usd = caps.get("max_calls"), caps.get("max_total_cost_usd")
    spent, known_calls = state.spend, counted(state.spend.calls, "call")
    calls = f"{spent.calls:,} of {counted(most_calls, 'call')}" if most_calls else known_calls
    cap = f"of {most_usd:.2f} USD" if most_usd else "USD, money uncapped"
    if not state.spend.usd_known:
        known = f"at least {state.spend.usd:.4f} USD" if state.spend.usd else "cost unknown"
        return f"{calls} · {known} (a model has no known price)"
    return f"{calls} · {state.spend.usd:.4f} {cap}"


def _score(state: RunState, span: float) -> str:
    if state.by_command:
        return command_score(state)
    if hides_scores(state):
        return HIDDEN
    if state.baseline is None:
        return "not measured yet"
    # The final gain has fresh runs of both texts: from then on these are the figures, here as in the report.
    before = state.gain.selection_before if state.gain else state.baseline.mean
    original = f"original {score(before, span)}"
    best = (state.gain.selection_after if state.gain else best_mean(state)) if state.keeps else None
    if best is None:
        return f"{original} on {counted(len(state.baseline_selection), 'tuning case')}; no change kept"
    return (
        f"{original} → best {score(best, span)} ({change(best - before, span)}, "
        f"exp-{state.best_number:03d}) on tuning cases"
    )


def _proof(state: RunState, span: float, *, pruning: bool) -> str:
    if state.by_command:
        return command_proof(state)
    if state.gain and hides_scores(state):
        return HIDDEN
    if state.gain:
        gain = state.gain
        sure = "" if gain.clearly_better or only_shortened(state) else "; not clearly better"
        return (
            f"{score(gain.before, span)} → {score(gain.after, span)} on {counted(gain.cases, 'unseen case')}, "
            f"{change(gain.gain, span)} (90%: {change(gain.low, span)} to {change(gain.high, span)}){sure}"
            f"{f'; {saving_words(saved(state))}' if only_shortened(state) else ''}"
        )
    if state.baseline is None:
        if pruning:
            return "a rule leaves only if no loss shows without it, also on cases it was never tuned on"
        return "a change is kept only if it also wins on cases it was never tuned on"
    looked = counted(len(state.looks), "look") if state.looks else "no look"
    shows = unmissed(state) if pruning else f"this set shows gains from {change(state.baseline.sees_most, span)}"
    return f"{looked} at the held-out cases; {shows}"
