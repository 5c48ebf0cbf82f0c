"""What a first spec measures by: the checks of its cases, or a judge with a rubric to start from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ceopt_tui.errors import InputError, Problem
from schemas.checks import Check, Contains, Exact, Normalized
from schemas.evalset import Case, EvalSet
from schemas.writing import FIRST_RUN_STOPPING, PASS_RATE
from texttargets.checks import unusable_check

Measure = Literal["exact", "normalized", "contains", "judge"]
MEASURES: Mapping[Measure, str] = {
    "exact": "the output is the expected answer, letter by letter",
    "normalized": "the same, whatever its case, spaces and closing full stop",
    "contains": "the expected answer stands in the output",
    "judge": "a model scores the output by a rubric",
}
_CHECKS: Mapping[str, Check] = {
    "exact": Exact(),
    "normalized": Normalized(type="normalized"),
    "contains": Contains(type="contains"),
}
_NOTES_IN_RUBRIC = 5
_MOST_NAMED = 3


@dataclass(frozen=True)
class Wishes:
    """What a person chose for a first spec; what is left out is chosen for them.

    `models` maps a tier, `cheap` or `strong`, to provider/model. A cap of None is no cap of that kind.
    """

    measure: Measure | None = None
    rubric: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    experiments: int = FIRST_RUN_STOPPING["max_iterations"]
    hours: float = float(FIRST_RUN_STOPPING["max_hours"])
    usd: float | None = FIRST_RUN_STOPPING["max_total_cost_usd"]
    calls: int | None = None

    @property
    def stopping(self) -> dict[str, Any]:
        """The spec's `stopping`."""
        caps = {"max_total_cost_usd": self.usd, "max_calls": self.calls}
        return {
            "max_iterations": self.experiments,
            "max_hours": int(self.hours) if self.hours.is_integer() else self.hours,
            **{key: cap for key, cap in caps.items() if cap is not None},
        }


def measured(evalset: EvalSet, wishes: Wishes) -> tuple[EvalSet, dict[str, Any]]:
    """The eval set with the check that was chosen, and the spec's `metric`. InputError where a check has no answer."""
    chosen = _CHECKS.get(wishes.measure or "judge")
    if chosen is not None and evalset.check != chosen:
        evalset = evalset.model_copy(update={"check": None if chosen == Exact() else chosen})
    without = list(_unanswered(evalset))
    if wishes.measure == "judge" or (wishes.measure is None and without):
        rubric = wishes.rubric.strip() or rubric_for(evalset.cases)
        return evalset, {
            "primary": {"type": "judge", "name": "quality", "direction": "maximize"},
            "judge": {"rubric": rubric.rstrip() + "\n", "scoring": {"primary": "quality"}},
        }
    if without:
        named = ", ".join(without[:_MOST_NAMED]) + (
            f" and {len(without) - _MOST_NAMED} more" if len(without) > 3 else ""
        )
        raise InputError(
            [Problem(evalset.name, 0, "", f"no expected answer to check against: {named}")],
            "Give each of them `expected` or a `check`, or let a judge score them.",
        )
    return evalset, PASS_RATE


def _unanswered(evalset: EvalSet) -> Iterator[str]:
    return (case.id for case in evalset.cases if unusable_check(case, evalset.check) is not None)


def rubric_for(cases: Iterable[Case]) -> str:
    """Levels a person can use as they are, with what went wrong so far as the faults to look for."""
    notes = list(dict.fromkeys(case.went_wrong.strip() for case in cases if case.went_wrong))
    faults = "".join(f"- {' '.join(note.split())}\n" for note in notes[:_NOTES_IN_RUBRIC])
    known = f"\nFaults seen before:\n{faults}" if faults else ""
    return (
        "quality: how well does the output do what the input asks for?\n"
        "5: complete and correct, nothing to change\n"
        "4: correct, with a small flaw in form\n"
        "3: usable after a correction\n"
        "2: mostly wrong or incomplete\n"
        "1: wrong, empty or beside the point\n" + known
    )
