"""A person's scores beside the judge's for the very same outputs: from the sheets of a run and from a labels file.

Only calibration counts here. Blind scores are of held-out outputs, which never calibrate a judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ceopt_tui.core.state.judging import JudgingState, Place
from ceopt_tui.core.statistics import mean
from ceopt_tui.core.trust.sheets import Material
from schemas.judging_records import PersonScored
from schemas.labels import Binding, LabelEntry, Labels, bound_labels


@dataclass(frozen=True)
class Label:
    """One output with both scores. `judge` is the mean over its replies, None where it gave no score."""

    person: float
    judge: float | None
    reason: str = ""
    judge_reason: str = ""
    input: str = ""
    output: str = ""


@dataclass(frozen=True)
class GatheredLabels:
    """`labels` hold for the rubric and judge in force; `outdated` scores were given for others."""

    labels: Labels
    outdated: int = 0


def gather_labels(
    judging: JudgingState, materials: Mapping[Place, Material], binding: Binding, file: Labels | None = None
) -> GatheredLabels:
    """Scores of closed calibration sheets that were not thrown away, and those of the labels file.

    `materials` are the outputs of `calibration_sheet`. Two scores of one output are one label, the later counts. The
    file may hold scores that were thrown away since it was read.
    """
    outdated = 0
    entries: list[LabelEntry] = []
    if file is not None:
        thrown = set(_thrown_away(judging, materials))
        kept = [entry for entry in file.labels if (entry.what, entry.at) not in thrown]
        entries += kept if file.binding == binding else ()
        outdated += len(file.labels) if file.binding != binding else 0
    for sheet_id, closed in judging.closed_sheets.items():
        if closed.purpose != "calibration" or closed.outcome == "discarded":
            continue
        given = {place: mark for place, mark in judging.sheets.get(sheet_id, {}).items() if mark.score is not None}
        if Binding(closed.rubric_digest, closed.judge_model) == binding:
            entries += (_entry(mark, judging, materials) for place, mark in given.items() if place in materials)
        else:
            outdated += len(given)
    return GatheredLabels(bound_labels(binding, entries), outdated)


def _thrown_away(judging: JudgingState, materials: Mapping[Place, Material]) -> Iterator[tuple[Material, str]]:
    """What was scored on discarded sheets, and when."""
    for sheet_id, closed in judging.closed_sheets.items():
        marks = judging.sheets.get(sheet_id, {}) if closed.outcome == "discarded" else {}
        yield from ((materials[place], mark.at) for place, mark in marks.items() if place in materials)


def labels_of(entries: Labels) -> tuple[Label, ...]:
    """The entries of a labels file as the arithmetic wants them."""
    return tuple(
        Label(
            person=entry.person,
            judge=mean(entry.judge) if entry.judge else None,
            reason=entry.reason,
            judge_reason=entry.judge_reason,
            input=entry.input,
            output=entry.output,
        )
        for entry in entries.labels
    )


def _entry(mark: PersonScored, judging: JudgingState, materials: Mapping[Place, Material]) -> LabelEntry:
    place = (mark.text_digest, mark.case_id, mark.sample)
    what, verdict = materials[place], judging.verdicts.get(place)
    return LabelEntry(
        input=what.input,
        output=what.output,
        expected=what.expected,
        person=mark.score,
        judge=tuple(_judge_scores(place, judging, materials)),
        reason=mark.reason,
        judge_reason=verdict.feedback if verdict else "",
        at=mark.at,
    )


def _judge_scores(place: Place, judging: JudgingState, materials: Mapping[Place, Material]) -> Iterator[float]:
    """All scores of the judge for this output, those for byte-identical runs of the same case among them."""
    alike = (other for other in materials if other[:2] == place[:2] and materials[other] == materials[place])
    for other in sorted(alike):
        for verdicts in (judging.verdicts, judging.again):
            verdict = verdicts.get(other)
            if verdict is not None and verdict.score is not None:
                yield verdict.score
