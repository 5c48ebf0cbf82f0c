"""An app that shows the studies of its repository."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from textual.app import App

from ceopt_tui.core.visible import one_line
from ceopt_tui.ui.screens.pick import PickScreen
from ceopt_tui.ui.screens.study import StudyScreen
from ceopt_tui.ui.study_source import StudyPlace, StudySource

LOOKING = "looking for studies"
NONE = (
    "No study is here: a folder with a study.yaml asks whether a text does what is said of it (`ceopt study --help`)."
)


class StudyingApp(App[int]):
    """`studies` is where they are looked for; None outside of a repository."""

    studies: StudySource | None = None

    def on_studies_wanted(self) -> None:
        work: Callable[[], Awaitable[None]] = self._find_studies
        self.run_worker(work, group=LOOKING, description=LOOKING, exclusive=True, exit_on_error=False)

    async def _find_studies(self) -> None:
        source = self.studies
        places = await asyncio.to_thread(source.places) if source is not None else ()
        if not places:
            self.notify(NONE, timeout=10, markup=False)
        elif len(places) == 1:
            await self._show_study(places[0])
        else:
            names = [one_line(place.name) for place in places]
            self.push_screen(PickScreen("Which study?", names), partial(self._picked, list(places)))

    def _picked(self, places: list[StudyPlace], taken: int | None) -> None:
        if taken is not None:
            work: Callable[[], Awaitable[None]] = partial(self._show_study, places[taken])
            self.run_worker(work, group=LOOKING, description=LOOKING, exclusive=True, exit_on_error=False)

    async def _show_study(self, place: StudyPlace) -> None:
        assert self.studies is not None
        text = await asyncio.to_thread(self.studies.text, place)
        await self.push_screen(StudyScreen(self.studies, place, text))
