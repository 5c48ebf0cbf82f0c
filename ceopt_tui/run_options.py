"""How a run was asked for, the spec aside: what a skin hands to wiring, and how to type it again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ceopt_tui.core.visible import one_line
from ceopt_tui.journal.folders import COMPOSED, STATE_ROOT_VARIABLE

WAKE_VARIABLE = "CEOPT_WAKE"
WAKE_LENGTH = 80


@dataclass(frozen=True)
class RunOptions:
    """How a run was asked for, the spec aside."""

    spec_path: Path
    attended: bool = False
    state_root: Path | None = None
    cache_dir: Path | None = None
    fresh: bool = False
    approve: str | None = None
    max_minutes: float | None = None
    max_ticks: int | None = None  # experiments that may be decided in this start
    prune: bool = False  # rules leave the text, one by one
    scoring: Literal["calibration", "blind"] | None = None  # this tick is for a person's scores alone
    wrap_up: bool = False  # a person chooses what comes of a run that has ended
    as_json: bool = False  # what it prints is for scripts
    models: Mapping[str, str] = field(default_factory=dict)  # role or tier -> model, from the command line
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    @property
    def max_active_s(self) -> float | None:
        """Seconds this start may work."""
        return None if self.max_minutes is None else self.max_minutes * 60

    @property
    def wake(self) -> str:
        """The schedule that started this and will start it again, in its own words; empty without one."""
        return one_line(self.environ.get(WAKE_VARIABLE, "").strip())[:WAKE_LENGTH]

    def resume_command(self) -> str:
        """The command that goes on with this very run."""
        command = "calibrate" if self.scoring else "prune" if self.prune else "run"
        words = ["ceopt", command, self._typed(self.spec_path)]
        words += ["--winner"] if self.scoring == "blind" else []
        words += [] if self.attended or self.scoring else ["--unattended"]
        words += ["--json"] if self.as_json else []
        words += [] if self.max_minutes is None else ["--max-minutes", f"{self.max_minutes:.12g}"]
        words += [] if self.max_ticks is None else ["--max-ticks", str(self.max_ticks)]
        composed = self.environ.get(STATE_ROOT_VARIABLE)
        state_root = self.state_root or (Path(composed) / COMPOSED if composed else None)
        for flag, value in (("--state-root", state_root), ("--cache-dir", self.cache_dir)):
            words += [flag, self._typed(value)] if value is not None else []
        for role, model in self.models.items():
            words += ["--model", f"{role}={model}"]
        return shlex.join(words)

    def _typed(self, path: Path) -> str:
        """As it holds in any folder where nobody is there: the command is then read in a log, and typed elsewhere."""
        return str(path if self.attended else path.absolute())
