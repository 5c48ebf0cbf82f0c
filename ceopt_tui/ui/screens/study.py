"""A study: verdicts with their intervals, the matrix of its scores, what is missing. Follows whoever measures it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType

from ceopt_tui.core.visible import one_line, said
from ceopt_tui.errors import CeoptError
from ceopt_tui.ui.commands import Place, bindings_for
from ceopt_tui.ui.screens.pick import PickScreen
from ceopt_tui.ui.screens.reading import ReadingScreen
from ceopt_tui.ui.study_source import StudyPlace, StudySource
from ceopt_tui.ui.styled import lines_of
from ceopt_tui.ui.widgets.reading import Reading

FOLLOW_S = 1.0
FOLLOWING = "following the study"


class StudyScreen(ReadingScreen, inherit_bindings=False):
    """`text` is what `source` said of the study when it was opened."""

    place: ClassVar[Place] = "study"
    BINDINGS: ClassVar[list[BindingType]] = bindings_for("study")

    def __init__(self, source: StudySource, place: StudyPlace, text: str, follow_s: float = FOLLOW_S) -> None:
        super().__init__(f"Study {one_line(place.name)}", said(text), "`ceopt study report`")
        self._source, self._place, self._follow_s = source, place, follow_s
        self._version = source.version(place)
        self._reading = False

    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(self._follow_s, self._follow)

    def action_read_outputs(self) -> None:
        found = list(self._source.outputs(self._place))
        if not found:
            self.notify("No reply was kept: run the study with --keep-outputs.", markup=False)
            return
        names = [one_line(f"{path.parent.name}: {path.stem}") for path in found]
        self.app.push_screen(PickScreen("Which reply?", names), partial(self._open, found))

    def _open(self, found: list[Path], taken: int | None) -> None:
        if taken is None:
            return
        output = found[taken]
        try:
            text = self._source.opened(self._place, output)
        except (CeoptError, OSError) as error:
            self.notify(said(str(error)), severity="error", markup=False)
            return
        self.app.push_screen(ReadingScreen(f"Reply of {one_line(output.parent.name)}: {output.stem}", said(text)))

    def _follow(self) -> None:
        if self.app.screen is not self or self._reading:
            return
        self._reading = True
        work: Callable[[], Awaitable[None]] = self._read
        self.run_worker(work, group=FOLLOWING, description=FOLLOWING, exit_on_error=False)

    async def _read(self) -> None:
        try:
            version = await asyncio.to_thread(self._source.version, self._place)
            if version == self._version:
                return
            text = said(await asyncio.to_thread(self._source.text, self._place))
            self._version, self._whole = version, text
            self.query_one(Reading).show(lines_of(text))
        finally:
            self._reading = False
