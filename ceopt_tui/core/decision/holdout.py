"""The held-out comparison by fixed thresholds: a would-be keep waits for it and stands or falls with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ceopt_tui.core.decision.cases import changed_cases
from ceopt_tui.core.decision.pair import Compared, compare_pair
from ceopt_tui.core.decision.reading import section
from ceopt_tui.core.decision.rules import Rules
from ceopt_tui.core.decision.snapshot import Snapshot, read_snapshot
from ceopt_tui.core.decision.verdict import Verdict, comparisons_as_json


def held_out_pair(payload: Mapping[str, Any]) -> tuple[Snapshot, Snapshot] | None:
    """The held-out reference and candidate, or None until both are there."""
    held_out = section(payload, "holdout")
    if held_out.get("baseline") is None or held_out.get("candidate") is None:
        return None
    return read_snapshot(held_out, "baseline", "holdout."), read_snapshot(held_out, "candidate", "holdout.")


def confirm_on_holdout(verdict: Verdict, rules: Rules, payload: Mapping[str, Any]) -> Verdict:
    """Turns a keep on the selection samples into the verdict that also counts the held-out ones."""
    pair = held_out_pair(payload)
    if verdict.decision != "keep" or verdict.next_measurement != "none" or (pair is None and not rules.holdout):
        return verdict
    if pair is None:
        waiting = f"{verdict.reason}; the held-out comparison decides"
        return replace(verdict, decision="promising", next_measurement="holdout", reason=waiting)
    before, after = pair
    if degenerate := failed_output(rules, after):
        return replace(degenerate, extra={**verdict.extra, "holdout": {"verdict": "degenerate"}})
    compared = compare_pair(before, after, rules)
    word, decided = _outcome(verdict, compared)
    report = {
        "verdict": word,
        "improved_objectives": list(compared.improved),
        "violated_objectives": list(compared.violated),
        "comparisons": comparisons_as_json(compared.comparisons),
        **changed_cases(before, after),
    }
    return replace(decided, extra={**decided.extra, "holdout": report})


def failed_output(rules: Rules, candidate: Snapshot) -> Verdict | None:
    """The verdict on an output that is not worth comparing, or None when it is. Nothing else is read before this."""
    if candidate.smoke_passed is False:
        return Verdict("degenerate", "the smoke run failed")
    if failed := candidate.failed_gates(rules.gates):
        side = "held-out " if candidate.path.startswith("holdout") else ""
        return Verdict("degenerate", f"{side}gates do not hold: {', '.join(failed)}", violated=failed)
    return None


def _outcome(verdict: Verdict, compared: Compared) -> tuple[str, Verdict]:
    if compared.missing:
        reason = f"no complete held-out measurement of {', '.join(compared.missing)} on both sides"
        return "error", replace(verdict, decision="error", eligible=False, reason=reason)
    if compared.violated:
        reason = f"held out, {', '.join(compared.violated)} got worse than allowed"
        return "regressed", replace(verdict, decision="revert", eligible=False, reason=reason)
    # What improved on selection must improve again; another objective's luck confirms nothing.
    confirmed = [name for name in verdict.improved if name in compared.improved]
    reversed_ = [name for name in verdict.improved if compared.comparisons[name].verdict == "regressed"]
    if not confirmed and reversed_:
        reason = f"held out, {', '.join(reversed_)} got worse"
        return "regressed", replace(verdict, decision="revert", eligible=False, reason=reason)
    if not confirmed:
        reason = f"held out, {', '.join(verdict.improved)} did not improve again"
        return "not_confirmed", replace(verdict, decision="inconclusive", eligible=False, reason=reason)
    return "confirmed", replace(verdict, reason=f"{', '.join(confirmed)} improved on selection and held out")
