"""The open experiment: proposal, then one rung of the evidence ladder after the other."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from ceopt_tui.core.evidence.ladder import Evidence, decide_holdout, decide_selection
from ceopt_tui.core.evidence.looks import worn
from ceopt_tui.core.evidence.setting import Setting
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.actions import Action, Note, Propose
from ceopt_tui.core.plan.closing import close, close_refused
from ceopt_tui.core.plan.drift import drift_check, drifted
from ceopt_tui.core.plan.keeping import keep_or_ask
from ceopt_tui.core.plan.lost import scored_of
from ceopt_tui.core.plan.measuring import affordable, lost_share, missing, pooled
from ceopt_tui.core.plan.shortening import granted_level, grounds, shorter_held_out, shorter_on_selection
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.experiment import ExperimentState
from ceopt_tui.core.state.run import RunState
from schemas.records import Compared, Decided, Looked, Noted, Step, Stopped

PROPOSAL_TRIES = 2


def plan_experiment(state: RunState, terms: Terms, experiment: ExperimentState) -> Action:
    """The next step of one experiment, derived from what is on record of it."""
    if experiment.text_digest is None:
        if len(experiment.refused) < PROPOSAL_TRIES:
            return Propose(experiment.number, len(experiment.refused) + 1)
        return close_refused(experiment)
    last = experiment.last
    if last and last.decision == "error":
        return close(state, terms, experiment, "error", last.reason)
    if last is None or last.next_measurement in {"exploratory", "add_sample"}:
        return _selection(state, terms, experiment)
    if last.next_measurement in {"confirm", "holdout"}:
        return _held_out(state, terms, experiment, last.next_measurement)
    if last.decision == "keep":
        return keep_or_ask(state, terms, experiment)
    return close(state, terms, experiment, last.decision, last.reason)


def _selection(state: RunState, terms: Terms, experiment: ExperimentState) -> Action:
    assert experiment.text_digest is not None
    setting, cases, number = terms.setting(state), state.selection, experiment.number
    exploring = experiment.last is None and len(cases) > setting.first
    wanted = 1 if exploring else _decided_sweeps(experiment) + 1
    reference, digest = state.reference, state.reference.text_digest
    runs = missing(state, digest, reference.selection, cases, setting.reference_runs, "reference", number)
    reference_is_due = bool(runs)
    step: Step = "exploratory" if exploring else "add_sample"
    swept = cases
    if exploring:
        known = {} if reference_is_due else reference.selection
        swept = _first_cases(state, terms, experiment, setting, known)
    if not (exploring and reference_is_due):  # which cases come first depends on the whole reference
        runs += missing(state, experiment.text_digest, experiment.selection, swept, wanted, step, number)
    if not exploring and not reference_is_due:
        runs += drift_check(state, terms, experiment, cases, held_out=False)
    if not runs:
        return _decide_selection(state, terms, experiment, swept)
    if not affordable(state, terms, len(runs)):
        return _out_of_budget()
    return pooled(runs, terms.seed, f"{experiment.name} {step} {wanted}")


def _decided_sweeps(experiment: ExperimentState) -> int:
    return sum(decided.step == "add_sample" for decided in experiment.decisions)


def _first_cases(
    state: RunState, terms: Terms, experiment: ExperimentState, setting: Setting, known: Mapping[str, Sequence[float]]
) -> tuple[str, ...]:
    """A few random selection cases, drawn afresh for every experiment.

    Half of them can still get better, where there are so many: on cases that all pass already no idea can show itself.
    A removal has nothing to gain, so its cases are any. Runs that come later do not change the draw.
    """
    first = setting.first
    draw = random.Random(f"{terms.seed}:first:{experiment.number}")
    drawn = draw.sample(sorted(state.selection), len(state.selection))
    if experiment.shortens:
        return tuple(drawn[:first])
    best = terms.lowest + terms.span if terms.maximize else terms.lowest
    scores = {case: known.get(case, ())[: setting.reference_runs] for case in drawn}
    open_ones = [case for case in drawn if any(score != best for score in scores[case])][: first // 2]
    return tuple([*open_ones, *(case for case in drawn if case not in open_ones)][:first])


def _decide_selection(state: RunState, terms: Terms, experiment: ExperimentState, swept: Sequence[str]) -> Action:
    cases = state.selection
    if lost_share(state.reference.selection, cases) > terms.max_unscored:
        scored = scored_of(state, state.reference.text_digest, state.reference.selection, cases)
        return close(state, terms, experiment, "error", f"the current text could not be measured: {scored}")
    runs = sum(map(len, experiment.selection.values()))
    if runs and experiment.blank == runs:
        return close(state, terms, experiment, "degenerate", f"every output is empty ({counted(runs, 'run')})")
    if swept == cases and lost_share(experiment.selection, cases) > terms.max_unscored:
        scored = scored_of(state, experiment.text_digest or "", experiment.selection, cases)
        return close(state, terms, experiment, "error", scored)
    if reset := drifted(state, terms, held_out=False):
        return Note((reset,))
    evidence = decide_selection(
        state.reference.selection,
        experiment.selection,
        *grounds(state, terms, experiment),
        cases=cases,
        total_cases=state.distinct((*cases, *state.holdout)),
    )
    tau = evidence.tau if _decided_sweeps(experiment) == 0 else None
    if experiment.shortens:
        evidence = shorter_on_selection(state, terms, experiment, evidence)
    return Note((*_comparison(state, experiment, evidence, "standalone"), decided(experiment, evidence, tau)))


def decided(experiment: ExperimentState, evidence: Evidence, tau: tuple[float, int, float] | None = None) -> Decided:
    """The record of one verdict with the numbers behind it."""
    numbers: dict[str, float | int | None] = {
        "n": evidence.n,
        "mean_difference": evidence.mean_difference,
        "se": evidence.se,
        "z": evidence.z,
        "p": evidence.p,
        "level": evidence.level,
        "signflip_p": evidence.signflip_p,
        "sigma2": evidence.sigma2,
        "tau2": evidence.tau2,
        "lost": len(evidence.lost),
        "tentative": int(evidence.tentative),
    }
    return Decided(
        number=experiment.number,
        step=evidence.step,
        decision=evidence.decision,
        next_measurement=evidence.next_measurement,
        reason=evidence.reason,
        numbers=numbers,
        tau=tau,
    )


def _comparison(state: RunState, experiment: ExperimentState, evidence: Evidence, kind: str) -> tuple[Compared, ...]:
    """The pairing behind a verdict, kept once, whenever the ladder leaves this stage. It goes on record first."""
    held_out = kind == "holdout"
    if any(compared.comparison == kind for compared in experiment.comparisons):
        return ()
    if evidence.next_measurement in ({"holdout"} if held_out else {"exploratory", "add_sample"}):
        return ()
    reference = state.reference.held_out if held_out else state.reference.selection
    candidate = experiment.held_out if held_out else experiment.selection
    return (
        Compared(
            number=experiment.number,
            comparison="holdout" if held_out else "standalone",
            reference_digest=state.reference.text_digest,
            candidate_digest=experiment.text_digest or "",
            workload="held-out cases" if held_out else "selection cases",
            reference={case: tuple(values) for case, values in reference.items()},
            candidate={case: tuple(values) for case, values in candidate.items()},
            uncertainty={"se": evidence.se, "z": evidence.z, "p": evidence.p},
            correctness=f"{counted(evidence.n, 'case')} compared, {len(evidence.lost)} lost",
        ),
    )


def _held_out(state: RunState, terms: Terms, experiment: ExperimentState, step: str) -> Action:
    assert experiment.text_digest is not None
    setting, cases, number = terms.setting(state), state.deciding_holdout, experiment.number
    wanted = setting.confirm_runs if step == "confirm" else setting.holdout_runs
    rung: Step = "confirm" if step == "confirm" else "holdout"
    reference = state.reference
    runs = missing(state, reference.text_digest, reference.held_out, cases, setting.holdout_runs, "reference", number)
    reference_is_due = bool(runs)
    runs += missing(state, experiment.text_digest, experiment.held_out, cases, wanted, rung, number)
    # Where repeats are identical the second rung runs nothing.
    if not reference_is_due and not (state.deterministic and rung == "holdout"):
        runs += drift_check(state, terms, experiment, cases, held_out=True)
    if runs and not affordable(state, terms, len(runs)):
        return _out_of_budget()
    if experiment.look is None:
        look, keeps = len(state.looks) + 1, len(state.keeps)
        level = granted_level(state, terms, experiment)
        looked = Looked(look=look, number=number, level=level, keeps=keeps)
        return Note((looked, *(() if experiment.shortens else worn_note(state, terms, look, keeps))))
    if runs:
        return pooled(runs, terms.seed, f"{experiment.name} {step}")
    if reset := drifted(state, terms, held_out=True):
        return Note((reset,))
    assert state.split is not None
    evidence = decide_holdout(
        reference.held_out,
        experiment.held_out,
        *grounds(state, terms, experiment),
        cases=cases,
        look=experiment.look.look,
        keeps=experiment.look.keeps,
        level=experiment.look.level,
        total_cases=state.distinct((*state.selection, *state.holdout)),
    )
    if experiment.shortens:
        evidence = shorter_held_out(state, terms, experiment, evidence)
    return Note((*_comparison(state, experiment, evidence, "holdout"), decided(experiment, evidence)))


def worn_note(state: RunState, terms: Terms, look: int, keeps: int) -> tuple[Noted, ...]:
    """Says once that the held-out cases were consulted so often that only large gains still pass."""
    text = (
        f"the held-out cases are worn after {counted(look, 'look')} with {counted(keeps, 'keep')}: "
        "add fresh cases or stop; each further look has to clear a higher bar"
    )
    known = any(note.text.startswith("the held-out cases are worn") for note in state.notes)
    return (Noted(level="warning", text=text),) if worn(look, keeps, terms.caution) and not known else ()


def _out_of_budget() -> Note:
    reason = "the cap leaves no room for the next step and the final report"
    return Note((Stopped(outcome="budget", reason=reason),))
