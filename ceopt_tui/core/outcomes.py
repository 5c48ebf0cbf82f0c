"""Outcome words for people: what a script reads as `harness_failed`, a person reads as what happened."""

from __future__ import annotations

_EXPERIMENTS = {
    "runner_up_kept": "kept as well",
    "inconclusive": "not sure",
    "censored": "cut short",
    "runner_up_reverted": "reverted",
    "degenerate": "failed a gate",
    "no_edits_applied": "no edit",
    "timeout": "timed out",
    "deferred_needs_approval": "parked",
}
_ENDED = {
    "no_headroom": "nothing to gain",
    "inconclusive": "not sure",
    "harness_failed": "scoring cannot be trusted",  # an ended run: checks or judge fell for a shortcut
    "no_movement": "no score moved",
    "proposer_failed": "no usable idea",
    "person": "ended by you",
    "needs_person": "waits for a person",
}
_PARKED = {
    "harness_failed": "the model did not answer",
    "time": "time used up",
    "changed": "measured by another spec, eval set or model",
    "results": "workers elsewhere are still at work",
    "busy": "another process is at work on it",
    "ticks": "this start's experiments decided",
    "budget": "the cap is reached",
    "quota": "the account has nothing left",
    "auth": "the key was refused",
    "outage": "calls failed",
    "git": "git refused",
    "storage": "the disk refused",
    "setup": "something has to be changed first",
    "refused": "could not start",
    "stopped": "stopped by you",
    "needs_person": "waits for a person",
    "calibrated": "compared with your scores",
    "scored": "scored by you",
}
_STOPS = {
    "max_iterations": "the number of experiments",
    "max_hours": "the hours of work",
    "max_wall_hours": "the hours by the calendar",
    "plateau": "experiments in a row without a keep",
    "budget": "the cap",
    "target_reached": "the target",
}


def experiment_word(outcome: str) -> str:
    """An experiment's outcome in words."""
    return _EXPERIMENTS.get(outcome) or outcome.replace("_", " ")


def run_word(outcome: str, *, ended: bool) -> str:
    """What came of a run, or of this start of one that has not ended."""
    words = _ENDED if ended else _PARKED
    return words.get(outcome) or outcome.replace("_", " ")


def stop_word(outcome: str) -> str:
    """The limit that ended a run."""
    return _STOPS.get(outcome) or outcome.replace("_", " ")
