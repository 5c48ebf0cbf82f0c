"""A run in words: the sentences every skin and the report share. Plain text, no markup, no layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from ceopt_tui.core.command_words import command_outcome
from ceopt_tui.core.figures import change, counted, percent, score
from ceopt_tui.core.outcomes import experiment_word
from ceopt_tui.core.proposal_words import waiting_sentence
from ceopt_tui.core.saving import only_shortened, price_words, saved, saving_words
from ceopt_tui.core.state.experiment import UNAPPLIED, ExperimentState
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.state.spend import RoleSpend
from schemas.records import BaselineMeasured, GainReported

Tallies = Mapping[str, tuple[int, int, int, int]]  # by case: runs passed, runs; before: runs passed, runs

KEPT_BECAUSE = (
    "Kept because, case by case and with fresh runs, it beat the current text by clearly more than the noise measured "
    "in this run, first on the cases it was tuned on, then once on cases nobody tuned on."
)

SHORTER_BECAUSE = (
    "Kept because the text is shorter and its score no worse, case by case and with fresh runs: the lower 90% bound of "
    "the difference stayed above a loss of 5% of the scale, first on the selection cases, then once on held-out ones, "
    "against the text before and against the text before all removals."
)

MISSED_AT = 0.9  # sure that at least one case would have shown it
HIDDEN = "hidden until you have scored or declined"


def hides_scores(state: RunState) -> bool:
    """Are there scores of a judge that nobody may see yet? A person scores first, without sight of them."""
    return state.scores_hidden and bool(state.judging.verdicts)


def span_of(state: RunState) -> float:
    """Width of the scale: 1 for checks, else that of the rubric."""
    rubric = state.judging.rubric
    return rubric.highest - rubric.lowest if rubric else 1.0


def money(state: RunState) -> str:
    """Spend so far; unknown prices are said, never shown as nothing."""
    calls = counted(state.spend.calls, "call")
    if state.spend.usd_known:
        return f"{calls}, {state.spend.usd:.4f} USD"
    known = f"at least {state.spend.usd:.4f} USD" if state.spend.usd else "cost unknown"
    return f"{calls}, {known} ({unpriced_words(state)})"


def unpriced_words(state: RunState) -> str:
    """Whose spend is not known."""
    outside = any(spend.outside and spend.unpriced for spend in state.spend.roles.values())
    return "what the proposer's command spent is not known" if outside else "price of a model is not known"


def role_cost(spend: RoleSpend) -> str:
    """What one role spent. The figures of a program of the user's are its own word, and said to be."""
    price = "cost unknown" if spend.unpriced else f"{spend.usd:.4f} USD"
    told = "" if spend.unpriced else " by its own account"
    return f"{price}{told}, not capped by ceopt" if spend.outside else price


def detects(baseline: BaselineMeasured, span: float) -> str:
    """What this eval set can and cannot see."""
    if baseline.sees_half == baseline.sees_most:  # the step of a pass rate on so few cases
        return f"this set sees gains from {change(baseline.sees_most, span)} on; smaller ones will be missed"
    return (
        f"this set sees a gain of {change(baseline.sees_half, span)} about half the time and "
        f"{change(baseline.sees_most, span)} four times in five; smaller ones will mostly be missed"
    )


def gain_sentence(gain: GainReported, span: float) -> str:
    """The gain over the original on held-out cases, with its interval and the figure not to believe."""
    sure = "" if gain.clearly_better else "; not clearly better: the interval holds 0"
    return (
        f"on {counted(gain.cases, 'unseen case')}, {_runs(gain)}: "
        f"{score(gain.before, span)} → {score(gain.after, span)}, {change(gain.gain, span)} "
        f"(90% interval {change(gain.low, span)} to {change(gain.high, span)}); "
        f"cautious estimate {change(gain.cautious, span)}; on the tuned cases "
        f"{change(gain.selection_after - gain.selection_before, span)} (too high by construction){sure}"
    )


def shorter_sentence(state: RunState, gain: GainReported, span: float) -> str:
    """What a run saved that only took away, and what that did to the score: nothing, as far as can be told."""
    price = price_words(state)
    at_most = change(ceil(max(0.0, -gain.low) * 100) / 100, span).removeprefix("+")
    verdict = f"no loss of more than {at_most} on cases like these"
    if gain.clearly_better or gain.high < 0:
        verdict = "clearly better" if gain.clearly_better else "clearly worse"
    return (
        f"The text is {saving_words(saved(state))}{f'; {price}' if price else ''}. "
        f"On {counted(gain.cases, 'unseen case')}, {_runs(gain)}: {score(gain.before, span)} → "
        f"{score(gain.after, span)}, {change(gain.gain, span)} (90% interval {change(gain.low, span)} to "
        f"{change(gain.high, span)}): {verdict}"
    )


