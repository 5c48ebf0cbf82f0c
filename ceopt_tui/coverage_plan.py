"""What a measurement of coverage would run, for how much, and whether somebody approved it. Sends nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from ceopt_tui.accounts import judge_cap
from ceopt_tui.case_filling import syntax_of
from ceopt_tui.command_inputs import refuse_command
from ceopt_tui.core.coverage import MOST_AGAIN
from ceopt_tui.core.figures import counted
from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.engine.skin import Skin
from ceopt_tui.errors import InputError, NeedsPersonError, Problem
from ceopt_tui.inputs import Project, open_project, split_of
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.looking import read_state
from ceopt_tui.models import Models, resolve_models
from ceopt_tui.pricing import priced_terms
from ceopt_tui.run_options import RunOptions
from ceopt_tui.run_places import folder_of, mapped
from judges.ledger import Caps
from judges.prices import require_price
from schemas.evalset import Case
from texttargets.ablation import Removal, removals

MORE_ROUNDS = 2  # of runs of cases that dip, where outputs vary
NEUTRAL_COPIES = 4  # of a text that repeats itself exactly: what a change without meaning does


@dataclass(frozen=True)
class CoverageOptions:
    """How a measurement was asked for. Without a cap of its own the spec's hold; `repeats` is per case and removal."""

    run: RunOptions
    max_calls: int | None = None
    max_usd: float | None = None
    repeats: int | None = None


@dataclass(frozen=True)
class CoveragePlan:
    """All that a measurement needs, read and checked; nothing was sent yet."""

    options: CoverageOptions
    project: Project
    folder: Path
    models: Models
    terms: Terms
    removals: tuple[Removal, ...]
    cases: tuple[Case, ...]
    held_out: int

    @property
    def repeats(self) -> int:
        """Runs of each case without each rule, where outputs vary."""
        return self.options.repeats or self.terms.reference_runs

    @property
    def caps(self) -> Caps:
        """What may be spent on this measurement."""
        own, spec = self.options, self.terms.budget
        return Caps(
            spec.usd if own.max_usd is None else own.max_usd,
            spec.calls if own.max_calls is None else own.max_calls,
            judge_cap(self.project, self.models.judge),
        )

    @property
    def runs(self) -> tuple[int, int]:
        """Fewest and most task runs.

        Fewest: identical text gives identical outputs, and no rule matters. Most: outputs vary and as many cases dip as
        are run again, or each case moves with each rule and is run again on the neutral copies.
        """
        cases, removed = len(self.cases), sum(removal.texts is not None for removal in self.removals)
        whole, copies = cases * self.terms.reference_runs, cases * NEUTRAL_COPIES
        repeating = whole + copies + cases * removed, whole + (copies + cases) * removed + copies
        varying = whole + cases * removed * self.repeats
        dips = min(cases, MOST_AGAIN) * removed
        again = MORE_ROUNDS * self.repeats * (dips + min(cases, dips))
        return min(repeating[0], varying), max(repeating[1], varying + again)

    def usd(self, runs: int) -> float | None:
        """What so many runs are likely to cost, judging included; None when a price is unknown."""
        judge = self.terms.judge
        per_run = self.terms.budget.usd_per_run
        per_verdict = 0.0 if judge is None else judge.usd_per_item
        return None if per_run is None or per_verdict is None else runs * (per_run + per_verdict)

    def lines(self) -> list[str]:
        """The plan and its price, to be read before anything is paid."""
        few, many = self.runs
        low, high = self.usd(few), self.usd(many)
        price = f"{low:.2f} to {high:.2f} USD" if low is not None and high is not None else "price unknown"
        fixed = sum(removal.texts is None for removal in self.removals)
        cannot = f", {fixed} of them cannot be removed" if fixed else ""
        caps, judge = self.caps, self.terms.judge
        money = "uncapped in money" if caps.max_usd is None else f"{caps.max_usd:.2f} USD"
        calls = "no cap on calls" if caps.max_calls is None else counted(caps.max_calls, "call")
        size = judge.batch_size if judge else 1
        batches = f"           judge {math.ceil(few / size):,} to {counted(math.ceil(many / size), 'call')}"
        return [
            f"Coverage   {counted(len(self.removals), 'rule')} of {', '.join(self.project.texts)}{cannot}",
            f"Cases      {counted(len(self.cases), 'selection case')}; "
            f"{counted(self.held_out, 'held-out case')} left out: nothing may be learnt from them",
            f"Runs on    {self.models.task.model} at {self.models.task.endpoint}",
            f"Plan       {few:,} to {counted(many, 'call')}: fewest where outputs repeat and no case moves",
            *([batches] if judge else []),
            f"           {price}; replies kept from before cost nothing",
            f"Caps       {money}; {calls}",
        ]


async def plan_coverage(options: CoverageOptions, skin: Skin) -> CoveragePlan:
    """Reads spec, texts, cases and models. InputError and SetupError say what is in the way; nothing is sent."""
    project = mapped(open_project(options.run.spec_path), options.run)
    refuse_command(project.loaded, "coverage tells which rules of a text its cases guard")
    models = await resolve_models(project, options.run, skin)
    models = Models(models.task, None, models.judge, None, models.warnings)
    if options.max_usd is not None:
        for model in models.all:
            require_price(model)
    split = split_of(project)
    found = removals(project.texts, syntax_of(project))
    if not found:
        where = next(iter(project.texts))
        raise InputError([Problem(where, 0, "", "holds no rule: no list item, paragraph or block of its own")])
    terms = priced_terms(project, models.task, None, models.judge, attended=False)
    cases = tuple(case for case in project.cases if case.id in split.selection)
    return CoveragePlan(
        options, project, folder_of(project, options.run), models, terms, found, cases, len(split.holdout)
    )


def require_approval(plan: CoveragePlan) -> None:
    """NeedsPersonError unless this very spec was approved, with caps no smaller than those in force."""
    journal = plan.folder / JOURNAL_NAME
    approved = read_state(plan.folder).approvals.get("spec") if journal.is_file() else None
    if approved is not None and approved.digest == plan.terms.approval_digest and not _beyond(plan):
        return
    raise NeedsPersonError(
        "nobody approved these calls",
        "Give --yes, or approve the spec with `ceopt approve SPEC`; caps above the spec's need --yes.",
    )


def _beyond(plan: CoveragePlan) -> bool:
    """Is more asked for than the spec allows?"""
    caps, spec = plan.caps, plan.terms.budget
    return any(
        allowed is not None and (wanted is None or wanted > allowed)
        for wanted, allowed in ((caps.max_usd, spec.usd), (caps.max_calls, spec.calls))
    )
