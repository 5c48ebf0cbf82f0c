"""One start of an agent on one case: a throw-away folder, a clean home, a sandbox where there is one.

Everything is gone when the agent has ended, and what it said is all that stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ceopt_tui.agent_clis.dialect import Dialect
from ceopt_tui.agent_clis.sandbox import Sandbox
from ceopt_tui.agent_clis.starting import run_agent_in
from ceopt_tui.core.running_ports import Started
from ceopt_tui.errors import SetupError
from ceopt_tui.programs import Workplace, workplace
from texttargets.runners.agent_workspace import write_snapshot

FOLDER = "work"

Look = Callable[[Path], None]


@dataclass(frozen=True)
class Seat:
    """What the agent finds and is told: files by their place in its folder, its system prompt, the user's words."""

    snapshot: Mapping[str, str]
    system: str
    prompt: str
    above: Mapping[str, str] = field(default_factory=dict)  # files beside its folder, which it is not to see


class AgentCell:
    """Starts one agent with one model, again and again, each time from nothing."""

    def __init__(
        self, dialect: Dialect, model: str, sandbox: Sandbox, environ: Mapping[str, str], timeout_s: float
    ) -> None:
        self.dialect = dialect
        self.sandbox = sandbox
        self.environ = environ
        self._model = model
        self._timeout_s = timeout_s

    async def start(self, seat: Seat, environ: Mapping[str, str] | None = None, look: Look | None = None) -> Started:
        """Runs the agent once; its own failure comes back as trouble. SetupError where it cannot be started.

        `look` sees the agent's folder when it has ended, before that goes.
        """
        try:
            with workplace() as place:
                folder = seated(place, seat)
                run = await run_agent_in(
                    place,
                    self.dialect,
                    seat.prompt,
                    folder,
                    self.environ if environ is None else environ,
                    access="boxed" if self.sandbox.program else "case",
                    model=self._model,
                    timeout_s=self._timeout_s,
                    system=seat.system,
                    box=self.sandbox.box,
                )
                if look is not None:
                    look(folder)
        except OSError as error:
            raise SetupError(f"`{self.dialect.executable}` cannot be started: {error}") from error
        reply = run.reply
        return Started(
            reply.text, reply.input_tokens, reply.output_tokens, reply.usd, run.elapsed_s, run.trouble, run.fault
        )


def seated(place: Workplace, seat: Seat) -> Path:
    """The agent's folder, filled."""
    folder = place.root / FOLDER
    folder.mkdir()
    write_snapshot(folder, seat.snapshot)
    write_snapshot(place.root, seat.above)
    return folder
