"""What is wrong with an eval set, and what it can be trusted for, before a run is paid for. Calls no model."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ceopt_tui.core.evidence.setting import SMALLEST_SET
from ceopt_tui.core.figures import counted
from ceopt_tui.errors import InputError
from schemas.checks import Check
from schemas.evalset import Case, EvalSet
from schemas.harness_records import CaseIdea, FlaggedCase
from texttargets.checks import expected_fails_own_check, unusable_check
from texttargets.duplicates import duplicate_groups, input_text
from texttargets.harder_ideas import harder_ideas
from texttargets.harness import harness_findings
from texttargets.init_example import UNTOUCHED, is_example
from texttargets.shortcuts import probe_scorer
from texttargets.split import Split, freeze_split
from texttargets.strict_json import as_text
from texttargets.text_checks import normalize

Floor = Literal["diagnose only", "tentative", "enough to start", "enough to trust"]
LONGEST_ID = 200  # characters


@dataclass(frozen=True)
class Finding:
    """One thing about the set. An `error` stops a run or costs it the case; a `warning` is worth a look."""

    code: str
    severity: Literal["error", "warning"]
    message: str
    case_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class EvalsetReport:
    """`distinct` counts near-duplicates once; `split` is None when the sides given contradict each other.

    `left_out` are cases that a run leaves out for their checks: floor and `held_out_distinct` are those of the rest.
    """

    name: str
    cases: int
    distinct: int
    failures: int
    guards: int
    need_judge: int
    floor: Floor
    split: Split | None
    held_out_distinct: int
    findings: tuple[Finding, ...]
    left_out: tuple[str, ...] = ()
    ideas: tuple[CaseIdea, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing in it has to be put right before a run."""
        return not any(finding.severity == "error" for finding in self.findings)


def evalset_report(
    evalset: EvalSet, *, seed: int = 7, share: float | None = None, holdout_ids: Collection[str] | None = None
) -> EvalsetReport:
    """Examines the set and previews its split."""
    groups = duplicate_groups(evalset.cases)
    flagged = harness_findings(evalset.cases, _known_outputs(evalset.cases), evalset.check)
    left_out = {case.case_id for case in flagged}
    counting = [group for group in groups if not left_out.issuperset(group)]
    findings = list(_findings(evalset.cases, evalset.check, groups, len(counting)))
    if len(groups) >= SMALLEST_SET:  # one answer is right for one or two cases without being a shortcut
        findings += _shortcuts(evalset.cases, left_out, evalset.check)
    findings += _harness(
        flagged, {case_id for one in findings if one.code == "expected_fails" for case_id in one.case_ids}
    )
    split = None
    try:
        split = freeze_split(evalset.cases, seed=seed, share=share, holdout_ids=holdout_ids, alike=groups)
    except InputError as error:
        findings += [Finding("leak", "error", f"{problem.key} {problem.message}") for problem in error.problems]
    held = set(split.holdout) - left_out if split else set()
    return EvalsetReport(
        name=evalset.name,
        cases=len(evalset.cases),
        distinct=len(groups),
        failures=sum(case.kind == "failure" for case in evalset.cases),
        guards=sum(case.kind == "guard" for case in evalset.cases),
        need_judge=sum(unusable_check(case, evalset.check) is not None for case in evalset.cases),
        floor=_floor(len(counting)),
        split=split,
        held_out_distinct=sum(not held.isdisjoint(group) for group in counting),
        findings=tuple(sorted(findings, key=lambda finding: finding.severity)),
        left_out=tuple(case.case_id for case in flagged),
        ideas=harder_ideas(evalset.cases),
    )


def _known_outputs(cases: Sequence[Case]) -> set[str]:
    """Outputs that came up or are wanted: something for every check to tell apart before a text is run."""
    wanted = {as_text(case.expected) for case in cases if case.expected is not None}
    return wanted | {case.observed for case in cases if case.observed is not None}


