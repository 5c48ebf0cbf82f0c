"""Outputs nobody had to think for, and whether a scorer falls for them.

A scorer that rewards one of these would let a worthless text win, so the run stops before its baseline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ceopt_tui.core.figures import percent
from schemas.checks import Check
from schemas.evalset import Case
from schemas.records import Probed
from texttargets.checks import check_output, unusable_check
from texttargets.duplicates import input_text
from texttargets.strict_json import as_text

LIMIT = 0.8  # of the best possible score


@dataclass(frozen=True)
class Shortcut:
    """One kind of thoughtless output: what it would answer to each case id. Empty where it cannot be built."""

    name: str
    what: str
    outputs: Mapping[str, str]


def build_shortcuts(cases: Sequence[Case]) -> tuple[Shortcut, ...]:
    """Empty output, one answer for every case, the input copied back, and the answer wanted in another case."""
    wanted = {case.id: as_text(case.expected) for case in cases if case.expected is not None}
    constant = Counter(wanted.values()).most_common(1)[0][0] if wanted else "OK"
    return (
        Shortcut("empty output", "an empty output", {case.id: "" for case in cases}),
        Shortcut("constant output", "the same answer to every case", {case.id: constant for case in cases}),
        Shortcut("copied input", "the input copied back", {case.id: input_text(case) for case in cases}),
        Shortcut("answer of another case", "the answer that another case wants", _swapped(cases, wanted)),
    )


def judge_shortcut(shortcut: Shortcut, scores: Mapping[str, float], best: float = 1.0) -> Probed:
    """The verdict on one shortcut; `best` is the score of known good outputs, or the highest there is."""
    if not scores:
        return Probed(probe=shortcut.name, status="not_run", detail="nothing in the eval set to build it from")
    mean, limit = fmean(scores.values()), LIMIT * best
    failed = mean >= limit
    rewarded = [case_id for case_id in scores if scores[case_id] >= limit]
    named = ", ".join(rewarded[:5]) + (f" and {len(rewarded) - 5} more" if len(rewarded) > 5 else "")
    detail = f"{shortcut.what} scores {percent(mean / best)} of what good answers do"
    detail += f"; rewarded on {named}" if failed else ""
    return Probed(probe=shortcut.name, status="failed" if failed else "passed", score=mean, limit=limit, detail=detail)


def probe_scorer(cases: Sequence[Case], default: Check | None) -> tuple[Probed, ...]:
    """Tries every shortcut on the deterministic checks; cases that only a judge can score are left out."""
    by_id = {case.id: case for case in cases if unusable_check(case, default) is None}
    return tuple(
        judge_shortcut(
            shortcut,
            {
                case_id: check_output(by_id[case_id], output, default).score
                for case_id, output in shortcut.outputs.items()
                if case_id in by_id
            },
        )
        for shortcut in build_shortcuts(cases)
    )


def _swapped(cases: Sequence[Case], wanted: Mapping[str, str]) -> dict[str, str]:
    """For each case the next answer in the set that differs from its own by more than white space."""
    answers = [(case.id, wanted[case.id]) for case in cases if case.id in wanted]
    distinct = list(dict.fromkeys(answer.strip() for _, answer in answers))
    if len(distinct) < 2:
        return {}
    following = dict(zip(distinct, distinct[1:] + distinct[:1], strict=True))
    return {case_id: following[answer.strip()] for case_id, answer in answers}
