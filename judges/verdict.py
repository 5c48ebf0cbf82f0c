"""Verdicts as values, and how one is stored: by what was judged and how, not by where it stood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from judges.cache import canonical_key
from judges.judge_settings import JudgeSettings
from judges.judged_item import JudgedItem
from judges.prompt import TEMPLATE_VERSION
from judges.reply import ReplyFault, Row, parse_number
from judges.rubric import Rubric
from schemas.records import CallFacts


class VerdictStore(Protocol):
    """Keeps JSON objects by key; a miss is None."""

    def get(self, key: str) -> dict[str, Any] | None: ...

    def put(self, key: str, value: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True)
class Verdict:
    """The score of one item, or why it has none.

    Exactly one of `score` and `unscored` is set. `raw` keeps a reply that could not be used. `failed` is true when the
    call failed, false when the judge replied with no verdict. `cached` is true where no call was made for this item.
    `feedback_missing`: it was asked for once more, and the reply held none.
    """

    item_id: str
    sample: int
    score: float | None = None
    passed: bool | None = None
    unscored: str | None = None
    feedback: str = ""
    ambiguous: bool = False
    secondary: Mapping[str, float | None] = field(default_factory=dict)
    raw: str = ""
    failed: bool = False
    cached: bool = False
    feedback_missing: bool = False


@dataclass(frozen=True)
class Judgement:
    """Verdicts, and the calls they took."""

    verdicts: tuple[Verdict, ...]
    calls: tuple[CallFacts, ...] = ()

    @property
    def dropped(self) -> frozenset[str]:
        """Options the provider refused; a judge without `temperature` is not deterministic."""
        return frozenset(option for facts in self.calls for option in facts.dropped)


def scored(item_id: str, sample: int, row: Row, rubric: Rubric, *, cached: bool = False) -> Verdict:
    """The verdict a row stands for."""
    return Verdict(
        item_id,
        sample,
        row.score,
        row.score >= rubric.pass_at,
        feedback=row.feedback,
        ambiguous=row.ambiguous,
        secondary=row.secondary,
        cached=cached,
        feedback_missing=row.feedback_missing,
    )


def verdict_key(settings: JudgeSettings, item: JudgedItem, sample: int) -> str:
    """The key of a stored verdict: everything that can change it.

    The item's id, its place in a batch and the call's mark are left out: they cannot be known to a later run.
    """
    rubric, model = settings.rubric, settings.model
    return canonical_key(
        {
            "kind": "verdict",
            "template": TEMPLATE_VERSION,
            "model": [model.endpoint, model.model],
            "params": settings.deciding_params,
            "method": settings.method,
            "feedback": settings.ask_for_feedback,
            "rubric": rubric.text,
            "scale": str(rubric.scale),
            "fields": [rubric.primary, *rubric.secondary],
            "item": [item.input, item.expected, item.output],
            "sample": sample,
        }
    )


def stored_form(row: Row) -> dict[str, Any]:
    """A row as JSON."""
    return {
        "score": row.score,
        "feedback": row.feedback,
        "ambiguous": row.ambiguous,
        "secondary": dict(row.secondary),
        "feedback_missing": row.feedback_missing,
    }


def from_stored(value: Mapping[str, Any] | None, rubric: Rubric) -> Row | None:
    """A stored row; None where there is none, or something that is no verdict of this rubric."""
    if value is None:
        return None
    try:
        score = parse_number(value.get("score"))
    except ReplyFault:
        return None
    feedback, ambiguous, secondary = value.get("feedback"), value.get("ambiguous"), value.get("secondary")
    if not rubric.scale.holds(score) or not isinstance(feedback, str) or not isinstance(secondary, dict):
        return None
    return Row(score, feedback, ambiguous is True, secondary, value.get("feedback_missing") is True)
