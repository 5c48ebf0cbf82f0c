"""After the loop: the gain on held-out cases, the report, the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from ceopt_tui.core.evidence.gain import final_gain
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.actions import Action, Ask, Done, Note, Park, Report
from ceopt_tui.core.plan.calibrating import waiting_for_judge
from ceopt_tui.core.plan.closing import close
from ceopt_tui.core.plan.continuing import continuations, may_go_on
from ceopt_tui.core.plan.harness import harder_cases
from ceopt_tui.core.plan.measuring import missing, pooled, report_runs
from ceopt_tui.core.plan.proposals import plan_dependencies_again, unasked
from ceopt_tui.core.plan.reading import park
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.plan.trusting import final_people
from ceopt_tui.core.proposal_words import waiting_sentence
from ceopt_tui.core.saving import only_shortened
from ceopt_tui.core.state.experiment import UNAPPLIED
from ceopt_tui.core.state.run import RunState
from ceopt_tui.exits import ExitStatus
from schemas.records import Finished, GainReported

FEWEST_FOR_A_GAIN = 2
APPLY, PULL_REQUEST, DONE = "apply it to my files", "write a pull-request text", "done"
STOPPED_EARLY = frozenset({"no_movement", "proposer_failed"})


def plan_wrap_up(state: RunState, terms: Terms) -> Action:
    """The next step after the loop has stopped."""
    assert state.stopped is not None
    if state.finished:
        return after_the_end(state, terms)
    if state.current and state.current.last and state.current.last.decision == "keep" and not terms.attended:
        reason = f"the run ended before anybody read it: {state.stopped.reason}; only a person may keep it"
        return park(state, terms, state.current, "ended", reason)
    if state.current:
        return close(state, terms, state.current, "inconclusive", f"{state.stopped.outcome}: {state.stopped.reason}")
    unmeasured = state.keeps and state.gain is None and not state.stopped.no_gain
    if unmeasured and state.distinct(state.report_cases) >= FEWEST_FOR_A_GAIN:
        return _gain(state, terms)
    if action := harder_cases(state):
        return action
    if state.report is None:
        return Report()
    if left := for_a_person(state, terms):
        return left
    lost = len(state.runs.given_up())
    reason = state.stopped.reason + (f"; errors left {counted(lost, 'case')} without a score" if lost else "")
    return Note((Finished(outcome=outcome_word(state), exit_status=_exit(state, lost), reason=reason),))


def after_the_end(state: RunState, terms: Terms) -> Action:
    """Of a run that is over: a person may still choose what comes of it."""
    return Ask("wrap_up") if terms.wrapping and state.wrap_up is None else Done()


def for_a_person(state: RunState, terms: Terms) -> Action | None:
    """What only a person can settle before the run is over; with nobody there the run waits for one."""
    if action := plan_dependencies_again(state, terms):
        return action
    if waits := waits_for_a_person(state, terms):
        return Park("blocked", waits, "needs_person")
    chosen = state.wrap_up is not None and not state.wrap_up.failed
    return Ask("wrap_up") if terms.attended and not chosen and len(wrap_up_options(state, terms)) > 1 else None


def waits_for_a_person(state: RunState, terms: Terms) -> str:
    """What is left for a person after the report, in words; empty where nothing is."""
    said = [proposals] if (proposals := waiting_sentence(state)) else []
    if ideas := unasked(state) if may_go_on(state, terms) else []:
        said.append(f"ideas wait for a person to approve what they rely on: {', '.join(ideas)}")
    return "; ".join(said)


def wrap_up_options(state: RunState, terms: Terms) -> tuple[str, ...]:
    """What a person may do with the outcome."""
    kept = (APPLY, PULL_REQUEST) if state.keeps else ()
    return (*kept, *continuations(state, terms), DONE)


def outcome_word(state: RunState) -> str:
    """One word for scripts: what came of the run, or why nothing could."""
    stopped = state.stopped.outcome if state.stopped else "running"
    if state.keeps:
        improved = not only_shortened(state) or (state.gain is not None and state.gain.clearly_better)
        return "improved" if improved else "shortened"
    if state.waiting.proposals:
        return "needs_person"
    measured = {"no_headroom", "too_few_cases", "harness_failed", "no_movement", "proposer_failed", "person"}
    if stopped in measured:
        return stopped
    outcomes = {experiment.outcome for experiment in state.experiments.values()}
    if outcomes and outcomes <= UNAPPLIED:
        return "nothing_measured"
    if stopped == "budget" or (outcomes and outcomes <= {"inconclusive", "error"}):
        return "inconclusive"
    shortening = [experiment.shortens for experiment in state.experiments.values()]
    removed = stopped == "no_rules" or (bool(shortening) and all(shortening))
    return "nothing_removed" if removed else "no_improvement"


def _exit(state: RunState, lost: int) -> ExitStatus:
    assert state.stopped is not None
    if state.stopped.outcome == "harness_failed":
        return ExitStatus.REFUSED
    if lost or (state.stopped.outcome in STOPPED_EARLY and not state.keeps):
        return ExitStatus.STOPPED
    outcomes = {experiment.outcome for experiment in state.experiments.values()}
    if outcomes == {"no_edits_applied"} and state.stopped.outcome != "no_ideas":
        return ExitStatus.STOPPED  # its proposer never gave a change; one that is out of ideas had its say
    return ExitStatus.FINISHED


def _gain(state: RunState, terms: Terms) -> Action:
    """Fresh held-out runs of the original and the final text, never a score that decided a keep."""
    assert state.stopped is not None
    cases, wanted = state.report_cases, report_runs(state)
    final = state.reference.text_digest
    if judge := waiting_for_judge(state, report_only=True):
        return judge
    runs = missing(state, state.original_digest, state.report_before, cases, wanted, "report")
    runs += missing(state, final, state.report_after, cases, wanted, "report")
    if runs:
        return pooled(runs, terms.seed, "report")
    before = {case: state.report_before[case] for case in cases if state.report_before.get(case)}
    after = {case: state.report_after[case] for case in cases if state.report_after.get(case)}
    shared = sorted(before.keys() & after.keys())
    if state.distinct(shared) < FEWEST_FOR_A_GAIN or len(cases) - len(shared) > terms.max_unscored * len(cases):
        scored = f"{len(shared)} of {counted(len(cases), 'held-out case')} have a score for both texts"
        if _tried_before(state, cases):
            return Note((state.stopped.model_copy(update={"no_gain": f"{scored}, tried twice"}),))
        return Park("waiting", f"the final gain could not be measured: {scored}; run again later", "outage")
    gain = final_gain(
        {case: before[case] for case in shared},
        {case: after[case] for case in shared},
        terms.noise(state),
        terms.setting(state),
    )
    assert state.split is not None
    kept = state.experiments[state.best_number]
    return Note(
        (
            GainReported(
                original_digest=state.original_digest,
                final_digest=final,
                cases=len(shared),
                before=_mean(before, shared),
                after=_mean(after, shared),
                gain=gain.mean,
                low=gain.low,
                high=gain.high,
                cautious=gain.cautious,
                clearly_better=gain.clearly_better,
                fresh=not state.deterministic or bool(state.report_only),
                selection_before=_mean(state.baseline_selection, state.selection),
                selection_after=_mean(kept.selection, state.selection),
                people=final_people(state, terms) if terms.judge else None,
            ),
        )
    )


def _tried_before(state: RunState, cases: Sequence[str]) -> bool:
    """Did the final measurement fail in an earlier tick as well, on cases that still lack a score?"""
    wanted = set(cases)
    return any(case in wanted and step == "report" for _, case, step in state.runs.failed_before)


def _mean(scores: Mapping[str, Sequence[float]], cases: Sequence[str]) -> float:
    values = [fmean(scores[case]) for case in cases if scores.get(case)]
    return fmean(values) if values else 0.0
