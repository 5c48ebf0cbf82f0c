"""`ceopt coverage SPEC`: options in, the map out. What is measured and how is coverage_run.py's business."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ceopt_tui.commands.amounts import Amount
from ceopt_tui.commands.run import model_pairs
from ceopt_tui.core.coverage_words import LEGEND, WORDS, counts, how_measured, ideas, map_row, place, reason, shown
from ceopt_tui.core.figures import counted
from ceopt_tui.core.masking import masked, secrets_in
from ceopt_tui.core.visible import fitted, one_line, said
from ceopt_tui.coverage_plan import CoverageOptions, CoveragePlan, plan_coverage, require_approval
from ceopt_tui.coverage_run import measure_coverage
from ceopt_tui.engine.coverage import COVERAGE_NAME
from ceopt_tui.headless import HeadlessSkin, json_line
from ceopt_tui.run_options import RunOptions
from schemas.coverage import UNGUARDED, Coverage, RuleCoverage

_PLACE_WIDTH, _STATUS_WIDTH, _TEXT_WIDTH = 10, 24, 44


@click.command("coverage")
@click.argument("spec", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask before the first call.")
@click.option("--max-calls", type=click.IntRange(min=1), help="Stop before sending more requests.")
@click.option("--max-usd", type=Amount(), help="Stop before spending more.")
@click.option("--repeats", type=click.IntRange(min=2), help="Runs a case without each rule, where outputs vary.")
@click.option("--state-root", type=click.Path(path_type=Path), help="Where the run's state is kept.")
@click.option("--cache-dir", type=click.Path(path_type=Path), help="Where replies of models are kept.")
@click.option("--model", "models", multiple=True, metavar="ROLE=MODEL", help="For example cheap=openai/gpt-5-mini.")
@click.option("--json", "as_json", is_flag=True, help="One rule a line, then a summary.")
def command(
    spec: Path,
    yes: bool,
    max_calls: int | None,
    max_usd: float | None,
    repeats: int | None,
    state_root: Path | None,
    cache_dir: Path | None,
    models: tuple[str, ...],
    as_json: bool,
) -> None:
    """Take each rule of the text of SPEC away in turn and see which cases change.

    Runs the selection cases alone. A rule whose absence no case notices is uncovered: unless the spec says
    `coverage: off`, runs of this text may then not edit it. Started again, an interrupted measurement goes on.
    """
    run = RunOptions(spec_path=spec, state_root=state_root, cache_dir=cache_dir, models=model_pairs(models))
    skin = _Progress(as_json=as_json, talk=_say, secrets=secrets_in(run.environ))
    plan = asyncio.run(plan_coverage(CoverageOptions(run, max_calls, max_usd, repeats), skin))
    for line in plan.lines():
        _say(line)
    if not yes:
        _ask(plan)
    coverage = asyncio.run(measure_coverage(plan, skin, lambda text: _say(f"note: {text}")))
    if not as_json:
        click.echo(said("\n".join(_words(coverage, plan))))
        return
    for row in _rows(coverage, plan):
        click.echo(json_line(masked(row, secrets_in(run.environ))))


class _Progress(HeadlessSkin):
    """Says every tenth of the way."""

    def progress(self, title: str, done: int, total: int) -> None:
        if total and (done * 10 // total > (done - 1) * 10 // total or done == total):
            _say(f"{title}: {done:,} of {total:,}")


def _ask(plan: CoveragePlan) -> None:
    """A person says yes, or the spec was approved."""
    if sys.stdin.isatty() and sys.stderr.isatty():
        click.confirm("Start measuring?", abort=True, err=True)
    else:
        require_approval(plan)


def _words(coverage: Coverage, plan: CoveragePlan) -> Iterator[str]:
    width = max(_PLACE_WIDTH, *(len(place(coverage, rule)) for rule in coverage.rules))
    for rule in coverage.rules:
        name = fitted(place(coverage, rule), min(width, 40))
        yield f"{name} {WORDS[rule.status]:<{_STATUS_WIDTH}}{shown(rule, _TEXT_WIDTH)}"
        yield f"{' ' * min(width, 40)} {one_line(reason(coverage, rule))}"
    yield ""
    yield f"{counts(coverage)}."
    yield from (f"- {line}" for line in how_measured(coverage))
    yield ""
    yield f"The map: {LEGEND}"
    for rule in coverage.rules:
        if row := map_row(coverage, rule):
            yield f"{fitted(place(coverage, rule), min(width, 40))} {row}"
    yield f"Columns: {', '.join(one_line(case) for case in coverage.cases)}"
    if coverage.unguarded:
        yield ""
        yield from _unguarded(coverage, protect=plan.project.spec.coverage == "protect")
    cost = "cost unknown" if coverage.usd is None else f"{coverage.usd:.4f} USD"
    yield ""
    yield f"{counted(coverage.requests, 'call')}, {coverage.from_cache:,} from the cache, {cost}"


def _unguarded(coverage: Coverage, *, protect: bool) -> Iterator[str]:
    rules = counted(len(coverage.unguarded), "rule")
    if protect:
        yield f"{rules} without a case: protected from edits until a case guards them (`coverage: off` lifts that)."
    else:
        yield f"{rules} without a case; an edit that loses them would not be noticed (`coverage: off`)."
    yield "Cases that would guard them:"
    yield from (f"- {one_line(idea)}" for idea in ideas(coverage))


def _rows(coverage: Coverage, plan: CoveragePlan) -> Iterator[dict[str, Any]]:
    protect = plan.project.spec.coverage == "protect"
    for rule in coverage.rules:
        yield _row(rule, protect)
    summary: dict[str, Any] = coverage.model_dump(mode="json", exclude={"rules", "version"})
    counted_rules = {status: coverage.counts.get(status, 0) for status in WORDS}
    yield {"summary": {**summary, **counted_rules, "path": str(plan.folder / COVERAGE_NAME)}}


def _row(rule: RuleCoverage, protect: bool) -> dict[str, Any]:
    values = rule.model_dump(mode="json")
    moved = {"loses": rule.moved("loses"), "wins": rule.moved("wins")}
    return {**values, **moved, "protected": protect and rule.status in UNGUARDED}


def _say(message: str) -> None:
    click.echo(said(message), err=True)
