"""What a run that has not ended waits for, and when it is worth starting it again. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ceopt_tui.core.state.run import RunState

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
    "refused": ("setup", "once that is put right"),
}


def wait_for(outcome: str, wake: str = "") -> Wait:
    """What a start that ended with `outcome`, and left work, left the run waiting for."""
    on, until = _WAITS.get(outcome, ("next_start", AT_ANY_TIME))
    return Wait(on, until, wake)


def pending_waits(state: RunState) -> tuple[Wait, ...]:
    """What the run waits for now; nothing while it works, when it was cut off, and once it has ended."""
    ended = state.last_tick
    if ended is None or state.status not in {"waiting", "blocked"}:
        return ()
    outcome = ended.outcome or ("needs_person" if state.status == "blocked" else "")  # older ticks did not say
    return (wait_for(outcome, ended.wake),)
