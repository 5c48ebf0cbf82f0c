"""Journals written by hand: the records of a run up to the moment a test is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fakes import terms

from ceopt_tui.core.plan.actions import Action
from ceopt_tui.core.plan.plan import plan
from ceopt_tui.core.state.fold import fold
from ceopt_tui.core.state.run import RunState
from schemas.harness_records import HarnessExamined
from schemas.records import (
    AnyRecord,
    Approved,
    BacklogClosed,
    BaselineMeasured,
    CandidateMade,
    CaseRun,
    ExperimentStarted,
    HypothesisAdded,
    Probed,
    RunStarted,
    SplitFrozen,
)

SELECTION = tuple(f"s{i}" for i in range(6))
HOLDOUT = tuple(f"h{i}" for i in range(6))
AT = "2026-01-05T10:00:00+00:00"
SOUND = HarnessExamined(outputs=4)  # every check can tell outputs apart


def started(**values: Any) -> list[AnyRecord]:
    run = RunStarted(
        run_id="r", name="fake", ceopt_version="0", repository="", spec_file="", spec_digest="", approval_digest="",
        measurement_digest="", base_sha="base", branch="optimize/fake", texts={"p": "old"}, text_digest="old", seed=7,
    )  # fmt: skip
    split = SplitFrozen(**{"selection": SELECTION, "holdout": HOLDOUT, "seed": 7, **values})
    return [run, split, Probed(probe="empty", status="passed")]


def runs(
    text: str, step: Any, scores: Mapping[str, Sequence[float | None]], first: int = 0, experiment: int | None = None
) -> list[AnyRecord]:
    """One record a score; None is a run that failed."""
    return [
        CaseRun(
            text_digest=text,
            case_id=case,
            sample=first + place,
            step=step,
            experiment=experiment,
            output="" if score is None else f"output {place}",
            score=score,
            passed=None if score is None else score >= 1,
            unscored="500" if score is None else None,
        )
        for case, values in scores.items()
        for place, score in enumerate(values)
    ]


def everywhere(cases: Sequence[str], *scores: float | None) -> dict[str, Sequence[float | None]]:
    return dict.fromkeys(cases, scores)


def baseline(mean: float = 0.5, *, deterministic: bool = False) -> list[AnyRecord]:
    """Every selection case passes two runs of four, and a person has agreed to go on."""
    measured = BaselineMeasured(
        text_digest="old", mean=mean, scored=24, unscored=0, deterministic=deterministic, sees_half=0.2, sees_most=0.3,
        calls_per_experiment=(4, 30),
    )  # fmt: skip
    caps: dict[str, float | None] = {"max_calls": 2000.0}
    return [
        *runs("old", "baseline", everywhere(SELECTION, 1, 0, 1, 0)),
        measured,
        Approved(what="spec", digest="digest", caps=caps),
        Approved(what="baseline", digest="digest", caps=caps),
    ]


def idea(number: int = 1, **values: Any) -> HypothesisAdded:
    fields = {"id": f"h{number:03d}", "description": f"idea {number}", "category": "a", "move": "m", "source": "llm"}
    return HypothesisAdded(**{**fields, "parameters": {"n": number}, **values})


def experiment(number: int = 1, text: str | None = "new") -> list[AnyRecord]:
    """One idea, begun, with its candidate."""
    opened = ExperimentStarted(
        number=number, hypothesis_id=f"h{number:03d}", base_digest="old", base_sha="base", branch="b"
    )
    made = [CandidateMade(number=number, text_digest=text, texts={"p": text})] if text else []
    return [idea(number), BacklogClosed(generation=0, added=1, at=AT), opened, *made]


def looping(*records: AnyRecord, **split: Any) -> RunState:
    """A run in its loop, and what came after."""
    return fold([*started(**split), *baseline(), *records])


def next_action(state: RunState, **changes: Any) -> Action:
    clocks = {name: changes.pop(name, 0.0) for name in ("active_s", "wall_s")}
    return plan(state, terms(**changes), **clocks)
