"""Makes failure themes of failing selection cases: by words alone, or with a model that names and merges."""

from __future__ import annotations

from collections.abc import Sequence

from ceopt_tui.core.judging_ports import ThemesGrouping
from ceopt_tui.core.ports import Completer, ResolvedModel, SelectionCase
from ceopt_tui.core.themes import stable
from schemas.judging_records import Theme
from schemas.records import CallFacts
from texttargets.themes.grouping import LEAST_CASES, FeedbackGroup, group_feedback
from texttargets.themes.items import FailingItem, failing_items
from texttargets.themes.naming import name_groups

BY_WORDS = "words"


class WordThemes:
    """Implements ports.ThemeMaker without a model."""

    async def group(self, selection: Sequence[SelectionCase], previous: tuple[Theme, ...]) -> ThemesGrouping:
        """The same themes for the same feedback, in whatever order it comes."""
        items = failing_items(selection)
        return _settled(items, group_feedback(items, least_cases=1).themes, previous)


class ModelThemes:
    """Implements ports.ThemeMaker with a model, and by words where its reply cannot be used."""

    def __init__(self, completer: Completer, model: ResolvedModel) -> None:
        self._completer, self._model = completer, model

    async def group(self, selection: Sequence[SelectionCase], previous: tuple[Theme, ...]) -> ThemesGrouping:
        """At most one call; none where no case has feedback."""
        items = failing_items(selection)
        found = group_feedback(items, least_cases=1).themes
        named = await name_groups(self._completer, self._model, found)
        method = self._model.model if named.used else BY_WORDS
        return _settled(items, named.groups, previous, method, named.calls)


def _settled(
    items: Sequence[FailingItem],
    groups: Sequence[FeedbackGroup],
    previous: tuple[Theme, ...],
    method: str = BY_WORDS,
    calls: tuple[CallFacts, ...] = (),
) -> ThemesGrouping:
    """Groups with the ids they had. One case alone is a theme only while it is what is left of one."""
    order = sorted(groups, key=lambda group: (-len(group.cases), group.cases))
    themes = stable(previous, [(group.name, group.change, group.cases) for group in order])
    live = {theme.id for theme in previous if theme.cases}
    kept = tuple(theme for theme in themes if len(theme.cases) >= LEAST_CASES or theme.id in live)
    placed = {case for theme in kept for case in theme.cases}
    unexplained = tuple(item.case_id for item in items if item.case_id not in placed)
    return ThemesGrouping(kept, unexplained, method, calls)
