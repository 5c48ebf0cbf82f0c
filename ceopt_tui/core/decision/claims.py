"""A hypothesis that claims another objective than the primary, as a shorter text does.

The claimed objective must improve, and the primary must be shown to be no worse: on selection and held out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ceopt_tui.core.decision.compare import Comparison
from ceopt_tui.core.decision.reading import Undecidable
from ceopt_tui.core.decision.rules import Rules
from ceopt_tui.core.evidence.broken import non_inferior
from ceopt_tui.core.evidence.ladder import TOO_FEW_CASES, Evidence
from ceopt_tui.core.evidence.noise import Noise, Runs
from ceopt_tui.core.evidence.setting import REGRESSED_Z, Setting


def claimed_objective(rules: Rules, payload: Mapping[str, Any]) -> str:
    """Name of the objective the hypothesis claims to improve; the primary where it says nothing."""
    claim = payload.get("claims")
    if claim is None or claim == "primary":
        return rules.primary.name
    if claim not in [objective.name for objective in rules.required]:
        raise Undecidable("claims does not name a required objective")
    return str(claim)


def claim_on_selection(
    found: Evidence, claimed: Comparison, before: Runs, after: Runs, noise: Noise, setting: Setting
) -> Evidence:
    """The selection verdict when not the primary but `claimed` is to improve."""
    if found.decision == "error" or found.reason == TOO_FEW_CASES:
        return found
    if claimed.verdict != "improved":
        return replace(
            found, decision="revert", next_measurement="none", reason="the claimed objective did not improve"
        )
    if found.z <= REGRESSED_Z:
        return replace(
            found, decision="revert", next_measurement="none", reason=f"the primary got worse (z = {found.z:.2f})"
        )
    if found.step == "exploratory":
        reason = "the claimed objective improved; the other cases show whether the primary held"
        return replace(found, decision="inconclusive", next_measurement="add_sample", reason=reason)
    pool = noise.with_sweep(found.tau) if found.tau else noise
    if non_inferior(before, after, pool, setting):
        reason = "the claimed objective improved and the primary is no worse on the selection cases"
        return replace(found, decision="promising", next_measurement="confirm", reason=reason)
    reason = "the claimed objective improved, but the primary is not shown to be no worse"
    more = max(map(len, after.values())) < setting.max_sweeps
    return replace(found, decision="inconclusive", next_measurement="add_sample" if more else "none", reason=reason)


def claim_on_holdout(found: Evidence, before: Runs, after: Runs, noise: Noise, setting: Setting) -> Evidence:
    """The held-out verdict when the primary must only be no worse."""
    if found.decision in ("error", "revert") or found.reason == TOO_FEW_CASES:
        return found
    if found.step == "confirm":
        reason = f"no sign of harm on the held-out cases so far (z = {found.z:.2f})"
        return replace(found, decision="promising", next_measurement="holdout", reason=reason)
    if non_inferior(before, after, noise, setting):
        reason = "the claimed objective improved and the primary is no worse on the held-out cases"
        return replace(found, decision="keep", next_measurement="none", reason=reason)
    reason = "not shown to be no worse on the held-out cases"
    return replace(found, decision="inconclusive", next_measurement="none", reason=reason)
