"""Measures coverage: the text, then the text without each rule in turn, on the selection cases alone.

Held-out cases are not run: what shows there would reach the proposer through the rules that may be edited. Nothing is
journaled; the reply cache makes a second start go on where the first one ended.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import platformdirs

from ceopt_tui.case_filling import syntax_of
from ceopt_tui.core.coverage import RuleEffect, bar, rule_effects
from ceopt_tui.core.evidence.noise import Runs
from ceopt_tui.core.figures import counted
from ceopt_tui.core.masking import secrets_in, secrets_of
from ceopt_tui.core.ports import Scorer
from ceopt_tui.coverage_plan import MORE_ROUNDS, NEUTRAL_COPIES, CoveragePlan
from ceopt_tui.engine.coverage import save_coverage
from ceopt_tui.engine.skin import Skin
from ceopt_tui.engine.sweeping import HINT, Sweep, SweepRun
from ceopt_tui.errors import ProviderError
from ceopt_tui.inputs import digests
from ceopt_tui.journal.folders import claim
from ceopt_tui.journal.lock import RunLock
from ceopt_tui.judging_parts import make_judging
from ceopt_tui.running_parts import make_runner
from ceopt_tui.system_clock import SystemClock
from ceopt_tui.wiring import bind_all
from judges.cache import ReplyCache
from judges.client import LiteLLMClient
from judges.ledger import Ledger
from schemas.coverage import Coverage, RuleCoverage, RuleStatus
from texttargets.ablation import NEEDED, Removal, neutral_copies
from texttargets.case_ideas import case_idea
from texttargets.checks import check_output
from texttargets.target_file import text_digest

Texts = Mapping[str, str]
Effects = Mapping[str, RuleEffect]  # by digest of the text without the rule


async def measure_coverage(plan: CoveragePlan, skin: Skin, warn: Callable[[str], None]) -> Coverage:
    """Measures and saves the map in the state folder. BudgetError and ProviderError leave only cached replies."""
    repository = plan.project.repository
    claim(plan.folder, repository_root=repository.root, git_common_dir=repository.git_common_dir)
    with RunLock.acquire(plan.folder, now=SystemClock().now):
        ledger = Ledger(plan.caps)
        async with _sweep(plan, ledger, skin, warn) as sweep:
            coverage = await _measured(plan, sweep, ledger)
        save_coverage(plan.folder, coverage)
    return coverage


@asynccontextmanager
async def _sweep(plan: CoveragePlan, ledger: Ledger, skin: Skin, warn: Callable[[str], None]) -> AsyncIterator[Sweep]:
    """The runner and the scorer or judge of the run itself, with the same cache."""
    run = plan.options.run
    async with AsyncExitStack() as stack:
        models = await bind_all(plan.models, stack, skin)
        cache = ReplyCache(run.cache_dir or platformdirs.user_cache_path("ceopt") / "replies", warn)
        stack.callback(cache.close)
        secrets = secrets_in(run.environ).union(*(secrets_of(model.params) for model in models.all))
        client = LiteLLMClient(ledger, cache, clock=SystemClock(), secrets=secrets, warn=warn)
        await stack.enter_async_context(client)
        judging = make_judging(plan.project, models, client, client, cache)
        scorer: Scorer | None = None if judging else lambda case, output: check_output(case, output, None)
        syntax = syntax_of(plan.project)
        runner = make_runner(plan.project, syntax, client, models.task, ledger, cache, run.environ)
        yield Sweep(runner, scorer, judging.judge if judging else None, models.task.concurrency, skin.progress)


async def _measured(plan: CoveragePlan, sweep: Sweep, ledger: Ledger) -> Coverage:
    texts, ids, wanted = plan.project.texts, [case.id for case in plan.cases], plan.terms.reference_runs
    original = text_digest(texts)
    await sweep.run("the whole text", list(_runs(plan, [texts], range(wanted))))
    lost = sum(not sweep.scores(original).get(case) for case in ids)
    if lost > plan.terms.max_unscored * len(ids):
        raise ProviderError(f"{lost} of {counted(len(ids), 'case')} of the whole text have no score", HINT)
    deterministic = sweep.repeats_itself(original, ids, wanted)
    whole, effects = await (_effects_of_copies(plan, sweep) if deterministic else _effects_of_repeats(plan, sweep))
    return Coverage(
        text_digest=original,
        measurement_digest=digests(plan.project)[1],
        model=plan.models.task.model,
        judge=plan.models.judge.model if plan.models.judge else None,
        span=plan.terms.span,
        cases=tuple(ids),
        held_out=plan.held_out,
        deterministic=deterministic,
        runs=wanted,
        runs_without=1 if deterministic else plan.repeats,
        neutral_copies=len(neutral_copies(texts, NEUTRAL_COPIES)) if deterministic else 0,
        bar=bar(len(ids)),
        requests=ledger.total.requests,
        from_cache=ledger.total.cached,
        usd=ledger.total.usd,
        rules=tuple(_rule(removal, effects) for removal in plan.removals),
        whole={case: tuple(whole[case]) for case in ids if whole.get(case)},
    )


async def _effects_of_repeats(plan: CoveragePlan, sweep: Sweep) -> tuple[Runs, Effects]:
    """Where outputs vary: repeats tell what is noise, and cases that dip are run again before they are judged."""
    removed, texts, original = _removed(plan), plan.project.texts, text_digest(plan.project.texts)
    await sweep.run("the text without each rule", list(_runs(plan, list(removed.values()), range(plan.repeats))))
    for number in range(MORE_ROUNDS + 1):
        whole = sweep.scores(original)
        effects = _judged(plan, whole, {digest: sweep.scores(digest) for digest in removed}, neutral=False)
        doubtful = {digest: cases for digest, effect in effects.items() if (cases := effect.worth_more_runs)}
        if number == MORE_ROUNDS or not doubtful:
            break
        first = (plan.terms.reference_runs, plan.repeats)
        of_whole, of_removed = (
            range(done + number * plan.repeats, done + (number + 1) * plan.repeats) for done in first
        )
        again = frozenset(case for cases in doubtful.values() for case in cases)
        runs = list(_runs(plan, [texts], of_whole, again))
        for digest, cases in doubtful.items():
            runs += _runs(plan, [removed[digest]], of_removed, frozenset(cases))
        await sweep.run("what dips, again", runs)
    return whole, effects


async def _effects_of_copies(plan: CoveragePlan, sweep: Sweep) -> tuple[Runs, Effects]:
    """Where identical text gives identical outputs: copies that say the same tell what is noise."""
    texts, removed = plan.project.texts, _removed(plan)
    original, beside = text_digest(texts), neutral_copies(texts, NEUTRAL_COPIES)
    await sweep.run("neutral copies", list(_runs(plan, beside, range(1))))
    await sweep.run("the text without each rule", list(_runs(plan, list(removed.values()), range(1))))
    moved = {digest: cases for digest in removed if (cases := _moved(sweep, digest, original))}
    copies = {digest: neutral_copies(removed[digest], NEUTRAL_COPIES) for digest in moved}
    again = [run for digest, some in copies.items() for run in _runs(plan, some, range(1), moved[digest])]
    await sweep.run("what moved, on neutral copies", again)
    without = {digest: _with_copies(sweep, digest, copies.get(digest, ())) for digest in removed}
    whole = _with_copies(sweep, original, beside)
    return whole, _judged(plan, whole, without, neutral=True)


def _judged(plan: CoveragePlan, whole: Runs, without: Mapping[str, Runs], *, neutral: bool) -> Effects:
    return rule_effects(
        whole,
        without,
        cases=[case.id for case in plan.cases],
        span=plan.terms.span,
        maximize=plan.terms.maximize,
        max_lost=plan.terms.max_unscored,
        neutral_copies=neutral,
    )


def _removed(plan: CoveragePlan) -> dict[str, Texts]:
    """Every different text without one rule, by digest."""
    return {text_digest(removal.texts): removal.texts for removal in plan.removals if removal.texts is not None}


def _runs(
    plan: CoveragePlan, texts: Sequence[Texts], samples: range, only: frozenset[str] | None = None
) -> Iterator[SweepRun]:
    """Case by case, so that what is run side by side differs in the text alone."""
    named = [(text_digest(text), text) for text in texts]
    for sample in samples:
        for case in plan.cases:
            if only is None or case.id in only:
                yield from (SweepRun(digest, text, case, sample) for digest, text in named)


def _moved(sweep: Sweep, digest: str, original: str) -> frozenset[str]:
    """The cases that a text scores otherwise than the whole text does."""
    whole = sweep.scores(original)
    return frozenset(
        case for case, scores in sweep.scores(digest).items() if case in whole and scores[0] != whole[case][0]
    )


def _with_copies(sweep: Sweep, digest: str, copies: Sequence[Texts]) -> Runs:
    """The scores of a text that repeats itself, once a case, with those of its neutral copies beside them."""
    beside = [sweep.scores(text_digest(copy)) for copy in copies]
    return {
        case: [scores[0], *(score for one in beside for score in one.get(case, ()))]
        for case, scores in sweep.scores(digest).items()
    }


def _rule(removal: Removal, effects: Effects) -> RuleCoverage:
    rule = removal.rule
    effect = effects[text_digest(removal.texts)] if removal.texts is not None else None
    status: RuleStatus = effect.status if effect else "needed" if removal.kept == NEEDED else "unmeasured"
    return RuleCoverage(
        file=removal.path,
        rule=rule.id,
        line=rule.line,
        text=rule.words,
        status=status,
        why=effect.why if effect else removal.kept,
        mean=effect.mean if effect else None,
        z=effect.z if effect else None,
        cases=dict(effect.cases) if effect else {},
        lost=effect.lost if effect else (),
        idea=case_idea(rule) if status in {"uncovered", "unmeasured"} else "",
    )
