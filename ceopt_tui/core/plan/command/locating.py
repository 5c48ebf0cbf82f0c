"""What an idea can bring at most, told from what the command prints: no experiment where no outcome could be kept.

An idea may name its share: the printed number that is the part of the primary it could save, such as the time of one
phase. The current state's own measurement holds it, so locating costs nothing and is as fresh as that. Pure.
"""

from __future__ import annotations

from ceopt_tui.core.decide import decide
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.command.setting_up import aggregate, own_place
from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.state.run import RunState
from schemas.records import HypothesisAdded

SHARE = "share"  # its name in an idea's opportunity


def located(state: RunState, command: CommandTerms, idea: HypothesisAdded) -> tuple[float, float] | None:
    """(share, primary) as measured for the current state; None where the idea names none, or none was measured.

    Only a cost has shares: of a primary to be maximized, or that a judge or cases give, there is no part to save.
    """
    if command.cases:
        return None
    name, metrics = idea.opportunity.get(SHARE, ""), state.commands.snapshot(own_place(state))["metrics"]
    if command.maximize or command.judged or name == command.primary or not {name, command.primary} <= set(metrics):
        return None
    sides = metrics[name]["samples"], metrics[command.primary]["samples"]
    if not all(_is_cost(value) for side in sides for value in side):
        return None
    snapshot = {"judge": {}, "metrics": metrics}
    share, primary = (aggregate(command, snapshot, one) for one in (name, command.primary))
    return (share, primary) if share <= primary else None


def is_worth_trying(state: RunState, command: CommandTerms, idea: HypothesisAdded) -> bool:
    """Could the idea be kept if it saved all of its share? A person's own ideas are tried in any case."""
    found = located(state, command, idea)
    if idea.source == "person" or found is None:
        return True
    before = state.commands.snapshot(own_place(state))
    before["smoke_passed"] = True
    saved = [found[1] - found[0]] * len(before["metrics"][command.primary]["samples"])
    after = {**before, "metrics": {**before["metrics"], command.primary: {"samples": saved}}}
    best = decide({"spec": command.spec, "baseline": before, "candidate": after})
    return best["decision"] in {"keep", "promising"} or best["next_measurement"] != "none"


def too_small(state: RunState, command: CommandTerms) -> str:
    """Which ideas were left out for that, in words; empty where none was."""
    left = [
        idea
        for idea in state.hypotheses.values()
        if idea.id not in state.taken and not is_worth_trying(state, command, idea)
    ]
    if not left or (found := located(state, command, left[0])) is None:
        return ""
    share, primary = found
    first = f"{left[0].description}: {left[0].opportunity[SHARE]} is {share:g} of {primary:g} {command.primary}"
    return f"{counted(len(left), 'idea')} could save too little to be kept ({first})"


def _is_cost(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
