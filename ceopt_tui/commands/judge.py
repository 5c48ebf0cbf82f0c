"""`ceopt judge`: options in, rows out. What is judged and how is judges/judge_command.py's business."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import aclosing
from pathlib import Path
from typing import Any

import click

from ceopt_tui.commands.amounts import Amount
from ceopt_tui.core.figures import counted, p_value
from ceopt_tui.core.visible import fitted, one_line
from ceopt_tui.system_clock import SystemClock
from judges.against import PairRow, PairSummary
from judges.compare_command import compare_files
from judges.judge_command import JudgeOptions, JudgePlan, judge_file, plan_judging
from judges.judge_rows import JudgeRow, JudgeSummary
from judges.rubric import Scale, parse_scale

Row = JudgeRow | JudgeSummary | PairRow | PairSummary

_ID_WIDTH, _SCORE_WIDTH, _LINE_WIDTH = 20, 8, 80


class ScaleType(click.ParamType[Scale]):
    """Lowest and highest score, as in 1-5."""

    name = "scale"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Scale:
        """Read the scale, or refuse it as click does."""
        try:
            return value if isinstance(value, Scale) else parse_scale(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class StratumType(click.ParamType[tuple[str, int]]):
    """A bucket and how many of its items, as in long=5."""

    name = "bucket=count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        """Read one stratum, or refuse it as click does."""
        if isinstance(value, tuple):
            return value
        bucket, _, count = value.rpartition("=")
        if not bucket.strip() or not count.isdecimal() or not int(count):
            self.fail(f"{value!r} is no bucket with its count; write it as in long=5", param, ctx)
        return bucket.strip(), int(count)


@click.command("judge")
@click.argument("items", type=click.Path(path_type=Path))
@click.option("--rubric", type=click.Path(path_type=Path), required=True, help="Text file with what to score by.")
@click.option("--scale", type=ScaleType(), help="1-5, 0-1, pass/fail …  [default: as the rubric says, else 1-5]")
@click.option("--repeats", type=click.IntRange(min=1), default=1, show_default=True, help="Judge each item so often.")
@click.option("--batch-size", type=click.IntRange(min=1), default=1, show_default=True, help="Items per call.")
@click.option(
    "--method",
    type=click.Choice(["auto", "expected", "sampled"]),
    default="auto",
    show_default=True,
    help="Read scores from token probabilities where there are any, always, or as written.",
)
@click.option("--sample", type=click.IntRange(min=1), help="Judge so many items, drawn by the seed.  [default: all]")
@click.option("--seed", type=int, default=42, show_default=True, help="Draws the sample.")
@click.option("--stratify", "strata", type=StratumType(), multiple=True, help="So many of one bucket; may be repeated.")
@click.option("--against", type=click.Path(path_type=Path), help="Outputs to compare with, pair by pair.")
@click.option("--model", default="cheap", show_default=True, help="A tier, provider/model, or local/NAME.")
@click.option("--max-usd", type=Amount(), help="Stop before spending more.")
@click.option("--max-calls", type=click.IntRange(min=0), help="Stop before sending more requests.")
@click.option("--cache-dir", type=click.Path(path_type=Path), help="Where verdicts are kept.")
@click.option("--no-cache", is_flag=True, help="Neither read nor keep verdicts.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, no_cache: bool, **given: Any) -> None:
    """Score the outputs in ITEMS with a rubric.

    ITEMS holds one JSON object a line with id, input, output and, where there are, expected and bucket. An output that
    could not be scored is counted as unscored, never as 0. With --against each output is compared with that of the
    same id, in both orders; a judge that prefers a place and not an output makes a tie.
    """
    if given["against"] is not None:
        _refuse_what_only_scores_have(ctx)
    plan = plan_judging(JudgeOptions(use_cache=not no_cache, **given), os.environ, _say)
    summary = asyncio.run(_print_rows(plan, as_json))
    _say_result(summary)
    ctx.exit(int(summary.exit_status))


def _refuse_what_only_scores_have(ctx: click.Context) -> None:
    """An option that changes nothing here would be read as if it did."""
    for name in ("scale", "repeats", "batch_size", "method"):
        if ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            raise click.UsageError(f"--{name.replace('_', '-')} has no meaning with --against: nothing is scored there")


async def _print_rows(plan: JudgePlan, as_json: bool) -> JudgeSummary | PairSummary:
    show = _as_line if as_json else _as_table_row
    summary: JudgeSummary | PairSummary | None = None
    work = compare_files if plan.options.against is not None else judge_file
    async with aclosing(work(plan, clock=SystemClock(), warn=_say)) as rows:
        async for row in rows:
            if isinstance(row, JudgeSummary | PairSummary):
                summary = row
            click.echo(show(row))
    assert summary is not None
    return summary


def _as_line(row: Row) -> str:
    return json.dumps(row.to_json())


def _as_table_row(row: Row) -> str:
    if isinstance(row, PairRow):
        note = {"items": "ITEMS preferred", "against": "AGAINST preferred", "tie": "tie"}.get(row.preferred or "")
        note = note or f"unscored: {row.preference.unscored}"
        return f"{fitted(row.preference.pair_id, _ID_WIDTH)} {fitted(note, _LINE_WIDTH - _ID_WIDTH - 1)}".rstrip()
    if isinstance(row, PairSummary):
        counts = f"ITEMS preferred {row.items}, AGAINST preferred {row.against}, {counted(row.ties, 'tie')}"
        return f"{counts}, sign test {p_value(row.p)}, {counted(row.calls, 'call')}, {_cost(row.usd)}"
    if isinstance(row, JudgeSummary):
        mean = "no mean" if row.mean is None else f"mean {row.mean:.2f}"
        scored = f"scored {row.scored} of {row.scored + row.unscored}"
        return f"{scored}, {mean}, {counted(row.calls, 'call')}, {_cost(row.usd)}"
    verdict = row.verdict
    name = verdict.item_id if row.repeat == 1 else f"{verdict.item_id} #{row.repeat}"
    score = "-" if verdict.score is None else f"{round(verdict.score, 2):g}"
    note = verdict.feedback if verdict.unscored is None else f"unscored: {verdict.unscored}"
    note_width = _LINE_WIDTH - _ID_WIDTH - _SCORE_WIDTH - 2
    return f"{fitted(name, _ID_WIDTH)} {fitted(score, _SCORE_WIDTH)} {fitted(note, note_width)}".rstrip()


def _cost(usd: float | None) -> str:
    return "cost unknown" if usd is None else f"{usd:.4f} USD"


def _say_result(summary: JudgeSummary | PairSummary) -> None:
    """On the error channel, what a person must know: rows that are missing, a length that may be what won."""
    if summary.unscored:
        expected = summary.scored + summary.unscored
        reason = f": {summary.stopped}" if summary.stopped else f", {summary.unscored} unscored"
        _say(f"judged {summary.scored} of {expected}{reason}")
    if isinstance(summary, PairSummary) and summary.growth is not None and summary.much_longer:
        _say(f"the outputs of ITEMS are {summary.growth:.2f} times as long; length may be what was preferred")


def _say(message: str) -> None:
    click.echo("\n".join(one_line(line) for line in message.split("\n")), err=True)
