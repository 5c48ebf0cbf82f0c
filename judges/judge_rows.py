"""What `ceopt judge` gives back: a row per item and repeat, then a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ceopt_tui.errors import CeoptError
from ceopt_tui.exits import ExitStatus
from judges.ledger import Spend
from judges.verdict import Judgement, Verdict

MAX_UNSCORED_SHARE = 0.2  # more than this, and the measurement is an error


@dataclass(frozen=True)
class JudgeRow:
    """One verdict; `repeat` counts from 1."""

    verdict: Verdict

    @property
    def repeat(self) -> int:
        return self.verdict.sample + 1

    def to_json(self) -> dict[str, Any]:
        """The row scripts rely on; `raw` is there where a reply could not be used."""
        verdict = self.verdict
        row: dict[str, Any] = {
            "id": verdict.item_id,
            "repeat": self.repeat,
            "score": verdict.score,
            "unscored": verdict.unscored,
            "feedback": verdict.feedback,
            "cached": verdict.cached,
        }
        return row | ({"raw": verdict.raw} if verdict.raw else {})


@dataclass(frozen=True)
class JudgeSummary:
    """What all rows came to. `usd` is None where a price is unknown; `mean` leaves out what has no score."""

    scored: int
    unscored: int
    failed: int
    mean: float | None
    calls: int
    usd: float | None
    stopped: CeoptError | None = None

    @property
    def exit_status(self) -> ExitStatus:
        """Finished only when no call failed and the scores may be used."""
        return ended(self.stopped, self.failed, self.scored, self.unscored)

    def to_json(self) -> dict[str, Any]:
        """The last line scripts rely on."""
        usd = None if self.usd is None else round(self.usd, 6)
        return {"summary": {"scored": self.scored, "unscored": self.unscored, "calls": self.calls, "usd": usd}}


class RowOrder:
    """Brings verdicts, which come in as calls return, into the order of items and repeats."""

    def __init__(self, ids: Sequence[str], repeats: int) -> None:
        self._expected = [(sample, item_id) for sample in range(repeats) for item_id in ids]
        self._waiting: dict[tuple[int, str], Verdict] = {}
        self._given: list[Verdict] = []

    def add(self, judgement: Judgement) -> Iterator[JudgeRow]:
        """Take verdicts in and give out the rows that are due."""
        self._waiting |= {(verdict.sample, verdict.item_id): verdict for verdict in judgement.verdicts}
        while len(self._given) < len(self._expected) and self._expected[len(self._given)] in self._waiting:
            yield self._give(self._waiting.pop(self._expected[len(self._given)]))

    def rest(self, reason: str) -> Iterator[JudgeRow]:
        """Every row not given yet; those without a verdict are unscored for `reason`."""
        for sample, item_id in self._expected[len(self._given) :]:
            unasked = Verdict(item_id, sample, unscored=reason, failed=True)
            yield self._give(self._waiting.pop((sample, item_id), unasked))

    def summary(self, spend: Spend, stopped: CeoptError | None) -> JudgeSummary:
        """Counts over the rows given."""
        scores = [verdict.score for verdict in self._given if verdict.score is not None]
        return JudgeSummary(
            scored=len(scores),
            unscored=len(self._given) - len(scores),
            failed=sum(verdict.failed for verdict in self._given),
            mean=sum(scores) / len(scores) if scores else None,
            calls=spend.requests,
            usd=spend.usd,
            stopped=stopped,
        )

    def _give(self, verdict: Verdict) -> JudgeRow:
        self._given.append(verdict)
        return JudgeRow(verdict)


def ended(stopped: CeoptError | None, failed: int, scored: int, unscored: int) -> ExitStatus:
    """How asking a judge ended: with its error, or by whether enough has a score."""
    if stopped is not None:
        return stopped.exit_status
    too_few = unscored > MAX_UNSCORED_SHARE * (scored + unscored)
    return ExitStatus.STOPPED if failed or too_few else ExitStatus.FINISHED
