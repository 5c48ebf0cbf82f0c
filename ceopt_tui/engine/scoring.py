"""A person scores outputs on a sheet; every mark is on record before the next output is shown.

Nothing of what the judge thinks goes to the sheet, neither into it nor into the choice and order of its items.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ceopt_tui.core.judging_ports import PersonMark
from ceopt_tui.core.plan.actions import ScoreSheet
from ceopt_tui.core.plan.trusting import labels, materials
from ceopt_tui.core.state.judging import Place
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.trust.sheets import DrawnSheet, Guide, blind_sheet, calibration_sheet
from ceopt_tui.engine.parts import Parts
from ceopt_tui.engine.recorder import Recorder
from ceopt_tui.journal.atomic import write_atomic
from schemas.judging_records import PersonScored, SheetClosed
from schemas.labels_file import labels_yaml, load_labels


async def score_sheet(recorder: Recorder, parts: Parts, action: ScoreSheet) -> None:
    """Has the sheet scored as far as the person likes, and closes it. NeedsPersonError where nobody is there."""
    assert parts.judging is not None
    drawn = draw_sheet(recorder.state, parts, action)

    async def mark(item_id: str, given: PersonMark) -> None:
        text_digest, case_id, sample = drawn.places[item_id]
        await recorder.commit(
            PersonScored(
                sheet=action.sheet,
                text_digest=text_digest,
                case_id=case_id,
                sample=sample,
                score=given.score,
                reason=given.reason,
                by="person",
            )
        )

    outcome = await parts.asker.score(drawn.sheet, mark) if drawn.sheet.items else "done"
    judge = recorder.state.models.get("judge")
    await recorder.commit(
        SheetClosed(
            sheet=action.sheet,
            purpose=action.purpose,
            outcome=outcome,
            rubric_digest=parts.judging.rubric.digest,
            judge_model=judge.model if judge else "",
            number=action.number if action.purpose == "blind" else None,
            by="person",
        )
    )
    if action.purpose == "calibration":
        keep_labels(recorder.state, parts)


def keep_labels(state: RunState, parts: Parts) -> None:
    """Writes a person's scores where later runs find them; those of another rubric or judge are set aside."""
    judge, path = parts.terms.judge, parts.labels_file
    if judge is None or path is None:
        return
    there = load_labels(path) if path.exists() else None
    gathered = labels(state, replace(judge, labels=there)).labels
    if there is not None and there.binding != gathered.binding:
        path.replace(_set_aside(path))
    write_atomic(path, labels_yaml(gathered).encode("utf-8"))


def _set_aside(path: Path) -> Path:
    """A free name beside the labels file."""
    names = (path.with_suffix(f".stale{number}{path.suffix}") for number in ("", *map(str, range(2, 1000))))
    return next(name for name in names if not name.exists())


def draw_sheet(state: RunState, parts: Parts, action: ScoreSheet) -> DrawnSheet:
    """The outputs of the sheet with what was marked on it before."""
    assert parts.judging is not None and parts.terms.judge is not None
    guide = Guide(parts.judging.rubric.text, parts.judging.levels, parts.terms.seed)
    marks = _marks(state, action.sheet)
    seen = [
        place for sheet, places in state.judging.sheets.items() if _counts(state, sheet, action) for place in places
    ]
    if action.purpose == "calibration":
        outputs = materials(state, parts.terms.judge, {state.original_digest}, held_out=False)
        return calibration_sheet(outputs, guide, action.number, seen=seen, marks=marks)
    experiment = state.experiments[action.number]
    arms = (experiment.started.base_digest, experiment.text_digest or "")
    if action.sheet.startswith("final-"):
        arms = (state.original_digest, state.reference.text_digest)
    outputs = materials(state, parts.terms.judge, arms, held_out=True)
    assert state.split is not None
    return blind_sheet(outputs, guide, arms, action.number, groups=state.split.groups, seen=seen, marks=marks)


def _counts(state: RunState, sheet: str, action: ScoreSheet) -> bool:
    """An earlier sheet of the same kind whose scores stand; what was scored on it need not be scored again.

    A winner is scored beside its own reference: what was seen of either text in another pair is shown again.
    """
    closed = state.judging.closed_sheets.get(sheet)
    same = sheet.rpartition("-")[0] == action.sheet.rpartition("-")[0]
    return same and sheet != action.sheet and not (closed and closed.outcome == "discarded")


def _marks(state: RunState, sheet: str) -> dict[Place, PersonMark]:
    given = state.judging.sheets.get(sheet, {})
    return {place: PersonMark(record.score, record.reason) for place, record in given.items()}
