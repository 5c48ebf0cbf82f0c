"""A run as the app knows it before and while it works: where it is, what its journal says, how it is started."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ceopt_tui.core.plan.terms import Terms
from ceopt_tui.core.state.run import RunState
from ceopt_tui.journal.tail import Position
from ceopt_tui.run_options import RunOptions
from schemas.records import AnyRecord


@dataclass(frozen=True)
class RunEntry:
    """One run, or a spec that has no run yet. `options` is None when its spec cannot be found."""

    name: str
    folder: Path
    options: RunOptions | None = None
    state: RunState = field(default_factory=RunState)
    terms: Terms | None = None
    place: str = ""  # the spec as a person finds it
    fault: str = ""  # why its journal cannot be read, or its spec not be run
    at_work: bool = False  # another process works on it now
    position: Position | None = None  # how far the journal was read for `state`; None: it has to be read anew
    added: tuple[AnyRecord, ...] = ()  # what was read since, not yet in `state`

    @property
    def key(self) -> str:
        return str(self.folder)
