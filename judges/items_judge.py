"""Scores what a measuring command printed: a seeded draw of its items; singletons by a rubric of their own.

Knows neither commit nor side of a comparison: items go to the judge under numbers that tell nothing.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from ceopt_tui.core.ports import Completer
from judges.judge import Judge
from judges.judge_settings import JudgeSettings
from judges.judged_item import JudgedItem
from judges.preflight import Preflight
from judges.sampling import draw
from judges.verdict import Verdict, VerdictStore
from schemas.record import CallFacts

Scores = tuple[Mapping[str, float | None], Mapping[str, float], int, Sequence[CallFacts]]


@dataclass(frozen=True)
class Draw:
    """How many items are judged: in all, by bucket, and of those that are judged alone.

    Where more than the share `max_unscored` of a draw stays without a score, the draw has none.
    """

    size: int = 10
    strata: Sequence[tuple[str, int]] = ()
    singletons: int = 0
    max_unscored: float = 0.2


class CommandItemsJudge:
    """Implements command_ports.ItemsJudge over a rubric on a model."""

    def __init__(
        self,
        completer: Completer,
        settings: JudgeSettings,
        drawing: Draw,
        *,
        store: VerdictStore | None = None,
        salt: bytes | None = None,
    ) -> None:
        preflight, salt = Preflight(), salt or secrets.token_bytes(32)
        self._settings, self._drawing = settings, drawing
        self._batches = Judge(completer, settings, store=store, salt=salt + b"0", preflight=preflight)
        self._alone = Judge(completer, settings.for_singletons, store=store, salt=salt + b"1", preflight=preflight)

    async def score(self, items: Sequence[Mapping[str, Any]], seed: int) -> Scores:
        """(mean by field, primary score by item, items without a score, calls). What nobody scored is null, never 0."""
        drawn = self._drawn(items, seed)
        verdicts: dict[str, Verdict] = {}
        calls: list[CallFacts] = []
        for judge, alone in ((self._batches, False), (self._alone, True)):
            asked = {f"item-{at}": item for at, item in enumerate(drawn) if bool(item.get("singleton")) is alone}
            if asked:
                judgement = await judge.judge([_judged(name, item) for name, item in asked.items()])
                calls += judgement.calls
                verdicts |= {str(asked[one.item_id]["id"]): one for one in judgement.verdicts}
        return (*self._summed(verdicts), tuple(calls))

    def _drawn(self, items: Sequence[Mapping[str, Any]], seed: int) -> list[Mapping[str, Any]]:
        """The items of this seed's draw; the order of the command's output does not matter."""
        drawing, by_id = self._drawing, {str(item.get("id", at)): item for at, item in enumerate(items)}
        together = [(name, item.get("bucket")) for name, item in by_id.items() if not item.get("singleton")]
        alone = [(name, None) for name, item in by_id.items() if item.get("singleton")]
        chosen = draw(together, drawing.size, drawing.strata, seed)
        chosen += draw(alone, drawing.singletons, None, seed)
        return [{**by_id[name], "id": name} for name in chosen]

    def _summed(self, verdicts: Mapping[str, Verdict]) -> tuple[dict[str, float | None], dict[str, float], int]:
        rubric = self._settings.rubric
        scored = {name: one.score for name, one in verdicts.items() if one.score is not None}
        unscored = len(verdicts) - len(scored)
        lost = not scored or unscored > self._drawing.max_unscored * len(verdicts)
        found: dict[str, float | None] = {rubric.primary: None if lost else fmean(scored.values())}
        for field in rubric.secondary:
            values = [value for one in verdicts.values() if (value := one.secondary.get(field)) is not None]
            found[field] = fmean(values) if values and not lost else None
        return found, scored, unscored


def _judged(name: str, item: Mapping[str, Any]) -> JudgedItem:
    expected = item.get("expected")
    known = expected if expected is None or isinstance(expected, str) else _text(expected)
    return JudgedItem(name, _text(item.get("input", "")), _text(item.get("output", "")), known)


def _text(value: Any) -> str:
    """A text as it is, anything else as readable JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
