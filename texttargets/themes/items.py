"""What theme making may see: failing selection cases and what the judge said of them. Held-out cases never get here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ceopt_tui.core.ports import SelectionCase
from texttargets.excerpt import on_one_line


@dataclass(frozen=True)
class FailingItem:
    """A failing selection case; `feedback` says what would have to change, one text a run, none where nobody said."""

    case_id: str
    feedback: tuple[str, ...] = ()


def is_failing(item: SelectionCase) -> bool:
    """Whether a case was run and did not pass every time."""
    return item.pass_rate is not None and item.pass_rate < 1


def failing_items(selection: Sequence[SelectionCase]) -> list[FailingItem]:
    """The failing cases with their distinct feedback, in order of their ids."""
    found = [FailingItem(item.case.id, _said(item)) for item in selection if is_failing(item)]
    return sorted(found, key=lambda item: item.case_id)


def _said(item: SelectionCase) -> tuple[str, ...]:
    """On one line each, as they are shown and sent."""
    texts = item.feedback or (item.detail,)
    return tuple(dict.fromkeys(text for text in (on_one_line(text.strip()) for text in texts) if text))
