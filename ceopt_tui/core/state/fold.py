"""The fold: one small step per record kind. Pure but for the state it is handed; reads no clock, no file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from ceopt_tui.core.state.command_fold import COMMAND_STEPS
from ceopt_tui.core.state.commands import CommandState
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.harness import HarnessState
from ceopt_tui.core.state.harness_fold import HARNESS_STEPS
from ceopt_tui.core.state.judging import JudgingState
from ceopt_tui.core.state.proposal_fold import PROPOSAL_STEPS
from ceopt_tui.core.state.proposals import DEPENDENCIES_AGAIN, LATER
from ceopt_tui.core.state.run import Reference, RunState
from ceopt_tui.core.state.runs import RunBook, add_score
from schemas import records as r
from schemas.judging_records import Judged, ThemesGrouped

Step = Callable[[RunState, Any], None]

BEFORE_EXPERIMENTS = (0, 0)


def fold(records: Iterable[r.AnyRecord], state: RunState | None = None) -> RunState:
    """Replays records in order into a state."""
    state = state or RunState()
    for record in records:
        apply(state, record)
    return state


def apply(state: RunState, record: r.AnyRecord) -> None:
    """Takes one record into the state."""
    _pass_time(state, record)
    _STEPS[record.kind](state, record)


# Before a person's answer or word a person thought, and between two ticks nobody did; that is no work of the run's.
_NO_WORK = frozenset({"answered", "approved", "declined", "tick_started"})


def _pass_time(state: RunState, record: r.AnyRecord) -> None:
    """Books what the calendar says went by since the record before; a clock set back takes nothing away."""
    at, before = record.at, state.seen_at
    if at == before or not at:  # written together
        return
    state.seen_at = at
    if before and record.kind not in _NO_WORK and record.by != "person":
        gap_s = (datetime.fromisoformat(at) - datetime.fromisoformat(before)).total_seconds()
        state.open_tick_s += max(0.0, gap_s)
        if record.kind == "noted" and record.jump_s > 0:  # of this gap, or of one that was booked before it was noticed
            state.open_tick_s = max(0.0, state.open_tick_s - record.jump_s)


def _run_started(state: RunState, record: r.RunStarted) -> None:
    if state.started:
        _forget_measurements(state)
    state.started = record
    state.texts[record.text_digest] = record.texts
    state.reference = Reference(record.text_digest)
    if record.command:
        state.commands = CommandState(reference=record.base_sha)


def _forget_measurements(state: RunState) -> None:
    """The spec changed before anything was derived from it: gates, baseline and noise start over, spend does not."""
    state.probes, state.split, state.baseline, state.nondeterminism = [], None, None, ""
    state.runs, state.baseline_selection = RunBook(), {}
    state.judging, state.answers = JudgingState(rubric=state.judging.rubric), {}
    state.harness = HarnessState()
    state.backlog, state.phase3_at, state.proposer_failures = None, None, 0
    state.stopped = state.report = state.finished = None


def _tick_started(state: RunState, record: r.TickStarted) -> None:
    if state.tick and (not state.last_tick or state.last_tick.tick < state.tick.tick):  # it was killed
        state.active_s = max(state.active_s + state.open_tick_s, state.phase3_active_s)
    state.tick, state.open_tick_s = record, 0.0
    state.runs.new_tick()
    state.error_streak = 0
    state.answers = {question: answer for question, answer in state.answers.items() if answer != LATER}
    if state.finished:  # a person who starts a run that has ended may choose anew what comes of it
        state.wrap_up = None


def _tick_ended(state: RunState, record: r.TickEnded) -> None:
    state.last_tick = record
    state.active_s += record.active_s


def _approved(state: RunState, record: r.Approved) -> None:
    state.approvals[record.what] = record
    state.asked = None


def _split_frozen(state: RunState, record: r.SplitFrozen) -> None:
    state.split = record


def _case_run(state: RunState, record: r.CaseRun) -> None:
    if record.facts:
        state.spend.finish(record.facts)
    state.runs.add(record)
    if record.awaits_judge:
        state.judging.waiting[record.text_digest, record.case_id, record.sample] = record
        return
    _scored(state, record)


def _judged(state: RunState, record: Judged) -> None:
    for facts in record.calls:
        state.spend.finish(facts)
        if state.current:
            state.current.judging.add(facts)
    if record.again:
        state.judging.take_again(record)
        return
    for verdict in record.verdicts:
        run = state.judging.take(verdict)
        if run is not None:
            state.runs.score(run)
            _scored(state, run)


def _scored(state: RunState, record: r.CaseRun) -> None:
    """Files a run that has its score, or the reason why it has none."""
    if record.step == "report":
        if record.facts:
            state.spend.file_report(record.text_digest, record.facts)
        original = record.text_digest == state.original_digest
        add_score(state.report_before if original else state.report_after, record)
    elif record.text_digest == state.reference.text_digest:
        _reference_run(state, record)
    elif state.current and record.text_digest == state.current.text_digest:
        held_out = state.held_out(record.case_id)
        add_score(state.current.held_out if held_out else state.current.selection, record)
        # A case may want an empty answer; only one that fails for it speaks against the text.
        state.current.blank += record.passed is False and not record.output.strip()


def _reference_run(state: RunState, record: r.CaseRun) -> None:
    if record.step == "drift":
        add_score(state.reference.drift, record)
        if state.current:
            state.current.drift.add((state.current.rung, record.case_id))
        _check_repeat(state, record)
        return
    reference, rung = state.reference, state.current.rung if state.current else BEFORE_EXPERIMENTS
    if state.held_out(record.case_id):
        add_score(reference.held_out, record)
        reference.held_out_since = reference.held_out_since or rung
    else:
        add_score(reference.selection, record)
        reference.selection_since = reference.selection_since or rung
    if record.step == "baseline":
        add_score(state.baseline_selection, record)
    else:
        _check_repeat(state, record)


def _check_repeat(state: RunState, record: r.CaseRun) -> None:
    """A deterministic runner that answers identical text differently is deterministic no longer."""
    outputs = state.runs.outputs.get((record.text_digest, record.case_id), [])
    if state.deterministic and record.score is not None and len(set(outputs)) > 1:
        state.nondeterminism = f"case {record.case_id} gave another output for the same text"


def _probed(state: RunState, record: r.Probed) -> None:
    for facts in record.calls:
        state.spend.finish(facts)
    state.probes.append(record)


def _themes_grouped(state: RunState, record: ThemesGrouped) -> None:
    for facts in record.calls:
        state.spend.finish(facts)
    state.judging.groupings.append(record)


def _baseline_measured(state: RunState, record: r.BaselineMeasured) -> None:
    state.baseline = record


def _reference_reset(state: RunState, record: r.ReferenceReset) -> None:
    if not record.held_out_only:
        _new_reference(state, record.text_digest)
        return
    reference = state.reference
    reference.held_out, reference.held_out_since, reference.epoch = {}, None, reference.epoch + 1
    reference.drift = {case: values for case, values in reference.drift.items() if not state.held_out(case)}


def _new_reference(state: RunState, text_digest: str) -> None:
    state.reference = Reference(text_digest, epoch=state.reference.epoch + 1, since_experiment=len(state.experiments))


def _hypothesis_added(state: RunState, record: r.HypothesisAdded) -> None:
    state.hypotheses[record.id] = record


def _backlog_closed(state: RunState, record: r.BacklogClosed) -> None:
    if state.phase3_at is None:
        state.phase3_at, state.phase3_active_s = record.at, record.active_s
    if record.failed:
        _proposer_failed(state, record.note)
        return
    state.backlog = record
    state.generation = max(state.generation, record.generation)


def _proposer_failed(state: RunState, fault: str) -> None:
    state.proposer_failures += 1
    state.proposer_fault = fault


def _experiment_started(state: RunState, record: r.ExperimentStarted) -> None:
    experiment = ExperimentState(record, state.hypotheses[record.hypothesis_id])
    state.taken.add(record.hypothesis_id)
    state.experiments[record.number] = experiment
    if state.by_command:  # several may be open at a time
        state.commands.batch = record.batch
    else:
        state.current = experiment


def _candidate_refused(state: RunState, record: r.CandidateRefused) -> None:
    state.experiments[record.number].refused.append(record)
    if record.text_digest and record.text_digest != state.reference.text_digest:
        state.refused_texts.add(record.text_digest)


def _candidate_made(state: RunState, record: r.CandidateMade) -> None:
    experiment = state.experiments[record.number]
    experiment.text_digest, experiment.note = record.text_digest, record.note
    state.texts[record.text_digest] = record.texts
    state.proposer_failures = 0


def _decided(state: RunState, record: r.Decided) -> None:
    state.experiments[record.number].decisions.append(record)
    if record.tau:
        state.tau_ss += record.tau[0]
        state.tau_df += record.tau[1]
        state.tau_c += record.tau[2]


def _looked(state: RunState, record: r.Looked) -> None:
    state.looks.append(record)
    state.experiments[record.number].look = record


def _compared(state: RunState, record: r.Compared) -> None:
    """Told again after a kill between it and its verdict, a comparison counts once."""
    told = state.experiments[record.number].comparisons
    if told and told[-1].model_copy(update={"seq": record.seq, "at": record.at}) == record:
        told.pop()
    told.append(record)


def _experiment_closed(state: RunState, record: r.ExperimentClosed) -> None:
    experiment = state.experiments[record.number]
    experiment.closed = record
    state.count_outcome(record.outcome)
    state.moved |= record.moved is True
    if record.moved is False and not experiment.shortens:  # a rule that is not missed is no fault of the harness
        state.unmoved.append(experiment.hypothesis.category)
    if record.outcome == "no_edits_applied":
        _proposer_failed(state, record.reason)
    if record.outcome == "refused":  # its replies were understood
        state.proposer_failures = 0
    digest = experiment.text_digest
    if digest and digest not in {state.reference.text_digest, state.original_digest}:
        state.runs.forget(digest)
        state.judging.forget(digest)
    if state.current is experiment:
        state.current = None


def _committed(state: RunState, record: r.Committed) -> None:
    state.keeps.append(record)
    state.experiments[record.number].commit = record.commit
    state.best_number = record.number
    state.generation += 1
    state.commands.reference = record.commit
    _new_reference(state, record.text_digest)
    if state.stopped:  # a proposal was accepted after the end: the gain reported so far is another text's
        state.gain = state.report = state.finished = None
        state.report_after, state.stopped = {}, state.stopped.model_copy(update={"no_gain": ""})


def _answered(state: RunState, record: r.Answered) -> None:
    state.asked = None
    (state.current.answers if state.current else state.answers)[record.question_id] = record.answer


def _declined(state: RunState, record: r.Declined) -> None:
    state.asked = None


def _gain_reported(state: RunState, record: r.GainReported) -> None:
    """A gain that is measured, or seen by people, after a report makes that report an old one."""
    state.gain, state.report = record, None


def _reopened(state: RunState, record: r.Reopened) -> None:
    """The end and what was reported at it are void; every measurement stays."""
    state.stopped = state.finished = state.gain = state.report = None
    state.report_before, state.report_after = {}, {}
    state.spend.reported.clear()
    state.proposer_failures, state.proposer_fault = 0, ""
    state.wrap_up = None
    state.answers.pop(DEPENDENCIES_AGAIN, None)
    for limit, more in record.raised.items():
        state.raised[limit] = state.raised.get(limit, 0.0) + more


def _set(name: str) -> Step:
    def step(state: RunState, record: Any) -> None:
        setattr(state, name, record)

    return step


def _add(name: str) -> Step:
    def step(state: RunState, record: Any) -> None:
        getattr(state, name).append(record)

    return step


_STEPS: dict[str, Step] = {
    **COMMAND_STEPS,
    **PROPOSAL_STEPS,
    **HARNESS_STEPS,
    "run_started": _run_started,
    "tick_started": _tick_started,
    "tick_ended": _tick_ended,
    "model_bound": lambda state, record: state.models.__setitem__(record.role, record),
    "approved": _approved,
    "declined": _declined,
    "split_frozen": _split_frozen,
    "probed": _probed,
    "rubric_bound": lambda state, record: setattr(state.judging, "rubric", record),
    "judged": _judged,
    "person_scored": lambda state, record: state.judging.mark(record),
    "sheet_closed": lambda state, record: state.judging.closed_sheets.__setitem__(record.sheet, record),
    "people_compared": lambda state, record: state.judging.people.__setitem__(record.number, record),
    "themes_grouped": _themes_grouped,
    "theme_edited": lambda state, record: state.judging.edits.append(record),
    "call_started": lambda state, record: state.spend.start(record),
    "call_finished": lambda state, record: state.spend.finish_call(record),
    "case_run": _case_run,
    "baseline_measured": _baseline_measured,
    "reference_reset": _reference_reset,
    "hypothesis_added": _hypothesis_added,
    "backlog_closed": _backlog_closed,
    "experiment_started": _experiment_started,
    "candidate_refused": _candidate_refused,
    "candidate_made": _candidate_made,
    "decided": _decided,
    "looked": _looked,
    "compared": _compared,
    "experiment_closed": _experiment_closed,
    "committed": _committed,
    "learnt": _add("learnings"),
    "asked": _set("asked"),
    "answered": _answered,
    "gain_reported": _gain_reported,
    "report_written": _set("report"),
    "stopped": _set("stopped"),
    "finished": _set("finished"),
    "reopened": _reopened,
    "noted": _add("notes"),
}
