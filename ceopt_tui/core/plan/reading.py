"""Before a change is kept with nobody watching: broken cases, a reader's word, what the guards have to say.

What nobody but a person can clear is parked as a proposal; the run goes on with the text it has.
"""

from __future__ import annotations

from typing import Literal

from ceopt_tui.core.plan.actions import Action, Note, ReadWinner
from ceopt_tui.core.plan.closing import broken, close
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import PARKED, ExperimentState
from ceopt_tui.core.state.run import RunState
from schemas.keeping_records import ProposalParked, WinnerRead

UNREADABLE = 2  # replies that cannot be used; then a person has to read
SLOWLY = 2  # readings of a gain above what was thought possible

CUES = frozenset({"quotes"})  # worth a look, and too often innocent to hold a change back

Cause = Literal["broken", "unread", "remarks", "ended"]


def plan_reading(state: RunState, terms: Terms, experiment: ExperimentState) -> Action | None:
    """What comes before an unattended keep; None once nothing stands against it."""
    if not terms.allow_broken and (cases := broken(state, terms, experiment)):
        reason = f"would break {', '.join(cases)}, which always passed; only a person may keep this"
        return park(state, terms, experiment, "broken", reason)
    readings = state.waiting.readings.get(experiment.number, [])
    if experiment.against:
        return close(state, terms, experiment, "revert", objection(experiment.against))
    if not terms.reader:
        return _by_guards(state, terms, experiment, readings)
    by_model = [reading for reading in readings if reading.reader]
    usable = sum(reading.usable for reading in by_model)
    if usable >= (SLOWLY if above_forecast(experiment, terms) else 1):
        return None
    if len(by_model) - usable >= UNREADABLE:
        reason = f"its reader gave no usable answer, the last because: {by_model[-1].reason}; only a person may keep it"
        return park(state, terms, experiment, "unread", reason)
    return ReadWinner(experiment.number, len(by_model) + 1)


def _by_guards(state: RunState, terms: Terms, experiment: ExperimentState, readings: list[WinnerRead]) -> Action | None:
    """Where no model may read, the guards do; what they would have somebody look at is for a person."""
    if not readings:
        return ReadWinner(experiment.number, 1)
    remarks = [remark.message for remark in readings[-1].remarks if remark.code not in CUES]
    if not remarks:
        return None
    return park(state, terms, experiment, "remarks", f"a person has to read it: {'; '.join(remarks)}")


def objection(reading: WinnerRead) -> str:
    """Why a change was reverted by its reader, as experiments are closed with it."""
    missing = f"; not measured: {reading.missing_observation}" if reading.missing_observation else ""
    return f"reverted by its reader: {reading.reason}{missing}"


def park(state: RunState, terms: Terms, experiment: ExperimentState, cause: Cause, reason: str) -> Note:
    """Closes a confirmed change as a proposal, with all that was measured of it on record."""
    parked = ProposalParked(number=experiment.number, cause=cause, reason=reason)
    return Note((parked, *close(state, terms, experiment, PARKED, reason).records))


def above_forecast(experiment: ExperimentState, terms: Terms) -> bool:
    """Did it gain more on selection cases than was thought possible when it began? A cue to read slowly."""
    bound = experiment.started.forecast.get("upper_bound")
    swept = [decided for decided in experiment.decisions if decided.step == "add_sample"]
    gain = swept[-1].numbers.get("mean_difference") if swept else None
    return bound is not None and gain is not None and gain / terms.span > float(bound) + 1e-9
