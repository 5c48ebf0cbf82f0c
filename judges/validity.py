"""Is a judge worth asking? It must put good outputs above bad ones and fall for none that took no thought.

Uses selection cases alone: what it is given must hold nothing held out.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from ceopt_tui.core.judging_ports import OutputJudge, OutputToJudge, OutputVerdict
from ceopt_tui.errors import ProviderError
from judges.judged_item import as_text, shows_anything
from schemas.evalset import Case
from schemas.records import CallFacts, Probed
from schemas.spec_metric import Exemplars

CASES_PER_PROBE = 3
LIMIT = 0.8  # of the way from the lowest score to that of good outputs

GOOD_ABOVE_BAD = "good above bad"
_GOOD, _BAD = "good", "bad"
_SHORTCUTS: Mapping[str, str] = {
    "empty output": "an empty output",
    "constant output": "the same answer to every case",
    "copied input": "the input copied back",
    "another case's answer": "the answer that another case wants",
}
_INPUT_UNKNOWN = "(not recorded: judge the output by itself)"

Outputs = Mapping[str, Sequence[tuple[Case, str]]]  # by what they stand for


@dataclass(frozen=True)
class _Judged:
    scores: Mapping[str, Sequence[float]]
    unscored: Mapping[str, str]  # a reason, where none has a score
    calls: Mapping[str, tuple[CallFacts, ...]]  # with what the first verdict of each reply stands for


async def probe_judge(
    judge: OutputJudge, cases: Sequence[Case], exemplars: Exemplars, lowest: float, highest: float, seed: int
) -> Sequence[Probed]:
    """One record a probe, each call of the judge in exactly one of them; `not_run` is one that lacks its outputs.

    A judge that gives the outputs of a probe no score at all has failed it.
    `exemplars` are the spec's; where it has none the answers that cases want are the good outputs, and those recorded
    as failures the bad ones. `lowest` and `highest` bound the scale. Raises what `judge` raises.
    """
    cases = [case for case in cases if case.split != "holdout"]
    chosen = _chosen(cases, seed)
    outputs = {**_exemplar_outputs(cases, chosen, exemplars), **_shortcut_outputs(cases, chosen)}
    judged = await _judged(judge, outputs, seed)
    good = judged.scores.get(_GOOD, ())
    above = _good_above_bad(judged, missing_exemplars(cases, exemplars))
    reference = fmean(good) if good and fmean(good) > lowest else highest
    records = [_shortcut(name, judged, lowest, lowest + LIMIT * (reference - lowest)) for name in _SHORTCUTS]
    return above, *records


def missing_exemplars(cases: Sequence[Case], exemplars: Exemplars) -> tuple[str, ...]:
    """What a person would have to supply before good and bad outputs can be told apart; empty where nothing is."""
    missing: tuple[str, ...] = ()
    if not exemplars.good and not _wanted(cases):
        missing += ("an output you consider good: no case says what was expected (metric.judge.exemplars.good)",)
    if not exemplars.bad and not _failures(cases):
        missing += ("an output you consider bad: no case holds one that went wrong (metric.judge.exemplars.bad)",)
    return missing


def _wanted(cases: Iterable[Case]) -> dict[str, str]:
    """The answers that cases want, by case id; an answer that shows nothing is no exemplar."""
    wanted = {case.id: as_text(case.expected) for case in cases if case.expected is not None}
    return {case_id: answer for case_id, answer in wanted.items() if shows_anything(answer)}


def _failures(cases: Iterable[Case]) -> list[tuple[Case, str]]:
    """Recorded outputs that went wrong. An empty one is bad without a judge and says nothing of it."""
    return [
        (case, case.observed)
        for case in cases
        if case.kind == "failure"
        and case.observed is not None
        and shows_anything(case.observed)
        and (case.expected is None or case.observed.strip() != as_text(case.expected).strip())
    ]


def _chosen(cases: Sequence[Case], seed: int) -> list[Case]:
    """The cases in the seed's order, those that say what they want first; each probe takes the first that fit it."""
    return sorted(cases, key=lambda case: (case.expected is None, _place(seed, case.id)))


def _exemplar_outputs(cases: Sequence[Case], chosen: Sequence[Case], exemplars: Exemplars) -> Outputs:
    wanted, failures = _wanted(cases), {case.id: output for case, output in _failures(cases)}
    good = [(case, wanted[case.id]) for case in chosen if case.id in wanted]
    bad = [(case, failures[case.id]) for case in chosen if case.id in failures]
    return {
        _GOOD: _of_their_cases(exemplars.good, good) if exemplars.good else good[:CASES_PER_PROBE],
        _BAD: _of_their_cases(exemplars.bad, bad) if exemplars.bad else bad[:CASES_PER_PROBE],
    }


def _of_their_cases(texts: Sequence[str], recorded: Sequence[tuple[Case, str]]) -> list[tuple[Case, str]]:
    """A spec's exemplars with the case they were recorded in, where there is one."""
    of = {output.strip(): case for case, output in recorded}
    return [(of.get(text.strip(), Case(id="exemplar", input=_INPUT_UNKNOWN)), text) for text in texts]