def _harness(flagged: Sequence[FlaggedCase], told: Collection[str]) -> Iterator[Finding]:
    """One finding a fault; an expected answer that fails its check is told with what it fails by."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for case in flagged:
        if case.case_id not in told:
            by_reason[case.reason].append(case.case_id)
    for reason, ids in by_reason.items():
        yield Finding("harness", "warning", f"{reason}; a run leaves the case out", tuple(ids))


def _floor(distinct: int) -> Floor:
    if distinct < SMALLEST_SET:
        return "diagnose only"
    if distinct < 10:
        return "tentative"
    return "enough to start" if distinct < 50 else "enough to trust"


def _findings(
    cases: Sequence[Case], default: Check | None, groups: Sequence[tuple[str, ...]], counting: int
) -> Iterator[Finding]:
    if counting < SMALLEST_SET:
        few = counted(counting, "distinct case") + (" that can be checked" if counting < len(groups) else "")
        message = f"{few}; below 5 a run stops before its first call and keeps nothing, and 10 to 20 are a start"
        yield Finding("too_small", "warning", message)
    if not any(case.kind == "guard" for case in cases):
        message = "no guard cases: add inputs that pass today, or a text that breaks them looks like a gain"
        yield Finding("no_guards", "warning", message)
    for group in groups:
        if len(group) > 1:
            yield Finding("near_duplicates", "warning", "ask the same; they stay on one side and count once", group)
    if untouched := tuple(case.id for case in cases if is_example(case)):
        yield Finding("example", "error", UNTOUCHED, untouched)
    yield from _contradictions(cases)
    yield from _answers(cases, default)
    yield from _ids(cases)


def _contradictions(cases: Sequence[Case]) -> Iterator[Finding]:
    by_input: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        if case.expected is not None:
            by_input[normalize(input_text(case))].append(case)
    for same in by_input.values():
        if len({normalize(as_text(case.expected)) for case in same}) > 1:
            ids = tuple(case.id for case in same)
            yield Finding("contradiction", "warning", "have the same input but want different answers", ids)


def _answers(cases: Sequence[Case], default: Check | None) -> Iterator[Finding]:
    for case in cases:
        if fault := expected_fails_own_check(case, default):
            yield Finding("expected_fails", "error", f"the expected answer fails its own check: {fault}", (case.id,))
    without = tuple(case.id for case in cases if unusable_check(case, default) is not None)
    if without:
        yield Finding("needs_judge", "warning", "can be scored by a judge only: no answer to check against", without)


def _ids(cases: Sequence[Case]) -> Iterator[Finding]:
    folded: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        folded[normalize(case.id)].append(case.id)
        if any(unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") for character in case.id):
            yield Finding("odd_id", "warning", "the id holds characters that cannot be seen", (case.id,))
        if len(case.id) > LONGEST_ID:
            yield Finding("odd_id", "warning", f"the id is {counted(len(case.id), 'character')} long", (case.id,))
    for ids in folded.values():
        if len(ids) > 1:
            yield Finding("odd_id", "warning", "these ids differ only in case, spacing or punctuation", tuple(ids))


def _shortcuts(cases: Sequence[Case], left_out: Collection[str], default: Check | None) -> Iterator[Finding]:
    """As a run tries them: on all cases before its baseline, and again on those it does not leave out after it."""
    failed = {probe.probe: probe.detail for probe in probe_scorer(cases, default) if probe.status == "failed"}
    for detail in failed.values():
        yield Finding("shortcut", "error", f"{detail}: a run would stop before its baseline")
    counting = [case for case in cases if case.id not in left_out]
    for probe in probe_scorer(counting, default) if left_out else ():
        if probe.status == "failed" and probe.probe not in failed:
            message = f"without the cases it leaves out, {probe.detail}: a run would stop after its baseline runs"
            yield Finding("shortcut", "error", message)
