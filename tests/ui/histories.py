"""Run states built from records, for screens and view models that need no engine."""

from __future__ import annotations

import json
from pathlib import Path

from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from schemas import records as r

AT = "2026-01-05T10:00:00+00:00"
FOREIGN = [
    json.loads(line)["output"]
    for line in (Path(__file__).parent.parent / "data" / "ui" / "foreign_texts.jsonl").read_text("utf-8").splitlines()
]


def begun(text: str = "Answer.\n") -> list[r.AnyRecord]:
    """A run whose baseline is measured and approved."""
    return [
        r.TickStarted(tick=1, pid=1, host="elsewhere", at=AT),
        r.RunStarted(
            run_id="id", name="triage", ceopt_version="0", repository="here", spec_file="spec.yaml", spec_digest="s",
            approval_digest="digest", measurement_digest="m", base_sha="base", branch="optimize/triage",
            texts={"prompt.md": text}, text_digest="original", seed=7, at=AT,
        ),
        r.SplitFrozen(selection=("a", "b"), holdout=("c", "d"), seed=7),
        r.Approved(what="spec", digest="digest", caps={"max_calls": 500.0, "max_total_cost_usd": 5.0}),
        r.CaseRun(text_digest="original", case_id="a", sample=0, step="baseline", output="x", score=0.0, passed=False),
        r.BaselineMeasured(
            text_digest="original", mean=0.5, scored=8, unscored=0, deterministic=False, sees_half=0.2, sees_most=0.3,
            calls_per_experiment=(4, 30),
        ),
        r.Approved(what="baseline", digest="digest", caps={}),
        r.BacklogClosed(generation=0, added=1, at=AT),
    ]  # fmt: skip


def tried(number: int, what: str, outcome: str = "", reason: str = "", text: str = "") -> list[r.AnyRecord]:
    """One experiment; without an outcome it is still open."""
    records: list[r.AnyRecord] = [
        r.HypothesisAdded(id=f"h{number}", description=what, category=what, move="append", source="fake"),
        r.ExperimentStarted(
            number=number, hypothesis_id=f"h{number}", base_digest="original", base_sha="base", branch="exp"
        ),
    ]
    if text:
        records.append(r.CandidateMade(number=number, text_digest=f"t{number}", texts={"prompt.md": text}))
    if outcome:
        closed = r.ExperimentClosed(
            number=number, outcome=outcome, reason=reason, fixed=("a",), regressions=("b",), moved=True
        )
        records.append(closed)
    if outcome == "kept":
        records.append(r.Committed(number=number, text_digest=f"t{number}", commit="c0ffee", branch="optimize/triage"))
    return records


def ended(outcome: str = "no_improvement") -> list[r.AnyRecord]:
    """The end of a run."""
    return [
        r.Stopped(outcome="plateau", reason="enough"),
        r.Finished(outcome=outcome, exit_status=0, reason="enough", at=AT),
        r.TickEnded(tick=1, active_s=60, status="finished", reason="enough", at=AT),
    ]


def state_of(*groups: list[r.AnyRecord]) -> RunState:
    return fold(record for group in groups for record in group)


def foreign_history() -> RunState:
    """Twelve experiments whose ideas, reasons and texts are the strings that break markup."""
    groups = [tried(i, text, "reverted", text, f"Answer.\n{text}\n") for i, text in enumerate(FOREIGN, 1)]
    return state_of(begun(), *groups)
