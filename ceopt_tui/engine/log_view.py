"""The readable view of a run: experiment-log.yaml, rewritten whole from the state. The journal stays the truth."""

from __future__ import annotations

from typing import Any

from ceopt_tui.core.describe import HIDDEN, hides_scores
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.waits import pending_waits
from ceopt_tui.engine.ideas import still_open

LOG_NAME = "experiment-log.yaml"


def log_document(state: RunState, spec_text: str) -> dict[str, Any]:
    """The document of schemas.experiment_log, as plain values in reading order."""
    started, hidden = state.started, hides_scores(state)
    return {
        "spec": spec_text,
        "run_id": started.run_id if started else None,
        "started_at": started.at if started else None,
        "baseline": None if hidden else _baseline(state),
        "experiments": [_experiment(experiment, hidden) for experiment in state.experiments.values()],
        "best": _best(state),
        "hypothesis_backlog": [
            {"id": idea.id, "description": idea.description, "category": idea.category, "priority": idea.priority,
             "dep_status": idea.dep_status, "required_deps": list(idea.required_deps), "opportunity": idea.opportunity}
            for idea in still_open(state)
        ],
        "run_state": _run_state(state),
        "proposals": [] if hidden else _proposals(state),
        "approval": [
            {"what": record.what, "digest": record.digest, "caps": record.caps, "at": record.at, "by": record.by}
            for record in state.approvals.values()
        ],
        "harness_validation": [
            {"probe": probe.probe, "status": probe.status, "score": None if hidden else probe.score,
             "detail": HIDDEN if hidden and probe.status == "passed" else probe.detail}
            for probe in state.probes
        ],
        "harness_flagged": [
            {"case": one.case_id, "side": "holdout" if state.held_out(one.case_id) else "selection",
             "fault": one.fault, "reason": one.reason}
            for one in state.harness.flagged
        ],
    }  # fmt: skip


def _proposals(state: RunState) -> list[dict[str, Any]]:
    settled = state.waiting.settled
    return [
        {"experiment": number, "cause": parked.cause, "reason": parked.reason,
         "decision": settled[number].decision if number in settled else None}
        for number, parked in state.waiting.parked.items()
    ]  # fmt: skip


def _baseline(state: RunState) -> dict[str, Any] | None:
    if state.baseline is None:
        return None
    return {
        "text_digest": state.baseline.text_digest,
        "mean": state.baseline.mean,
        "scored": state.baseline.scored,
        "unscored": state.baseline.unscored,
        "deterministic": state.baseline.deterministic,
        "sees_half": state.baseline.sees_half,
        "sees_most": state.baseline.sees_most,
    }


def _experiment(experiment: ExperimentState, hidden: bool) -> dict[str, Any]:
    closed = experiment.closed
    return {
        "id": experiment.name,
        "hypothesis": experiment.hypothesis.description,
        "category": experiment.hypothesis.category,
        "outcome": experiment.outcome,
        "reason": (HIDDEN if hidden else closed.reason) if closed else None,
        "forecast": experiment.started.forecast,
        "base_sha": experiment.started.base_sha,
        "commit": experiment.commit,
        "text_digest": experiment.text_digest,
        "decisions": [
            {"step": decided.step, "decision": decided.decision, "reason": decided.reason, **decided.numbers}
            for decided in (() if hidden else experiment.decisions)
        ],
        "fixed": list(closed.fixed) if closed and not hidden else [],
        "regressions": list(closed.regressions) if closed and not hidden else [],
        "broken": list(closed.broken) if closed and not hidden else [],
        **_judging(experiment),
    }


def _judging(experiment: ExperimentState) -> dict[str, Any]:
    """What the judge took for this experiment; nothing in a run that checks score."""
    spent = experiment.judging
    if not spent.calls:
        return {}
    tokens = {"input_tokens": spent.input_tokens, "output_tokens": spent.output_tokens}
    cost = None if spent.unpriced else round(spent.usd, 6)
    return {"judging": {"calls": spent.calls, **tokens, "cost_usd": cost, "latency_s": round(spent.latency_s, 3)}}


def _best(state: RunState) -> dict[str, Any] | None:
    if state.started is None:
        return None
    return {
        "iteration": state.best_number,
        "text_digest": state.reference.text_digest,
        "commit": state.keeps[-1].commit if state.keeps else state.started.base_sha,
        "texts": state.best_texts,
    }


def _run_state(state: RunState) -> dict[str, Any]:
    gain, judge = state.gain, state.models.get("judge")
    return {
        "status": state.status,
        "outcome": state.finished.outcome if state.finished else None,
        "reason": state.stopped.reason if state.stopped else (state.last_tick.reason if state.last_tick else None),
        "pending_waits": [{"on": wait.on, "until": wait.until, "wake": wait.wake} for wait in pending_waits(state)],
        "active_s": round(state.active_s, 3),
        "calls": state.spend.calls,
        "cost_usd": round(state.spend.usd, 6) if state.spend.usd_known else None,
        "held_out": None if gain is None or hides_scores(state) else
        {"before": gain.before, "after": gain.after, "interval": [gain.low, gain.high], "cases": gain.cases},
        "notes": [note.text for note in state.notes],
        "judge_is_rewriter": bool(judge.kin) if judge else None,
    }  # fmt: skip
