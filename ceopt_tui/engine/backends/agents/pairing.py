"""Two editors as one: the first has the ideas, the second carries them out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ceopt_tui.core.command_ports import Edited, Editor, Recipe
from ceopt_tui.core.ports import HypothesisDraft


class IdeasFrom:
    """Implements command_ports.Editor with the ideas of one editor and the hands of another."""

    def __init__(self, thinker: Editor, hands: Editor) -> None:
        self.name = hands.name
        self._thinker = thinker
        self._hands = hands

    async def ideas(self, recipe: Recipe, folder: Path, wanted: int) -> Sequence[HypothesisDraft]:
        return await self._thinker.ideas(recipe, folder, wanted)

    async def edit(self, recipe: Recipe, folder: Path) -> Edited:
        return await self._hands.edit(recipe, folder)
