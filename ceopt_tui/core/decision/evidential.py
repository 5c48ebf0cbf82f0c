"""Keep, revert or measure on, case by case against the noise measured in the run.

Joins the evidence ladder with what surrounds it in a payload: other objectives, the smoke run, broken cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from ceopt_tui.core.decision.cases import changed_cases
from ceopt_tui.core.decision.claims import claim_on_holdout, claim_on_selection
from ceopt_tui.core.decision.holdout import failed_output, held_out_pair
from ceopt_tui.core.decision.matter import Matter, Side, primary_comparison, read_matter, target_reached
from ceopt_tui.core.decision.pair import rank_score
from ceopt_tui.core.decision.reading import section
from ceopt_tui.core.decision.rules import Rules
from ceopt_tui.core.decision.snapshot import Snapshot
from ceopt_tui.core.decision.verdict import Verdict
from ceopt_tui.core.evidence.broken import broken_cases
from ceopt_tui.core.evidence.ladder import Evidence, NextStep, decide_holdout, decide_selection
from ceopt_tui.core.evidence.setting import TENTATIVE_SET
from ceopt_tui.core.figures import counted


def decide_by_evidence(rules: Rules, payload: Mapping[str, Any], baseline: Snapshot, candidate: Snapshot) -> Verdict:
    """Verdict on a payload whose snapshots carry runs; the gates have held on the selection output already."""
    pair = held_out_pair(payload)
    matter = read_matter(rules, payload, baseline, candidate, pair)
    if missing := matter.selection.others.missing:
        return Verdict("error", f"no complete measurement of {', '.join(missing)} on both sides")
    found = _on_selection(matter)
    verdict = _selection_verdict(matter, found)
    stands = matter.ground.looking and verdict.decision != "error"
    if pair and matter.held_out and (stands or verdict.next_measurement == "confirm"):
        if degenerate := failed_output(rules, pair[1]):
            return replace(degenerate, extra={**verdict.extra, "holdout": {"verdict": "degenerate"}})
        verdict = _held_out_verdict(matter, matter.held_out, verdict, changed_cases(*pair))
    verdict = _stop_at_broken(matter, verdict, payload)
    if rules.ladder.smoke and candidate.smoke_passed is None and _goes_on(verdict):
        verdict = replace(verdict, next_measurement="smoke", reason=f"{verdict.reason}; the smoke run is missing")
    return verdict


def _goes_on(verdict: Verdict) -> bool:
    return verdict.decision != "error" and (verdict.eligible or verdict.next_measurement != "none")


def _on_selection(matter: Matter) -> Evidence:
    side, setting = matter.selection, matter.ground.setting
    found = decide_selection(
        side.before, side.after, matter.noise, setting, cases=side.cases, total_cases=matter.total_cases
    )
    if not side.after and found.decision == "error":
        following: NextStep = "exploratory" if len(side.cases) > setting.first else "add_sample"
        return replace(found, decision="inconclusive", next_measurement=following)
    if matter.claim == matter.rules.primary.name:
        return found
    claimed = side.others.comparisons[matter.claim]
    return claim_on_selection(found, claimed, side.before, side.after, matter.noise, setting)


def _selection_verdict(matter: Matter, found: Evidence) -> Verdict:
    side, rules = matter.selection, matter.rules
    primary = primary_comparison(matter, side, found, improved=found.z >= matter.ground.setting.bars.selection_z)
    comparisons = {one.name: side.others.comparisons.get(one.name, primary) for one in rules.required}
    violated = tuple(name for name, one in comparisons.items() if one.violated)
    improved = tuple(name for name, one in comparisons.items() if one.verdict == "improved")
    verdict = Verdict(
        decision=found.decision,
        reason=found.reason,
        next_measurement=found.next_measurement,
        eligible=found.decision == "promising",
        target_reached=target_reached(matter),
        improved=improved,
        violated=violated,
        comparisons=comparisons,
        primary_delta=primary.delta,
        rank_score=rank_score(comparisons, rules.primary.name),
        extra={"evidence": _as_json(found)},
    )
    if found.decision == "error":
        return replace(verdict, target_reached=False, improved=(), violated=(), primary_delta=None, rank_score=0.0)
    # The claimed objective has its own verdict from the ladder; the others veto.
    harmed = [name for name in violated if name != matter.claim]
    return _reverted(verdict, f"{', '.join(harmed)} got worse than allowed") if harmed else verdict


def _look(matter: Matter, side: Side, verdict: Verdict) -> Evidence:
    setting, noise = matter.ground.setting, matter.noise
    if tau := verdict.extra["evidence"]["tau"]:  # this candidate's own sweep is in the pool from here on
        noise = noise.with_sweep((tau[0], tau[1], tau[2]))
    found = decide_holdout(
        side.before,
        side.after,
        noise,
        setting,
        cases=side.cases,
        look=matter.ground.look,
        keeps=matter.ground.keeps,
        total_cases=matter.total_cases,
    )
    if matter.claim == matter.rules.primary.name:
        return found
    return claim_on_holdout(found, side.before, side.after, noise, setting)


def _held_out_verdict(matter: Matter, side: Side, verdict: Verdict, changed: dict[str, list[str]]) -> Verdict:
    if not any(side.after.values()):
        return verdict
    found = _look(matter, side, verdict)
    harmed = [name for name, one in side.others.comparisons.items() if one.violated]
    if primary_comparison(matter, side, found, improved=found.decision == "keep").violated:
        harmed.insert(0, matter.rules.primary.name)
    kept_on_few = found.decision == "keep" and matter.total_cases <= TENTATIVE_SET
    tentative = f" (tentative: {counted(matter.total_cases, 'case')} in all)" if kept_on_few else ""
    report = {**_as_json(found), "violated_objectives": harmed, **changed}
    decided = replace(
        verdict,
        decision=found.decision,
        next_measurement=found.next_measurement,
        eligible=found.decision in ("keep", "promising"),
        reason=found.reason + tentative,
        extra={**verdict.extra, "holdout": report},
    )
    if harmed and found.decision != "error":
        return _reverted(decided, f"held out, {', '.join(harmed)} got worse than allowed")
    return decided


def _reverted(verdict: Verdict, reason: str) -> Verdict:
    return replace(verdict, decision="revert", next_measurement="none", eligible=False, reason=reason)


def _stop_at_broken(matter: Matter, verdict: Verdict, payload: Mapping[str, Any]) -> Verdict:
    """Names broken cases; nobody there to ask, they block a keep."""
    sides = [side for side in (matter.selection, matter.held_out) if side]
    broken = sorted(case for side in sides for case in _broken(matter, side))
    verdict = replace(verdict, extra={**verdict.extra, "broken": broken})
    allowed = payload.get("unattended") is not True or section(payload, "spec").get("allow_broken") is True
    if verdict.decision != "keep" or not broken or allowed:
        return verdict
    reason = f"would be kept, but breaks {', '.join(broken)}: a person must agree"
    return replace(verdict, decision="inconclusive", eligible=False, reason=reason)


def _broken(matter: Matter, side: Side) -> tuple[str, ...]:
    setting = matter.ground.setting
    if side.passes:
        return broken_cases(*side.passes, 1.0, replace(setting, maximize=True))
    return broken_cases(side.before, side.after, matter.ground.scale.pass_at, setting)


def _as_json(found: Evidence) -> dict[str, Any]:
    numbers = asdict(found)
    return {**numbers, "lost": list(found.lost), "tau": list(found.tau) if found.tau else None}
