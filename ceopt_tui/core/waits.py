"""What a run that has not ended waits for, and when it is worth starting it again. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from ceopt_tui.core.state.run import RunState
from schemas.command_records import Dispatched

AT_ANY_TIME = "at any time"


@dataclass(frozen=True)
class Wait:
    """`on` is a word for scripts, `until` ends "to go on …", `wake` is what will start the run by itself."""

    on: str
    until: str
    wake: str = ""


# How a start ended → what the next one waits for. Any other end leaves nothing to wait for but the next start.
_WAITS = {
    "needs_person": ("person", "once a person has answered"),
    "changed": ("person", "with --restore or --fresh"),
    "budget": ("cap", "once the cap is raised"),
    "quota": ("account", "once the account has something left"),
    "auth": ("key", "once the key is accepted"),
    "results": ("workers", "once workers elsewhere have delivered"),
    "outage": ("provider", "once the models answer again"),
    "harness_failed": ("provider", "once the model answers"),
    "git": ("git", "once git can work again"),
    "storage": ("disk", "once the disk takes it"),
    "setup": ("setup", "once that is put right"),
    "busy": ("next_start", "once the start that is at work has ended"),
    "refused": ("setup", "once that is put right"),
}

# What an ended run waits for where starting it again as it is would end it again.
_ENDED = {
    "harness_failed": ("setup", "once checks, rubric or cases are put right"),
    "no_movement": ("setup", "once checks or judge are put right, with --fresh"),
}


def wait_for(outcome: str, wake: str = "") -> Wait:
    """What a start that ended with `outcome`, and left work, left the run waiting for."""
    on, until = _WAITS.get(outcome, ("next_start", AT_ANY_TIME))
    return Wait(on, until, wake)


def waits_after(state: RunState, outcome: str, wake: str = "") -> tuple[Wait, ...]:
    """The same, with the results that workers elsewhere owe by name.

    As long as they are all that is open, coming back at any time helps nobody.
    """
    if state.finished is not None and outcome in _ENDED:
        return (Wait(*_ENDED[outcome]),)
    wait, owed = wait_for(outcome, wake), outstanding(state)
    if not owed:
        return (wait,)
    elsewhere = Wait("workers", _until_delivered(owed), wake)
    unfinished = sum(not experiment.closed for experiment in state.experiments.values())
    if wait.on == "workers" or (wait.on == "next_start" and unfinished == len(owed)):
        return (elsewhere,)
    return (wait, elsewhere)


def pending_waits(state: RunState) -> tuple[Wait, ...]:
    """What the run waits for now; nothing while it works, when it was cut off, and once it has ended."""
    ended = state.last_tick
    if ended is None or state.status not in {"waiting", "blocked"}:
        return ()
    if state.stopped and state.stopped.seq > ended.seq:  # a person ended it since: the report is due
        return waits_after(state, "", ended.wake)
    outcome = ended.outcome or ("needs_person" if state.status == "blocked" else "")  # older ticks did not say
    return waits_after(state, outcome, ended.wake)


def outstanding(state: RunState) -> tuple[Dispatched, ...]:
    """Experiments that were handed to workers elsewhere and have no result yet."""
    commands = state.commands
    return tuple(
        handed
        for number, handed in commands.dispatched.items()
        if number not in commands.changes and not state.experiments[number].closed
    )


def _until_delivered(owed: tuple[Dispatched, ...]) -> str:
    """One start may collect several results, so the first of them is worth one."""
    names = ", ".join(f"exp-{one.number:03d}" for one in owed)
    what = f"one of {names}" if len(owed) > 1 else names
    limits = sorted(one.due_at for one in owed if one.due_at)
    late = f", or after {_minute(limits[0])}, when it is given up" if limits else ""
    return f"once workers elsewhere have delivered {what}{late}"


def _minute(moment: str) -> str:
    return f"{datetime.fromisoformat(moment).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
