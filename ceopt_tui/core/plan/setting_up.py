"""From a fresh journal to an approved baseline: approval, probes, baseline, floor."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

from ceopt_tui.core.evidence.floor import aa_floor
from ceopt_tui.core.figures import change, counted, score
from ceopt_tui.core.plan.actions import Action, Ask, Examine, Note, Park, Probe
from ceopt_tui.core.plan.calibrating import judge_again, plan_calibration, plan_scoring, waiting_for_judge
from ceopt_tui.core.plan.forecast import experiment_calls
from ceopt_tui.core.plan.harness import shortcut_in_words, too_few_left
from ceopt_tui.core.plan.lost import park_lost
from ceopt_tui.core.plan.measuring import affordable, lost_share, missing, pooled, usd_per_run
from ceopt_tui.core.plan.shortening import no_room_to_shorten
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.plan.trusting import unattended_objection
from ceopt_tui.core.state.judging import SAME_SHARE
from ceopt_tui.core.state.run import RunState
from schemas.records import BaselineMeasured, Stopped

SMALLEST_SET = 5


def plan_setup(state: RunState, terms: Terms) -> Action | None:
    """The next step of setting up, or None when the loop may begin."""
    if stop := _too_few(state) or too_few_left(state):
        return Note((stop,))
    if terms.attended and not approved(state, terms, "spec"):
        return Ask("spec")
    if not terms.attended and (objection := unattended_objection(state, terms)):
        return Park("blocked", objection, "needs_person")
    if judge := waiting_for_judge(state):
        return judge
    if action := _probing(state, terms):
        return action
    if state.baseline is None:
        return _baseline(state, terms)
    if stop := _no_room(state, terms):
        return Note((stop,))
    if not approved(state, terms, "baseline"):
        return Ask("baseline")
    return None


def _probing(state: RunState, terms: Terms) -> Action | None:
    """Does what scores tell good from bad, and reward no shortcut? A person is asked for what is missing, once."""
    if not state.probes:
        lacking = terms.judge is not None and terms.judge.lacking
        return Ask("exemplars") if lacking and terms.attended and "exemplars" not in state.answers else Probe()
    failed = [probe for probe in state.probes if probe.status == "failed"]
    if not failed:
        return None
    reason = "; ".join(f"{probe.probe}: {probe.detail}" for probe in failed)
    what = "the judge cannot be used" if terms.judge else shortcut_in_words(state)
    return Note((Stopped(outcome="harness_failed", reason=f"{what}: {reason}"),))


def approved(state: RunState, terms: Terms, what: str) -> bool:
    """Was exactly this spec with exactly these caps approved?"""
    record = state.approvals.get(what)
    return record is not None and record.digest == terms.approval_digest and record.caps == terms.caps


def _baseline(state: RunState, terms: Terms) -> Action:
    cases, digest = state.selection, state.original_digest
    wanted = terms.setting(state).reference_runs
    runs = missing(state, digest, state.reference.selection, cases, wanted, "baseline")
    if runs:
        if not affordable(state, terms, len(runs)):
            return Park("blocked", "the caps leave no room for the baseline and the final report", "budget")
        return pooled(runs, terms.seed, "baseline")
    if lost_share(state.reference.selection, cases) > terms.max_unscored:
        return park_lost(state, digest, state.reference.selection, cases)
    if terms.judge is None and state.harness.examined is None:
        return Examine()
    if action := judge_again(state, terms) or plan_scoring(state, terms) or plan_calibration(state, terms):
        return action
    return Note((_measured(state, terms),))


def _measured(state: RunState, terms: Terms) -> BaselineMeasured:
    scores = state.reference.selection
    deterministic = _repeats_itself(state, terms)
    deciding = set(state.holdout) - (set(state.report_only) if deterministic else set())
    floor = aa_floor(terms.noise(state), terms.setting(state), max(state.distinct(deciding), 1))
    setting = replace(terms.setting(state), deterministic=deterministic)
    calls = experiment_calls(len(state.selection), len(deciding), setting)
    usd = usd_per_run(state, terms)
    return BaselineMeasured(
        text_digest=state.original_digest,
        mean=fmean(fmean(values) for values in scores.values()),
        scored=sum(map(len, scores.values())),
        unscored=state.runs.failed,
        deterministic=deterministic,
        sees_half=floor.sees_half,
        sees_most=floor.sees_most,
        calls_per_experiment=calls,
        usd_per_experiment=None if usd is None else (calls[0] * usd, calls[1] * usd),
        flips=state.judging.flips[0],
        judged_again=state.judging.flips[1],
    )


def _repeats_itself(state: RunState, terms: Terms) -> bool:
    """Did every case give the same output and score in every run, with repeats to tell by and none of them lost?"""
    wanted = terms.setting(state).reference_runs
    outputs = [given for (text, _), given in state.runs.outputs.items() if text == state.original_digest]
    same = all(len(given) >= wanted and len(set(given)) == 1 for given in outputs)
    drift = SAME_SHARE * terms.span
    steady = state.runs.sigma_ss <= drift**2 * state.runs.sigma_df and not state.judging.flips[0]
    return wanted > 1 and same and steady and not state.runs.failed


def _too_few(state: RunState) -> Stopped | None:
    """Stops before anything is paid where no gain could be confirmed, whatever was measured."""
    assert state.split is not None
    total = state.distinct((*state.split.selection, *state.split.holdout))
    if state.harness.flagged or state.baseline or total >= SMALLEST_SET:
        return None
    alike = ", near-duplicates counted once" if state.split.groups else ""
    reason = f"{counted(total, 'case')}{alike}: needs at least {SMALLEST_SET} cases; nothing was run, add cases first"
    return Stopped(outcome="too_few_cases", reason=reason)


def _no_room(state: RunState, terms: Terms) -> Stopped | None:
    """Stops a run that could not show a gain: its scores are already at the top."""
    assert state.baseline is not None
    if state.experiments:
        return None
    if terms.pruning:
        return no_room_to_shorten(state, terms)
    best = terms.lowest + terms.span if terms.maximize else terms.lowest
    headroom = abs(best - state.baseline.mean)
    if headroom < 1e-9:
        return Stopped(outcome="no_headroom", reason="already at the maximum; add harder cases")
    deciding = state.distinct(state.deciding_holdout)
    smallest = 2 / max(1, deciding) * terms.span
    if terms.span == 1 and headroom < smallest:
        reason = (
            f"the text already scores {score(state.baseline.mean, terms.span)}; "
            f"with {counted(deciding, 'distinct held-out case')} "
            f"no gain below {change(smallest, terms.span)} can be shown; add harder cases"
        )
        return Stopped(outcome="no_headroom", reason=reason)
    return None
