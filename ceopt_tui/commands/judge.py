"""`ceopt judge`: options in, rows out. What is judged and how is judges/judge_command.py's business."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import aclosing
from pathlib import Path
from typing import Any

import click

from ceopt_tui.core.figures import counted
from ceopt_tui.core.visible import fitted, one_line
from ceopt_tui.system_clock import SystemClock
from judges.judge_command import JudgeOptions, JudgePlan, judge_file, plan_judging
from judges.judge_rows import JudgeRow, JudgeSummary
from judges.rubric import Scale, parse_scale

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


@click.command("judge")
@click.argument("items", type=click.Path(path_type=Path))
@click.option("--rubric", type=click.Path(path_type=Path), required=True, help="Text file with what to score by.")
@click.option("--scale", type=ScaleType(), help="1-5, 0-1, pass/fail …  [default: as the rubric says, else 1-5]")
@click.option("--repeats", type=click.IntRange(min=1), default=1, show_default=True, help="Judge each item so often.")
@click.option("--batch-size", type=click.IntRange(min=1), default=1, show_default=True, help="Items per call.")
@click.option("--model", default="cheap", show_default=True, help="A tier, provider/model, or local/NAME.")
@click.option("--max-usd", type=click.FloatRange(min=0), help="Stop before spending more.")
@click.option("--max-calls", type=click.IntRange(min=0), help="Stop before sending more requests.")
@click.option("--cache-dir", type=click.Path(path_type=Path), help="Where verdicts are kept.")
@click.option("--no-cache", is_flag=True, help="Neither read nor keep verdicts.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, no_cache: bool, **given: Any) -> None:
    """Score the outputs in ITEMS with a rubric.

    ITEMS holds one JSON object a line with id, input, output and, where there is one, expected. An output that could
    not be scored is counted as unscored, never as 0.
    """
    plan = plan_judging(JudgeOptions(use_cache=not no_cache, **given), os.environ, _say)
    summary = asyncio.run(_print_rows(plan, as_json))
    _say_result(summary, plan)
    ctx.exit(int(summary.exit_status))


async def _print_rows(plan: JudgePlan, as_json: bool) -> JudgeSummary:
    show = _as_line if as_json else _as_table_row
    summary: JudgeSummary | None = None
    async with aclosing(judge_file(plan, clock=SystemClock(), warn=_say)) as rows:
        async for row in rows:
            if isinstance(row, JudgeSummary):
                summary = row
            click.echo(show(row))
    assert summary is not None
    return summary


def _as_line(row: JudgeRow | JudgeSummary) -> str:
    return json.dumps(row.to_json())


def _as_table_row(row: JudgeRow | JudgeSummary) -> str:
    if isinstance(row, JudgeSummary):
        mean = "no mean" if row.mean is None else f"mean {row.mean:.2f}"
        cost = "cost unknown" if row.usd is None else f"{row.usd:.4f} USD"
        return f"scored {row.scored} of {row.scored + row.unscored}, {mean}, {counted(row.calls, 'call')}, {cost}"
    verdict = row.verdict
    name = verdict.item_id if row.repeat == 1 else f"{verdict.item_id} #{row.repeat}"
    score = "-" if verdict.score is None else f"{verdict.score:g}"
    note = verdict.feedback if verdict.unscored is None else f"unscored: {verdict.unscored}"
    note_width = _LINE_WIDTH - _ID_WIDTH - _SCORE_WIDTH - 2
    return f"{fitted(name, _ID_WIDTH)} {fitted(score, _SCORE_WIDTH)} {fitted(note, note_width)}".rstrip()


def _say_result(summary: JudgeSummary, plan: JudgePlan) -> None:
    """On the error channel, what a person must know about rows that are missing."""
    if summary.unscored:
        expected = summary.scored + summary.unscored
        reason = f": {summary.stopped}" if summary.stopped else f", {summary.unscored} unscored"
        _say(f"judged {summary.scored} of {expected}{reason}")


def _say(message: str) -> None:
    click.echo("\n".join(one_line(line) for line in message.split("\n")), err=True)
