"""Whether a run that has ended goes on when it is started again, because what ended it no longer holds."""

from __future__ import annotations

from ceopt_tui.core.outcomes import stop_word
from ceopt_tui.core.plan.command import planning
from ceopt_tui.core.plan.measuring import affordable
from ceopt_tui.core.plan.stopping import room_for_an_experiment, stop_reason
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.run import RunState
from schemas.records import Stopped

LIMITS = frozenset({"max_iterations", "max_hours", "max_wall_hours", "plateau", "budget", "target_reached"})


def reopens(state: RunState, terms: Terms, active_s: float, wall_s: float) -> str | None:
    """Why a run that has ended goes on when it is started again; None leaves it ended.

    A limit that was raised no longer holds, and a proposer that gave nothing usable may answer now.
    """
    if state.stopped is None or state.baseline is None:
        return None
    terms = terms.extended(state.raised)
    ended_by = state.stopped.outcome
    if ended_by == "proposer_failed":
        return "the proposer is asked again" if state.iterations < terms.max_iterations else None
    if ended_by == "budget" and not _room(state, terms):
        return None  # there is room for some step, not for the one it stopped at
    if ended_by in LIMITS and _stops(state, terms, active_s, wall_s) is None:
        return f"what ended the run ({stop_word(ended_by)}) no longer holds"
    return None


def _stops(state: RunState, terms: Terms, active_s: float, wall_s: float) -> Stopped | None:
    if terms.command is None:
        return stop_reason(state, terms, active_s, wall_s)
    return planning.stop_reason(state, terms, terms.command, active_s, wall_s)


def _room(state: RunState, terms: Terms) -> bool:
    if terms.command is not None:
        return room_for_an_experiment(state, terms)
    return affordable(state, terms, _dearest_step(state, terms))


def _dearest_step(state: RunState, terms: Terms) -> int:
    """Runs of the largest pool an experiment may need: reference and candidate on one side of the split."""
    setting = terms.setting(state)
    sweep = (setting.reference_runs + 1) * len(state.selection)
    look = (setting.holdout_runs + setting.confirm_runs) * len(state.deciding_holdout)
    return max(sweep, look)
