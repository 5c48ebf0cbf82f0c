"""The readable view of a run: experiment-log.yaml, rewritten whole from the state. The journal stays the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ceopt_tui.core.describe import HIDDEN, hides_scores
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.waits import pending_waits
from ceopt_tui.engine.ideas import still_open
from schemas.yaml_dump import dump

LOG_NAME = "experiment-log.yaml"


@dataclass(frozen=True)
class _Rendered:
    """The text of a closed experiment, and what it was made from."""

    made_from: tuple[object, ...]
    text: str


class LogText:
    """The view as text, again and again: a closed experiment is rendered once, which keeps that of a long run cheap."""

    def __init__(self, spec_text: str) -> None:
        self._spec_text = spec_text
        self._rendered: dict[int, _Rendered] = {}

    def of(self, state: RunState) -> str:
        """The same as the dumped `log_document`."""
        parts = []
        for key, value in _document(state, self._spec_text, []).items():
            listed = key == "experiments" and state.experiments
            parts.append(self._experiments(state) if listed else dump({key: value}))
        return "".join(parts)

    def _experiments(self, state: RunState) -> str:
        hidden = hides_scores(state)
        texts = [self._experiment(experiment, hidden) for experiment in state.experiments.values()]
        return "experiments:\n" + "".join(texts)

    def _experiment(self, experiment: ExperimentState, hidden: bool) -> str:
        made_from = (experiment.closed, experiment.commit, experiment.judging.calls, hidden)
        known = self._rendered.get(experiment.number)
        if known is None or experiment.closed is None or known.made_from != made_from:
            text = dump({"experiments": [_experiment(experiment, hidden)]}).partition("\n")[2]
            known = self._rendered[experiment.number] = _Rendered(made_from, text)
        return known.text


def log_document(state: RunState, spec_text: str, last: int | None = None) -> dict[str, Any]:
    """The document of schemas.experiment_log, as plain values in reading order; at most the `last` experiments."""
    hidden, experiments = hides_scores(state), list(state.experiments.values())
    shown = experiments if last is None else experiments[max(0, len(experiments) - last) :]
    return _document(state, spec_text, [_experiment(experiment, hidden) for experiment in shown])


def _document(state: RunState, spec_text: str, experiments: list[dict[str, Any]]) -> dict[str, Any]:
    started, hidden = state.started, hides_scores(state)
    return {
        "spec": spec_text,
        "run_id": started.run_id if started else None,
        "started_at": started.at if started else None,
        "baseline": None if hidden else _baseline(state),
        "experiments": experiments,
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
