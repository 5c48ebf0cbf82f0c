"""Holds one measured text against another, of the same output or of two; refuses what was not measured alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceopt_tui.core.study.attempts import StudyState
from ceopt_tui.core.study.cells import cells_of
from ceopt_tui.core.study.regression import FamilyChange, Side, changes, together
from ceopt_tui.errors import SetupError
from ceopt_tui.study.freezing import manifest_of
from ceopt_tui.study.judging import is_judge_trusted
from ceopt_tui.study.places import output_folder
from ceopt_tui.study.reporting import figures_of
from ceopt_tui.study.starting import read_study
from schemas.study_loading import LoadedStudy, load_study
from schemas.study_records import StudyRegistered

BUDGET = "budget"  # it decides how much is measured, and not what


@dataclass(frozen=True)
class Measured:
    """A text, and the output it was measured into."""

    text: str
    output: str


def regression(study: Path, baseline: Measured, candidate: Measured) -> dict[str, Any]:
    """What every family says of the candidate, as the report has figures. SetupError where they cannot be compared."""
    loaded = load_study(study)
    before, after = (_state(loaded, side) for side in (baseline, candidate))
    _require_alike(loaded, before, after, baseline, candidate)
    found = changes(_side(loaded, before, baseline), _side(loaded, after, candidate))
    return {
        "study": loaded.study.name,
        "baseline": vars(baseline),
        "candidate": vars(candidate),
        "change": together(found),
        "families": [_family(change) for change in found],
    }


def _state(loaded: LoadedStudy, side: Measured) -> StudyState:
    folder = output_folder(loaded.folder, side.output)
    state = read_study(folder)
    if state.registered is None:
        raise SetupError(f"{folder} holds no results", "Run the study first.")
    texts = {state.started[attempt].cell.split("/")[2] for attempt in state.ended if _is_cell(state, attempt)}
    if side.text not in texts:
        known = ", ".join(sorted(texts)) or "none"
        raise SetupError(f"the text `{side.text}` was not measured in {folder}", f"Measured there: {known}.")
    return state


def _is_cell(state: StudyState, attempt: str) -> bool:
    return state.started[attempt].cell.count("/") == 3


def _require_alike(
    loaded: LoadedStudy, before: StudyState, after: StudyState, baseline: Measured, candidate: Measured
) -> None:
    """SetupError naming all but the texts in which two outputs, or the study as it is now, differ."""
    assert before.registered is not None and after.registered is not None
    one, other = _bound(loaded, before.registered), _bound(loaded, after.registered)
    differing = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
    if differing:
        raise SetupError(
            f"{baseline.output} and {candidate.output} were not measured alike: {', '.join(differing)} differ",
            "Only the texts may differ between them.",
        )
    now = manifest_of(loaded)
    bound = _bound(loaded, StudyRegistered(fingerprint="", files=dict(now.files), values=dict(now.values)))
    changed = sorted(
        name for name, value in other.items() if bound.get(name) != value and not name.startswith("model of")
    )
    if changed:
        raise SetupError(
            f"the study has another {', '.join(changed)} than was measured with", "Put it back, or measure anew."
        )


def _bound(loaded: LoadedStudy, registered: StudyRegistered) -> dict[str, str | None]:
    """What decides a score beside the text: cases with their material, scorers, targets, models, repeats, seed."""
    asked = [*loaded.study.cases, *(case.material for case in loaded.cases if case.material is not None)]
    names = [name for name in registered.values if name != BUDGET]
    return {**{name: registered.files.get(name) for name in asked}, **{name: registered.values[name] for name in names}}


def _side(loaded: LoadedStudy, state: StudyState, side: Measured) -> Side:
    study = loaded.study
    cells = list(cells_of([side.text], study.bound_targets, loaded.cases, study.k))
    scores = {cell: end.score for cell, end in state.scores.items()}
    return Side(cells, scores, is_judge_trusted(loaded, state))


def _family(change: FamilyChange) -> dict[str, Any]:
    return {
        "family": change.family,
        "change": change.word,
        "baseline": figures_of(change.baseline, change.tags),
        "candidate": figures_of(change.candidate, change.tags),
    }
