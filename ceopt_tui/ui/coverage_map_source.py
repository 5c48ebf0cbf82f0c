"""Where the coverage screen gets its map: the file in the state folder, or a measurement started here. No widget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.coverage_plan import CoverageOptions, plan_coverage
from ceopt_tui.coverage_run import measure_coverage
from ceopt_tui.engine.coverage import load_coverage
from ceopt_tui.errors import BusyError, SetupError
from ceopt_tui.inputs import run_inputs
from ceopt_tui.journal.disk import JOURNAL_NAME
from ceopt_tui.journal.lock import is_held
from ceopt_tui.looking import read_state
from ceopt_tui.run_options import RunOptions
from ceopt_tui.run_places import coverage_folder
from ceopt_tui.trial import Nobody
from ceopt_tui.wiring import project_of
from schemas.coverage import Coverage

NO_SPEC = "The spec of this run is not where it was, so there is nothing to measure coverage of."
AT_WORK = "the run is at work, and its text is measured only while nobody works on it"

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class FoundMap:
    """The map of a text, if there is one. `current`: is it of the text and cases as they are now?

    `current` is None where no spec says what they are now; `hidden`: it tells a judge's scores that nobody may see yet.
    """

    coverage: Coverage | None
    current: bool | None = None
    protects: bool = True
    hidden: bool = False


class MapSource(Protocol):
    """Reads a map, and measures one. All three may raise CeoptError; `read` is called off the event loop."""

    def read(self) -> FoundMap: ...

    async def price(self) -> list[str]: ...

    async def measure(self, progress: Progress) -> None: ...


class CoverageFiles:
    """The map of a spec's text, or, without `options`, the one in the state folder of a run whose spec is gone."""

    def __init__(self, options: RunOptions | None, folder: Path) -> None:
        self._options = options
        self._folder = folder

    def read(self) -> FoundMap:
        options = self._options
        if options is None:
            coverage = load_coverage(self._folder)
            return FoundMap(coverage, hidden=_hides(coverage, self._folder))
        project = project_of(options)
        folder = coverage_folder(project, options)
        coverage, inputs = load_coverage(folder), run_inputs(project, ())
        current = coverage is not None and coverage.is_of(inputs.text_digest, inputs.measurement_digest)
        return FoundMap(coverage, current, project.spec.coverage == "protect", _hides(coverage, folder))

    async def price(self) -> list[str]:
        """What a measurement would run and cost, a line each."""
        plan = await plan_coverage(self._asked(), Nobody())
        if is_held(plan.folder):
            raise BusyError(AT_WORK, "Stop it first, measure, then let it go on.")
        return plan.lines()

    async def measure(self, progress: Progress) -> None:
        """Measures and saves the map. Cancelled it leaves nothing but kept replies, and goes on from them next time."""
        watched = _Watched(progress)
        plan = await plan_coverage(self._asked(), watched)
        await measure_coverage(plan, watched, lambda _warning: None)

    def _asked(self) -> CoverageOptions:
        if self._options is None:
            raise SetupError(NO_SPEC)
        return CoverageOptions(replace(self._options, prune=False))


def _hides(coverage: Coverage | None, folder: Path) -> bool:
    """Would the map tell a judge's scores to a person who is still to score unseen?"""
    judged = coverage is not None and coverage.judge is not None
    return judged and (folder / JOURNAL_NAME).is_file() and read_state(folder).scores_hidden


class _Watched(Nobody):
    """Passes on how far the measurement is."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def opened(self, state: object, terms: Terms, commit: object = None) -> None:
        """No run is opened."""

    def progress(self, title: str, done: int, total: int) -> None:
        self._progress(title, done, total)
