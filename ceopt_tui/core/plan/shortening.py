"""Experiments that claim tokens: a shorter text is kept when its score is shown to be no worse.

No worse than the current text, and no worse than the text was before the first of several removals in a row: small
losses that each pass for none must not add up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

from ceopt_tui.core.decision.claims import claim_on_holdout, claim_on_selection
from ceopt_tui.core.decision.compare import Comparison
from ceopt_tui.core.evidence.broken import CONFIDENCE, DEFAULT_MARGIN, non_inferior
from ceopt_tui.core.evidence.ladder import Evidence
from ceopt_tui.core.evidence.looks import look_level
from ceopt_tui.core.evidence.noise import Noise, Runs
from ceopt_tui.core.evidence.setting import REGRESSED_Z, Setting
from ceopt_tui.core.figures import change, counted, rounded
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.saving import saving
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.statistics import normal_quantile
from schemas.records import Stopped

CREPT = "with what was removed before it, not shown to be no worse"


@dataclass(frozen=True)
class Anchor:
    """Runs of the text that stood before the present row of removals."""

    selection: Runs
    held_out: Runs


def before_removals(state: RunState) -> Anchor | None:
    """The text before the last keeps that only shortened it, as it was measured beside the first of them."""
    row = []
    for keep in reversed(state.keeps):
        if not state.experiments[keep.number].shortens:
            break
        row.append(keep.number)
    if not row:
        return None
    measured = {compared.comparison: compared.reference for compared in state.experiments[row[-1]].comparisons}
    return Anchor(measured.get("standalone", {}), measured.get("holdout", {}))


def grounds(state: RunState, terms: Terms, experiment: ExperimentState) -> tuple[Noise, Setting]:
    """Noise and setting an experiment is decided by.

    Edits that are to help share what is known of their unevenness. A removal has its own: one that was missed on some
    cases must not make another, which no case notices, look uncertain.
    """
    noise, setting = terms.noise(state), terms.setting(state)
    if not experiment.shortens:
        return noise, setting
    own = next((decided.tau for decided in experiment.decisions if decided.tau), (0.0, 0, 0.0))
    return replace(noise, tau_ss=own[0], tau_df=own[1], tau_c=own[2]), replace(setting, by_spread=True)


def shorter_on_selection(state: RunState, terms: Terms, experiment: ExperimentState, found: Evidence) -> Evidence:
    """The selection verdict on a shorter text; `found` is the one it would get by its score."""
    (noise, setting), after = grounds(state, terms, experiment), experiment.selection
    claimed = claim_on_selection(found, _length(state, experiment), state.reference.selection, after, noise, setting)
    if claimed.decision == "revert":
        worse = claimed.z <= REGRESSED_Z
        reason = f"worse on the selection cases (z = {claimed.z:.2f})" if worse else "not shorter than the text before"
        return replace(claimed, reason=reason)
    if claimed.next_measurement != "confirm":
        return _told(claimed, terms)
    noise = noise.with_sweep(found.tau) if found.tau else noise
    if _crept(state, noise, setting, "selection", after):
        more = max(map(len, after.values())) < setting.max_sweeps
        following: Literal["add_sample", "none"] = "add_sample" if more else "none"
        return replace(claimed, decision="inconclusive", next_measurement=following, reason=CREPT)
    return _told(claimed, terms)


def shorter_held_out(state: RunState, terms: Terms, experiment: ExperimentState, found: Evidence) -> Evidence:
    """The held-out verdict on a shorter text; `found` is the one it would get by its score."""
    (noise, setting), after = grounds(state, terms, experiment), experiment.held_out
    claimed = claim_on_holdout(found, state.reference.held_out, after, noise, setting)
    if claimed.decision == "keep" and _crept(state, noise, setting, "held_out", after):
        return replace(claimed, decision="inconclusive", reason=f"{CREPT} on the held-out cases")
    return _told(claimed, terms)


def granted_level(state: RunState, terms: Terms, experiment: ExperimentState) -> float:
    """The level of the look that is due. One that is to show no loss has a fixed one and wears out nothing."""
    if experiment.shortens:
        return round(1 - CONFIDENCE, 9)
    others = [look for look in state.looks if not state.experiments[look.number].shortens]
    keeps = [keep for keep in state.keeps if not state.experiments[keep.number].shortens]
    return look_level(len(others) + 1, len(keeps), terms.caution)


def no_room_to_shorten(state: RunState, terms: Terms) -> Stopped | None:
    """Stops a pruning run in which not even a removal that changes nothing could be shown to do no harm."""
    assert state.split is not None
    if not state.runs.sigma_df and not state.deterministic:
        return None  # nothing was repeated yet, so the noise is not known
    setting = terms.setting(state)
    selection, held_out = state.distinct(state.selection), state.distinct(state.deciding_holdout)
    # As quiet as it can get: the noise of the baseline, and a sweep without any difference.
    quiet = replace(terms.noise(state), tau_ss=0.0, tau_df=selection - 1, tau_c=0.0)
    sides: Mapping[str, tuple[int, int]] = {
        "selection case": (selection, _needed(quiet, terms, 1 / setting.max_sweeps + 1 / setting.reference_runs)),
        "held-out case": (held_out, _needed(quiet, terms, 2 / setting.holdout_runs)),
    }
    for side, (cases, needed) in sides.items():
        if cases < needed:
            margin = change(DEFAULT_MARGIN * terms.span, terms.span).removeprefix("+")
            noise = f" and a noise of {rounded(quiet.sigma2**0.5, 2)} from run to run" if quiet.sigma2 else ""
            reason = (
                f"with {counted(cases, side)}{noise} no removal can be shown to cost less than {margin}; "
                f"it takes about {counted(needed, side)}"
            )
            return Stopped(outcome="too_few_cases", reason=reason)
    return None


def _needed(noise: Noise, terms: Terms, inverse_runs: float) -> int:
    """Cases from which on the bound of a mean difference of 0 lies above the margin."""
    variance = noise.tau2(terms.span) + noise.sigma2 * inverse_runs
    return ceil(variance * (normal_quantile(CONFIDENCE) / (DEFAULT_MARGIN * terms.span)) ** 2)


def _crept(
    state: RunState, noise: Noise, setting: Setting, side: Literal["selection", "held_out"], after: Runs
) -> bool:
    """Have removals that each passed added up to a loss that cannot be ruled out?"""
    anchor = before_removals(state)
    if anchor is None:
        return False
    before = anchor.selection if side == "selection" else anchor.held_out
    return not non_inferior(before, after, noise, setting)


def _length(state: RunState, experiment: ExperimentState) -> Comparison:
    """The candidate's length beside that of its reference; characters, which any tokenizer's count follows."""
    found = saving(state, experiment.started.base_digest, experiment.text_digest or "")
    less = float(found.characters)
    return Comparison("improved" if less > 0 else "inconclusive", less, less / max(found.before, 1), less < 0)


def _told(found: Evidence, terms: Terms) -> Evidence:
    """The verdict with its reason in words about a text, and with the bound it rests on."""
    bound = found.mean_difference - normal_quantile(CONFIDENCE) * found.se
    seen = f"at worst {change(bound, terms.span)}, allowed {change(-DEFAULT_MARGIN * terms.span, terms.span)}"
    said = {
        ("promising", "confirm"): f"shorter, and no worse on the selection cases ({seen})",
        ("promising", "holdout"): "shorter, and no sign of harm on the held-out cases so far",
        ("keep", "none"): f"shorter, and no worse on the held-out cases ({seen})",
        ("inconclusive", "none"): f"shorter, but not shown to be no worse ({seen})",
    }.get((found.decision, found.next_measurement))
    return found if said is None or not found.n else replace(found, reason=said)
