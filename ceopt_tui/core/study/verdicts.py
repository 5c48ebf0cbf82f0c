"""Verdicts on hypotheses: each family by itself, then all of them together. Says what stands in the way of accepting.

A claim is confirmed where its whole interval reaches the threshold, rejected where none of it does. It must hold in
every family, so families need no correction (an intersection-union test, Berger 1982); hypotheses share one error rate
of 5 % (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.figures import counted
from ceopt_tui.core.statistics import mean
from ceopt_tui.core.study.cells import Cell
from ceopt_tui.core.study.findings import ALPHA, LEVELS, Scores, basis_of, case_means
from ceopt_tui.core.study.intervals import Estimate, estimate
from ceopt_tui.core.study.tags import MOST_EXPLORATORY_REPEATS, Basis, Tags, missing_power, tags_of
from schemas.study import Hypothesis
from schemas.study_rules import EVERY_CASE

Word = Literal["CONFIRMED", "REJECTED", "NULL"]
DIFFERENCES = (-1.0, 1.0)


@dataclass(frozen=True)
class FamilyVerdict:
    """What one family of models says. The estimate is of the claim: positive differences are as it predicts."""

    family: str
    word: Word
    estimate: Estimate | None
    confidence: float | None  # that the threshold is reached
    tags: Tags


@dataclass(frozen=True)
class Verdict:
    """What all families say together, and why it may not be accepted."""

    hypothesis: Hypothesis
    word: Word
    families: tuple[FamilyVerdict, ...]
    objections: tuple[str, ...]

    @property
    def accepted(self) -> bool:
        """Is the claim confirmed, and does nothing stand in the way?"""
        return self.word == "CONFIRMED" and not self.objections


def verdicts(
    hypotheses: Sequence[Hypothesis],
    cells: Sequence[Cell],
    scores: Scores,
    attested: frozenset[str],
    *,
    trusted: bool = True,
) -> tuple[Verdict, ...]:
    """A verdict on every hypothesis; `attested` are the targets whose isolation was proved.

    `trusted`: is a score of the judge a measurement?
    """
    alpha = ALPHA / len(hypotheses)
    return tuple(_verdict(hypothesis, cells, scores, attested, alpha, trusted=trusted) for hypothesis in hypotheses)


def _verdict(
    hypothesis: Hypothesis,
    cells: Sequence[Cell],
    scores: Scores,
    attested: frozenset[str],
    alpha: float,
    *,
    trusted: bool,
) -> Verdict:
    own = [cell for cell in cells if _concerns(hypothesis, cell)]
    names = list(dict.fromkeys(cell.target.family for cell in own))
    parts = {name: [cell for cell in own if cell.target.family == name] for name in names}
    families = tuple(
        _family(hypothesis, name, some, scores, len(names), alpha, trusted=trusted) for name, some in parts.items()
    )
    basis = basis_of(own, scores, len(names), trusted=trusted)
    objections = _objections(hypothesis, families, basis, own, attested)
    return Verdict(hypothesis, _together([family.word for family in families]), families, objections)


def _concerns(hypothesis: Hypothesis, cell: Cell) -> bool:
    return cell.text in (hypothesis.treatment, hypothesis.control) and hypothesis.metric in (
        EVERY_CASE,
        cell.case.scorer,
    )


def _family(
    hypothesis: Hypothesis,
    name: str,
    cells: Sequence[Cell],
    scores: Scores,
    families: int,
    alpha: float,
    *,
    trusted: bool,
) -> FamilyVerdict:
    values, bounds, bar = claimed(hypothesis, cells, scores)
    tags = tags_of(basis_of(cells, scores, families, trusted=trusted))
    if not values:
        return FamilyVerdict(name, "NULL", None, None, tags)
    found = estimate(values, alpha, bounds)
    word: Word = "CONFIRMED" if found.low >= bar else "REJECTED" if found.high < bar else "NULL"
    return FamilyVerdict(name, word, found, found.chance_above(bar), tags)


def claimed(
    hypothesis: Hypothesis, cells: Sequence[Cell], scores: Scores
) -> tuple[list[float], tuple[float, float], float]:
    """One value a case, turned so that more is as the claim says; their bounds; the bar that the mean must reach.

    A case counts on a target where both texts have a score; several targets of a family are one voice.
    """
    sign = 1 if hypothesis.direction == "increase" else -1
    by_case: dict[str, list[float]] = {}
    for target in dict.fromkeys(cell.target.id for cell in cells):
        own = [cell for cell in cells if cell.target.id == target]
        treated = case_means((cell for cell in own if cell.text == hypothesis.treatment), scores)
        control = case_means((cell for cell in own if cell.text == hypothesis.control), scores)
        for case, value in treated.items():
            if hypothesis.control is None:
                by_case.setdefault(case, []).append(sign * value)
            elif case in control:
                by_case.setdefault(case, []).append(sign * (value - control[case]))
    values = [mean(some) for some in by_case.values()]
    if hypothesis.control is not None:
        return values, DIFFERENCES, hypothesis.threshold
    low, high = sorted(sign * bound for bound in LEVELS)
    return values, (low, high), sign * hypothesis.threshold


def _together(words: Sequence[Word]) -> Word:
    if "REJECTED" in words:
        return "REJECTED"
    return "CONFIRMED" if words and set(words) == {"CONFIRMED"} else "NULL"


def _objections(
    hypothesis: Hypothesis,
    families: Sequence[FamilyVerdict],
    basis: Basis,
    cells: Sequence[Cell],
    attested: frozenset[str],
) -> tuple[str, ...]:
    """Everything that keeps a confirmed claim from being accepted."""
    found = list(missing_power(basis))
    if basis.offline:
        found.append("a stand-in for a model was asked: that says nothing of the texts")
    if basis.soft:
        found.append("the judge was not shown to put good replies above empty ones")
    if basis.repeats <= MOST_EXPLORATORY_REPEATS:
        found.append(f"{counted(basis.repeats, 'repeat')} of a case explores and proves nothing")
    unproved = sorted({cell.target.id for cell in cells} - attested)
    if unproved:
        found.append(f"not attested: {', '.join(unproved)}")
    cases = sum(basis.cases.values())
    if basis.repeats < hypothesis.power.k or cases < hypothesis.power.n:
        planned = f"{counted(hypothesis.power.k, 'repeat')} of {counted(hypothesis.power.n, 'case')}"
        found.append(f"planned with {planned}, measured with {basis.repeats} of {cases}")
    flat = [family.family for family in families if family.estimate is None or _is_flat(hypothesis, family.estimate)]
    if flat:
        found.append(f"no effect in {', '.join(flat)}")
    return tuple(found)


def _is_flat(hypothesis: Hypothesis, found: Estimate) -> bool:
    return hypothesis.control is not None and found.mean <= 0