def _shortcut_outputs(cases: Sequence[Case], chosen: Sequence[Case]) -> Outputs:
    """Thoughtless outputs, left out wherever one would be right."""
    wanted = _wanted(cases)
    expects_nothing = {case.id for case in chosen if case.expected is not None and case.id not in wanted}
    answers = Counter(wanted.values()).most_common(1)
    constant = answers[0][0] if answers and answers[0][1] > 1 else "OK"
    built: dict[str, list[tuple[Case, str]]] = {name: [] for name in _SHORTCUTS}
    for case in chosen:
        own = wanted.get(case.id)
        text = as_text(case.input)
        other = next((answer for answer in _following(case.id, wanted) if answer.strip() != (own or "").strip()), None)
        if case.id not in expects_nothing:
            built["empty output"].append((case, ""))
        if (own or "").strip() != constant.strip():
            built["constant output"].append((case, constant))
        if shows_anything(text) and text.strip() != (own or "").strip():
            built["copied input"].append((case, text))
        if own is not None and other is not None:
            built["another case's answer"].append((case, other))
    return {name: outputs[:CASES_PER_PROBE] for name, outputs in built.items()}


def _following(case_id: str, wanted: Mapping[str, str]) -> list[str]:
    """The answers of the other cases, from the next one on."""
    ids = list(wanted)
    place = ids.index(case_id) + 1 if case_id in wanted else 0
    return [wanted[other] for other in ids[place:] + ids[:place]]


async def _judged(judge: OutputJudge, outputs: Outputs, seed: int) -> _Judged:
    """All outputs scored in one go, in an order and under ids that tell nothing of them."""
    flat = [(kind, case, output) for kind, pairs in outputs.items() for case, output in pairs]
    named = {_place(seed, f"{number}:{kind}").hex()[:12]: entry for number, (kind, *entry) in enumerate(flat)}
    kinds = dict(zip(named, (kind for kind, _, _ in flat), strict=True))
    asked = [OutputToJudge(name, case, output) for name, (case, output) in sorted(named.items())]  # type: ignore[arg-type]
    verdicts: dict[str, OutputVerdict] = {}
    calls: dict[str, tuple[CallFacts, ...]] = {}
    async for part in judge.judge(asked, 0):
        verdicts |= {verdict.id: verdict for verdict in part.verdicts}
        kind = kinds[part.verdicts[0].id] if part.verdicts else _GOOD
        calls[kind] = calls.get(kind, ()) + part.calls
    if failed := next((verdict for verdict in verdicts.values() if verdict.failed), None):
        raise ProviderError(
            f"the judge could not be tried, its calls failed: {failed.unscored}", "Run the same command again later."
        )
    scores: dict[str, list[float]] = {}
    unscored: dict[str, str] = {}
    for name, verdict in sorted(verdicts.items()):
        if verdict.score is not None:
            scores.setdefault(kinds[name], []).append(verdict.score)
        elif verdict.unscored is not None:
            unscored[kinds[name]] = verdict.unscored
    return _Judged(scores, unscored, calls)


def _good_above_bad(judged: _Judged, missing: Sequence[str]) -> Probed:
    calls = judged.calls.get(_GOOD, ()) + judged.calls.get(_BAD, ())
    good, bad = judged.scores.get(_GOOD, ()), judged.scores.get(_BAD, ())
    if not good or not bad:
        reasons = [f"not there: {words}" for words in missing]
        reasons += [
            f"the judge gave the {kind} outputs no score: {judged.unscored[kind]}"
            for kind in (_GOOD, _BAD)
            if kind in judged.unscored and not judged.scores.get(kind)
        ]
        # An output that is there and gets no score is the judge's fault; one that is not there is nobody's.
        status: Literal["failed", "not_run"] = "not_run" if missing else "failed"
        return Probed(probe=GOOD_ABOVE_BAD, status=status, detail="; ".join(reasons), calls=calls)
    score, limit = fmean(good), fmean(bad)
    words = f"good outputs score {score:.2f} on average, bad ones {limit:.2f}"
    failed = score <= limit
    detail = f"the judge does not put good outputs above bad ones: {words}" if failed else words
    return Probed(probe=GOOD_ABOVE_BAD, status=_status(failed), score=score, limit=limit, detail=detail, calls=calls)


def _shortcut(name: str, judged: _Judged, lowest: float, limit: float) -> Probed:
    calls, scores, what = judged.calls.get(name, ()), judged.scores.get(name, ()), _SHORTCUTS[name]
    if not scores and name in judged.unscored:
        detail = f"the judge gave {what} no score: {judged.unscored[name]}"
        return Probed(probe=name, status="failed", detail=detail, calls=calls)
    if not scores:
        return Probed(probe=name, status="not_run", detail="nothing in the eval set to build it from", calls=calls)
    score = fmean(scores)
    failed = score >= limit
    detail = f"{what} scores {score:.2f} on average"
    detail += f"; from {limit:.2f} on a worthless text could win" if failed else f", below the limit of {limit:.2f}"
    return Probed(probe=name, status=_status(failed), score=score, limit=limit, detail=detail, calls=calls)


def _status(failed: bool) -> Literal["passed", "failed"]:
    return "failed" if failed else "passed"


def _place(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}".encode()).digest()
