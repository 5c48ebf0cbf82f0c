"""What a review says of single cases: what a candidate fixed, broke and moved, with the outputs of both texts.

Of a held-out case only its name and its runs leave this module while the run is open. Knows no widget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from ceopt_tui.core.command_words import figure
from ceopt_tui.core.describe import hides_scores
from ceopt_tui.core.figures import counted, score
from ceopt_tui.core.plan.closing import broken, changes
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.visible import one_line, visible
from ceopt_tui.ui.marks import Mark
from schemas.evalset import Case, as_words

Moved = Literal["broken", "regressed", "worse", "fixed", "better", "changed", "unscored", "same"]
Side = Literal["selection", "held out"]
Runs = Mapping[str, Sequence[float]]

# In the order of the list: what speaks against the candidate comes first.
MARKS: dict[Moved, Mark] = {
    "broken": Mark("✗", "broken", "alarm"),
    "regressed": Mark("✗", "regressed", "bad"),
    "worse": Mark("↓", "worse", "bad"),
    "fixed": Mark("✓", "fixed", "good"),
    "better": Mark("↑", "better", "good"),
    "changed": Mark("~", "changed", "unsure"),
    "unscored": Mark("?", "no score", "unsure"),
    "same": Mark("=", "same", "quiet"),
}
_ORDER = {moved: place for place, moved in enumerate(MARKS)}
HELD_OUT = "held out: its output is shown once the run has finished"
GONE = "not on record"


@dataclass(frozen=True)
class CaseChange:
    """One case under both texts, with the scores of every run that has one."""

    id: str
    side: Side
    moved: Moved
    before: tuple[float, ...]
    after: tuple[float, ...]

    @property
    def mark(self) -> Mark:
        return MARKS[self.moved]


@dataclass(frozen=True)
class Material:
    """What a review shows beside the state: outputs by text and case, and the cases as the eval set has them."""

    outputs: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    cases: Mapping[str, Case] = field(default_factory=dict)
    note: str = ""  # why something is missing


def sides(state: RunState, experiment: ExperimentState) -> dict[Side, tuple[Runs, Runs]]:
    """(reference, candidate) runs by side: as they were compared, or as far as an open experiment has got."""
    latest = {compared.comparison: compared for compared in experiment.comparisons}
    found: dict[Side, tuple[Runs, Runs]] = {}
    if experiment.closed is None and experiment.text_digest is not None:
        found["selection"] = (state.reference.selection, experiment.selection)
        found["held out"] = (state.reference.held_out, experiment.held_out)
    if "standalone" in latest:
        found["selection"] = (latest["standalone"].reference, latest["standalone"].candidate)
    if "holdout" in latest:
        found["held out"] = (latest["holdout"].reference, latest["holdout"].candidate)
    return found


def case_changes(state: RunState, terms: Terms | None, experiment: ExperimentState) -> tuple[CaseChange, ...]:
    """Every case the candidate was run on; none while nobody may see scores. What speaks against it comes first."""
    if hides_scores(state):
        return ()
    named = _named(state, terms, experiment)
    found = [
        CaseChange(case, side, _moved(case, named, before, after, terms), tuple(before), tuple(after))
        for side, (reference, candidate) in sides(state, experiment).items()
        for case, after in candidate.items()
        for before in [reference.get(case, ())]
    ]
    return in_order(found)


def in_order(found: Iterable[CaseChange]) -> tuple[CaseChange, ...]:
    """As a review lists them: what speaks against the candidate first."""
    return tuple(sorted(found, key=lambda change: (_ORDER[change.moved], change.side != "selection", change.id)))


def _named(state: RunState, terms: Terms | None, experiment: ExperimentState) -> dict[str, Moved]:
    """Cases that went from one side of the pass mark to the other; as it was decided once the experiment is closed."""
    closed = experiment.closed
    if closed is not None:
        fixed, regressed, broke = closed.fixed, closed.regressions, closed.broken
    elif terms is not None:
        fixed, regressed = changes(state, terms, experiment)
        broke = broken(state, terms, experiment)
    else:
        return {}
    named: dict[str, Moved] = dict.fromkeys(fixed, "fixed")
    return named | dict.fromkeys(regressed, "regressed") | dict.fromkeys(broke, "broken")


def _moved(
    case: str, named: Mapping[str, Moved], before: Sequence[float], after: Sequence[float], terms: Terms | None
) -> Moved:
    if case in named:
        return named[case]
    if not before or not after:
        return "unscored"
    change = (fmean(after) - fmean(before)) * (1 if terms is None or terms.maximize else -1)
    return "same" if abs(change) < 1e-12 else "better" if change > 0 else "worse"


def kinds(found: Sequence[CaseChange]) -> list[tuple[str, Moved]]:
    """What occurs, each with how many cases are it."""
    count = Counter(change.moved for change in found)
    return [(f"{MARKS[moved]} ({count[moved]})", moved) for moved in MARKS if moved in count]


def runs_words(change: CaseChange, terms: Terms | None) -> str:
    """The runs of both texts: how many passed, or their mean on a scale."""
    return f"{_side_words(change.before, terms)} → {_side_words(change.after, terms)}"


def _side_words(values: Sequence[float], terms: Terms | None) -> str:
    if not values:
        return "no score"
    if terms is not None and terms.command:
        return ", ".join(map(figure, values))
    if terms is None or terms.span != 1:
        return score(fmean(values), terms.span if terms else 0)
    return f"{sum(map(terms.passes, values))} of {len(values)}"


def case_facts(change: CaseChange, material: Material, terms: Terms | None, *, hidden: bool) -> list[tuple[str, str]]:
    """One case: how it moved, what went in and what was wanted; `hidden`: held out in a run that is still open."""
    facts = [("Case", f"{one_line(change.id)} ({change.side}): {change.mark.word}, {runs_words(change, terms)}")]
    if hidden:
        return [*facts, ("Output", HELD_OUT)]
    case = material.cases.get(change.id)
    if case is not None:
        facts.append(("Input", visible(as_words(case.input))))
        if case.expected is not None:
            facts.append(("Wanted", visible(as_words(case.expected))))
    if material.note:
        facts.append(("Note", material.note))
    return facts


def output_texts(change: CaseChange, material: Material, before: str, after: str) -> list[tuple[str, str]]:
    """The outputs of both texts, by their digests; each once, with how often it came."""
    given = (
        ("Before", material.outputs.get((before, change.id), ())),
        ("After", material.outputs.get((after, change.id), ())),
    )
    return [(label, _outputs(outputs)) for label, outputs in given]


def _outputs(outputs: Sequence[str]) -> str:
    if not outputs:
        return GONE
    count = Counter(outputs)
    if len(count) == 1:
        return outputs[0] or "(empty)"
    runs = counted(len(outputs), "run")
    return "\n\n".join(f"{output or '(empty)'}\n({times} of {runs})" for output, times in count.most_common())
