"""Cases left without a score: what became of their runs, and what a person can do about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.actions import Park
from ceopt_tui.core.state.run import RunState
from ceopt_tui.core.state.runs import CUT, EMPTY, FILTERED

Scores = Mapping[str, Sequence[float]]

LATER = "run again later"
JUDGE = "judge: "  # how the reason begins where it was the judge that gave no score
WORDS = {CUT: "cut at the token limit", EMPTY: "empty", FILTERED: "held back by the provider's content filter"}
# Replies of which a second try gives the same again.
REMEDIES = {
    CUT: "raise `runner.params.max_tokens` (a model's thinking counts towards it)",
    EMPTY: "raise `runner.params.max_tokens` for a model that thinks before it answers, or try another model",
    FILTERED: "change these cases, or try another model",
}


def park_lost(state: RunState, text_digest: str, scores: Scores, cases: Sequence[str]) -> Park:
    """Ends the tick of a baseline that lost too many cases; where no later try mends it, a person has to."""
    remedy = _remedy(state, text_digest, _unscored(scores, cases))
    reason = scored_of(state, text_digest, scores, cases, " of the baseline", LATER)
    return Park("blocked", reason, "setup") if remedy else Park("waiting", reason, "outage")


def scored_of(
    state: RunState, text_digest: str, scores: Scores, cases: Sequence[str], where: str = "", otherwise: str = ""
) -> str:
    """How many cases have a score, what became of the others, and what to do; `otherwise` where nothing is to mend."""
    lost = _unscored(scores, cases)
    kinds, errors = _reasons(state, text_digest, lost)
    said = [f"{counted(kinds[kind], 'reply', 'replies')} {word}" for kind, word in WORDS.items() if kinds[kind]]
    verdicts = [error.removeprefix(JUDGE) for error in errors if error.startswith(JUDGE)]
    failures = [error for error in errors if not error.startswith(JUDGE)]
    if verdicts:
        said.append(f"the judge gave {counted(len(verdicts), 'output')} no score, the last because: {verdicts[-1]}")
    if failures:
        said.append(f"{counted(len(failures), 'call')} failed, the last with: {failures[-1]}")
    counts = f"scored {len(cases) - len(lost)} of {counted(len(cases), 'case')}{where}"
    remedy = _remedy(state, text_digest, lost) or otherwise
    return counts + (f": {', '.join(said)}" if said else "") + (f"; {remedy}" if remedy else "")


def _unscored(scores: Scores, cases: Sequence[str]) -> list[str]:
    return [case for case in cases if not scores.get(case)]


def _remedy(state: RunState, text_digest: str, lost: Sequence[str]) -> str:
    """What to change, when it is the replies more than failed calls that lost these cases."""
    kinds, errors = _reasons(state, text_digest, lost)
    if len(errors) >= kinds.total():
        return ""
    return REMEDIES[max(REMEDIES, key=lambda kind: kinds[kind])]


def _reasons(state: RunState, text_digest: str, lost: Sequence[str]) -> tuple[Counter[str], list[str]]:
    known = [reason for case in lost if (reason := state.runs.reasons.get((text_digest, case)))]
    return Counter(reason for reason in known if reason in WORDS), [reason for reason in known if reason not in WORDS]