def _runs(gain: GainReported) -> str:
    return "fresh runs" if gain.fresh else "the deciding runs (the runner repeats itself, so fresh runs are the same)"


def unseen_need(state: RunState) -> str:
    """What a removal that no held-out case missed leaves open, and what to do about it."""
    return f"{unmissed(state)}; what must stay though no case asks about it belongs in `target.protect`"


def unmissed(state: RunState) -> str:
    """How many of all inputs may need a rule that no held-out case misses: an input without a case speaks for none."""
    cases = state.distinct(state.deciding_holdout)
    share = 1 - (1 - MISSED_AT) ** (1 / max(cases, 1))
    held_out = counted(cases, "distinct held-out case")
    return f"a rule that up to {percent(share)} of all inputs need may go unmissed on {held_out} (at 90%)"


def experiment_line(experiment: ExperimentState, *, hidden: bool = False) -> str:
    """One experiment in one line: name, outcome, what was tried, why it ended; `hidden`: without any score."""
    reason = experiment.closed.reason if experiment.closed else (experiment.last.reason if experiment.last else "")
    reason = HIDDEN if hidden and reason else reason
    line = f"{experiment.name}  {experiment_word(experiment.outcome):<14} {experiment.hypothesis.description}"
    return f"{line}\n          {reason}" if reason else line


def fixed_cases(cases: Sequence[str], tallies: Tallies) -> str:
    """Cases that pass now, each with the runs it rests on."""
    return _named(cases, tallies, passes_now=True)


def failing_cases(cases: Sequence[str], tallies: Tallies) -> str:
    """Cases that regressed or broke, each with the runs it rests on."""
    return _named(cases, tallies, passes_now=False)


def _named(cases: Sequence[str], tallies: Tallies, *, passes_now: bool) -> str:
    return ", ".join(_with_runs(case, tallies.get(case), passes_now) for case in cases) or "none"


def _with_runs(case: str, tally: tuple[int, int, int, int] | None, passes_now: bool) -> str:
    if tally is None:  # a journal of before runs were counted
        return case
    passed, runs, passed_before, runs_before = tally
    if passes_now:
        now, before = f"passed in {passed}", f"failed in {runs_before - passed_before}"
    else:
        now, before = f"failed in {runs - passed}", f"passed in {passed_before}"
    return f"{case} ({now} of {counted(runs, 'run')}; before: {before} of {runs_before})"


def outcome_sentence(state: RunState, span: float) -> str:
    """What came of the run, for a person."""
    if state.by_command:
        return command_outcome(state)
    if state.stopped is None:
        return "The run has not ended."
    if state.gain and hides_scores(state):
        return f"The gain is {HIDDEN}."
    if state.gain:
        shorter = only_shortened(state)
        said = shorter_sentence(state, state.gain, span) if shorter else gain_sentence(state.gain, span)
        by_the_judge = state.judging.rubric is not None and state.gain.people is None
        return f"{said}; by the judge's word, no person has scored these outputs" if by_the_judge else said
    if state.keeps:
        why = f"; the gain over the original was not measured: {state.stopped.no_gain}" if state.stopped.no_gain else ""
        length = f"; the text is {saving_words(saved(state))}" if only_shortened(state) else ""
        return f"{counted(len(state.keeps), 'change')} kept{length}{why}."
    if waiting := waiting_sentence(state):
        return f"Nothing is kept yet; {waiting}."
    outcomes = [experiment.outcome for experiment in state.experiments.values()]
    if outcomes and set(outcomes) <= UNAPPLIED:
        return f"Nothing was measured: {_none_of(len(outcomes))}; why is listed."
    if outcomes and all(experiment.shortens for experiment in state.experiments.values()):
        return "No rule left the text: without each that was tried a loss was seen, or could not be ruled out."
    if state.stopped.outcome == "no_rules":
        return (
            "No rule may leave this text: each is protected, holds a placeholder, states the form of the answers, "
            "or is the only one."
        )
    if state.baseline and state.stopped.outcome not in {"no_headroom", "too_few_cases", "harness_failed"}:
        missed = change(state.baseline.sees_most, span)
        return f"No confirmed gain; this set would have missed gains below {missed} more often than one time in five."
    return "No change was tried."


def _none_of(count: int) -> str:
    if count == 1:
        return "the one proposed change could not be tried"
    return f"none of the {count} proposed changes could be tried"
