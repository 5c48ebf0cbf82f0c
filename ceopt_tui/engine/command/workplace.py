"""What every step of a run measured by a command needs at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ceopt_tui.core.plan.command.terms import CommandTerms
from ceopt_tui.core.state.run import RunState
from ceopt_tui.engine.measuring import Progress
from ceopt_tui.engine.parts import CommandParts, Parts, RunInputs
from ceopt_tui.engine.recorder import Recorder


@dataclass(frozen=True)
class Workplace:
    """Recorder, inputs and parts of one tick. `late` says when nothing new is to be started in it."""

    recorder: Recorder
    inputs: RunInputs
    parts: Parts
    progress: Progress
    late: Callable[[], bool]

    @property
    def state(self) -> RunState:
        return self.recorder.state

    @property
    def tools(self) -> CommandParts:
        assert self.parts.command is not None
        return self.parts.command

    @property
    def terms(self) -> CommandTerms:
        assert self.parts.terms.command is not None
        return self.parts.terms.command
