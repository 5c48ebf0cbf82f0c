"""What a person's blind scores of old and new outputs make of a gain that a judge reports.

Scores are by case: near-duplicates are one, several scores of one output's text and case are averaged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from ceopt_tui.core.evidence.broken import DEFAULT_MARGIN
from ceopt_tui.core.evidence.differences import paired_differences
from ceopt_tui.core.evidence.noise import Runs
from ceopt_tui.core.evidence.people import ppi_gain
from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.figures import change, counted
from ceopt_tui.core.state.judging import Place
from schemas.judging_records import PeopleFigures

ENOUGH_CASES = 10  # scored on both texts, from which a keep rests on people

BY_THE_JUDGES_WORD = "By the judge's word: no person has scored these outputs."

_OPENINGS = {True: "People see the gain too", False: "People do not confirm the gain", None: "By people's scores"}
_OF_A_SHORTER_TEXT = {True: "People see no loss either", False: "People see a loss", None: "By people's scores"}


def people_figures(
    marks: Mapping[Place, float | None], arms: tuple[str, str], reference: Runs, candidate: Runs, setting: Setting
) -> PeopleFigures | None:
    """The gain on people's scale; None below two cases with scores of both texts from person and judge.

    `marks` are a person's scores by place, None for skipped; `arms` are the digests of reference and candidate;
    `reference` and `candidate` are the judge's held-out scores by case. The judge is averaged over its runs.
    """
    own = [_by_case(marks, arm) for arm in arms]
    people, judge, judge_only = [], [], []
    for members in _clusters({*reference, *candidate}, setting):
        said = paired_differences(reference, candidate, setting, members).values
        seen = paired_differences(own[0], own[1], setting, members).values
        if said and seen:
            people.append(seen[0])
            judge.append(said[0])
        elif said:
            judge_only.append(said[0])
    if len(people) < 2:
        return None
    found = asdict(ppi_gain(people, judge, judge_only))
    return PeopleFigures(**{name: found[name] for name in PeopleFigures.model_fields})


def people_confirm(figures: PeopleFigures | None, level: float) -> bool | None:
    """Do people see a gain at the level of this look? None where their scores are too few for a verdict."""
    if figures is None or figures.method == "side_by_side":
        return None
    return figures.gain > 0 and figures.p <= level


def people_see_no_loss(figures: PeopleFigures | None, span: float) -> bool | None:
    """Do people see no loss in a shorter text? False only where they see one; None where their scores cannot tell."""
    if figures is None or figures.method == "side_by_side":
        return None
    if figures.high < 0:
        return False
    return True if figures.low > -DEFAULT_MARGIN * span else None


def people_sentence(figures: PeopleFigures | None, confirms: bool | None, span: float, *, shorter: bool = False) -> str:
    """What a keep question and the report say of people's scores; `span` is the width of the scale.

    `shorter`: the new text only has to be no worse.
    """
    if figures is None:
        return BY_THE_JUDGES_WORD
    if figures.method == "side_by_side":
        said = (
            f"By the judge's word: {change(figures.judge_mean, span)} on "
            f"{counted(figures.labelled + figures.judged_only, 'case')}. A person who scored "
            f"{figures.labelled} of them blind sees {change(figures.people_mean, span)}; "
            f"from {ENOUGH_CASES} cases on the decision rests on the person."
        )
    else:
        opening = (_OF_A_SHORTER_TEXT if shorter else _OPENINGS)[confirms]
        said = (
            f"{opening}: {change(figures.gain, span)} (90% interval {change(figures.low, span)} to "
            f"{change(figures.high, span)}) by blind scores of {counted(figures.labelled, 'case')}"
            f"{f' and the judge on {figures.judged_only} more' if figures.method == 'ppi' else ''}."
        )
    return f"{said} {_favour(figures, span)}".rstrip()


def _favour(figures: PeopleFigures, span: float) -> str:
    if not figures.judge_is_partial:
        return ""
    average, low, high = (change(value, span) for value in figures.judge_favour)
    return f"The judge likes the new text more than people do: {average} (90% interval {low} to {high})."


def _by_case(marks: Mapping[Place, float | None], text_digest: str) -> dict[str, list[float]]:
    scores: dict[str, list[float]] = {}
    for (text, case, _), score in marks.items():
        if text == text_digest and score is not None:
            scores.setdefault(case, []).append(score)
    return scores


def _clusters(cases: Iterable[str], setting: Setting) -> list[tuple[str, ...]]:
    """Cases by group of near-duplicates, those without one on their own; in an order that does not depend on runs."""
    group_of = {case: group for group in setting.groups for case in group}
    return sorted({group_of.get(case, (case,)) for case in cases})
