"""The judge of a run: the engine's outputs in, verdicts with the calls they took out.

Knows no text and no run; ids are whatever the caller made of them.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from ceopt_tui.core.judging_ports import OutputToJudge, OutputVerdict, Verdicts
from ceopt_tui.core.ports import Completer
from judges.judge import Judge
from judges.judge_settings import JudgeSettings
from judges.judged_item import JudgedItem
from judges.preflight import Preflight
from judges.verdict import Judgement, VerdictStore

SINGLETON = "singleton"  # the tag of cases whose outputs are judged alone


class RunJudge:
    """An `OutputJudge` over a rubric on a model. Outputs of singleton cases go one a call, by their own rubric."""

    def __init__(
        self,
        completer: Completer,
        settings: JudgeSettings,
        *,
        store: VerdictStore | None = None,
        salt: bytes | None = None,
    ) -> None:
        preflight, salt = Preflight(), salt or secrets.token_bytes(32)
        self._judges = {
            False: Judge(completer, settings, store=store, salt=salt + b"0", preflight=preflight),
            True: Judge(completer, settings.for_singletons, store=store, salt=salt + b"1", preflight=preflight),
        }

    async def judge(
        self, outputs: Sequence[OutputToJudge], sample: int, *, fresh: bool = False
    ) -> AsyncGenerator[Verdicts, None]:
        """Verdicts in parts as replies come in, singletons last; every output is in one part, its calls beside it."""
        for alone, judge in self._judges.items():
            items = [_item(output) for output in outputs if (SINGLETON in output.case.tags) is alone]
            if not items:
                continue
            async with aclosing(judge.stream(items, sample, fresh=fresh)) as parts:
                async for part in parts:
                    yield _verdicts(part)


def _item(output: OutputToJudge) -> JudgedItem:
    return JudgedItem(output.id, output.case.input, output.output, output.case.expected)


def _verdicts(part: Judgement) -> Verdicts:
    return Verdicts(
        tuple(
            OutputVerdict(
                verdict.item_id,
                verdict.score,
                verdict.passed,
                verdict.unscored,
                verdict.feedback,
                verdict.ambiguous,
                verdict.secondary,
                verdict.failed,
                verdict.raw,
            )
            for verdict in part.verdicts
        ),
        part.calls,
    )
