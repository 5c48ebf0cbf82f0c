"""What a study found, as values: the same for the report people read and the one programs read.

Every number that was measured or derived carries its tags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ceopt_tui.core.study.attempts import StudyState
from ceopt_tui.core.study.cells import Cell, cells_of
from ceopt_tui.core.study.findings import Level, levels
from ceopt_tui.core.study.intervals import Estimate
from ceopt_tui.core.study.tags import Tags
from ceopt_tui.core.study.value import is_converged, is_powered, meta_value, text_values
from ceopt_tui.core.study.verdicts import FamilyVerdict, Verdict, verdicts
from ceopt_tui.study.judging import is_judge_trusted
from schemas.study import BoundTarget
from schemas.study_loading import LoadedStudy
from schemas.study_records import CellFailed, CellScored

REPORT_VERSION = 1
DIGITS = 4
NOBODY: frozenset[str] = frozenset()  # has read anything
PROBED = {
        "cell_write", "host_read_blocked", "sibling_read_blocked", "host_write_blocked", "host_config_unchanged",
        "runtime_removed", "why",
}  # fmt: skip


def report_of(loaded: LoadedStudy, state: StudyState, read: frozenset[str] = NOBODY) -> dict[str, Any]:
    """The whole report. What has no score is named, and no figure is made of it.

    `read` are hashes of replies that a person opened.
    """
    study = loaded.study
    cells = list(cells_of(list(study.texts), study.bound_targets, loaded.cases, study.k))
    scores = {cell: end.score for cell, end in state.scores.items()}
    attested, trusted = state.attested(study.bound_targets), is_judge_trusted(loaded, state)
    found = verdicts(loaded.hypotheses.hypotheses, cells, scores, attested, trusted=trusted)
    lost = [cell.id for cell in cells if cell.id not in scores]
    settled = all(state.is_settled(cell.id) for cell in cells)
    registered = state.registered
    return {
        "version": REPORT_VERSION,
        "study": study.name,
        "question": study.question,
        "complete": settled,
        "stopped": state.stopped,
        "fingerprint": registered.fingerprint if registered else None,
        "commit": registered.commit if registered else None,
        "design": {
            "texts": list(study.texts),
            "targets": [target.model_dump() for target in study.bound_targets],
            "cases": len(loaded.cases),
            "repeats": study.k,
            "seed": study.seed,
        },
        "coverage": {"scored": len(cells) - len(lost), "cells": len(cells)},
        "hypotheses": [_verdict(one) for one in found],
        "value": _value(loaded, cells, scores, found, state, trusted=trusted),
        "levels": [_level(one) for one in levels(cells, scores, trusted=trusted)],
        "lost": [{"cell": cell, "why": state.failure(cell)} for cell in lost],
        "unresolved": list(state.unresolved),
        "spent": _spent(state),
        "judge": _judge(loaded, state, trusted=trusted),
        "regressions": _regressions(state),
        "isolation": [_isolation(target, state) for target in study.bound_targets],
        "outputs": _outputs(state, read),
    }


def _value(
    loaded: LoadedStudy,
    cells: Sequence[Cell],
    scores: Mapping[str, float],
    found: Sequence[Verdict],
    state: StudyState,
    *,
    trusted: bool,
) -> dict[str, Any]:
    """What each text is worth, and the four things that make it known."""
    study = loaded.study
    apart = state.attested(study.bound_targets) == {target.id for target in study.bound_targets}
    registered = state.registered is not None and state.registered.commit is not None
    meta = meta_value(found, registered=registered, powered=is_powered(cells, scores), trusted=trusted, apart=apart)
    return {
        "texts": [
            {
                "text": one.text,
                "value": _figure(one.value, one.tags),
                "converged": is_converged(one.value, meta, method_goal=study.goal == "method"),
            }
            for one in text_values(cells, scores, study.weights, trusted=trusted)
        ],
        "known": vars(meta),
    }


def _verdict(found: Verdict) -> dict[str, Any]:
    hypothesis = found.hypothesis
    return {
        "id": hypothesis.id,
        "claim": hypothesis.claim,
        "metric": hypothesis.metric,
        "treatment": hypothesis.treatment,
        "control": hypothesis.control,
        "direction": hypothesis.direction,
        "threshold": hypothesis.threshold,
        "confounds": list(hypothesis.confounds),
        "verdict": found.word,
        "accepted": found.accepted,
        "objections": list(found.objections),
        "families": [_family(hypothesis.direction, hypothesis.control is not None, one) for one in found.families],
    }


def _family(direction: str, compared: bool, found: FamilyVerdict) -> dict[str, Any]:
    """As the metric has it, not as the claim turns it: a fall is a negative difference."""
    turned = direction == "decrease"
    return {
        "family": found.family,
        "verdict": found.word,
        "cases": found.estimate.count if found.estimate else 0,
        "difference" if compared else "level": figures_of(found.estimate, found.tags, turned=turned),
        "confidence": _figure(found.confidence, found.tags),
    }


def _level(level: Level) -> dict[str, Any]:
    return {
        "text": level.text,
        "target": level.target.id,
        "family": level.target.family,
        "group": level.group,
        "score": figures_of(level.estimate, level.tags),
        "scored": level.scored,
        "cells": level.wanted,
        "missing": list(level.missing),
    }


def figures_of(found: Estimate | None, tags: Tags, *, turned: bool = False) -> dict[str, Any] | None:
    """An estimate as every report has it; with `turned` of a claim that something falls."""
    if found is None:
        return None
    low, high = (-found.high, -found.low) if turned else (found.low, found.high)
    value = -found.mean if turned else found.mean
    return {"value": _rounded(value), "low": _rounded(low), "high": _rounded(high), "tags": _words(tags)}


def _figure(value: float | None, tags: Tags) -> dict[str, Any] | None:
    return None if value is None else {"value": _rounded(value), "tags": _words(tags)}


def _rounded(value: float) -> float:
    return round(value, DIGITS) + 0.0  # no negative zero


def _words(tags: Tags) -> list[str]:
    return [tags.evidence, *tags.marks]


def _judge(loaded: LoadedStudy, state: StudyState, *, trusted: bool) -> dict[str, Any] | None:
    """The judge, how often it put a good reply above an empty one, where a search for words says something else."""
    judge, trials = loaded.study.judge, state.judge_trials
    if judge is None:
        return None
    searched = [end for end in state.scores.values() if end.word_search is not None]
    return {
        "model": judge.model,
        "family": judge.family,
        "trusted": trusted,
        "good_above_empty": trials[-1].ordered if trials else None,
        "tried_on": trials[-1].cases if trials else None,
        "cells_searched": len(searched),
        "search_disagrees": sum(end.word_search != end.score for end in searched),
    }


def _regressions(state: StudyState) -> dict[str, int]:
    """Cells in which something that worked before no longer does, beside what their hidden tests say."""
    told = [end.regression for end in state.scores.values() if end.regression is not None]
    return {"cells": len(told), "broken": sum(share < 1 for share in told)}


def _outputs(state: StudyState, read: frozenset[str]) -> dict[str, Any]:
    """Replies that can be read, and how many of them a person opened."""
    kept = [end for end in state.ended.values() if isinstance(end, CellScored | CellFailed) and end.kept]
    opened = sum(end.reply_sha256 in read for end in kept)
    return {"kept": len(kept), "read": opened, "read_by_a_person": 0 < len(kept) == opened}


def _isolation(target: BoundTarget, state: StudyState) -> dict[str, Any]:
    """Is it known that a target ran apart, and what its last probe said?"""
    probes = state.probes(target.id)
    last = probes[-1].model_dump(include=PROBED) if probes else None
    return {"target": target.id, "attested": target.id in state.attested([target]), "probe": last}


def _spent(state: StudyState) -> Mapping[str, Any]:
    spent = state.spent
    tag = "soft" if spent.soft or spent.unpriced else "measured"
    return {
        "usd": None if spent.unpriced else {"value": round(spent.usd, 6), "tags": [tag]},
        "calls": {"value": spent.calls, "tags": [tag]},
    }
