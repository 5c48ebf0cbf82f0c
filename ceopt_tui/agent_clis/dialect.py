"""What tells one coding agent's command line from another: how it is asked, what it prints, what it needs.

Values and one Protocol. Shared by editors of code and runners of texts; knows neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Access = Literal["read", "edit", "all", "case", "boxed"]
"""What the agent may do in its folder: look, edit files, or run anything with the rights of the user.

On a case it follows what stands in its folder: without a sandbox around it (`case`) it edits and runs no commands but
in a sandbox of its own, within one (`boxed`) it does what it likes.
"""

Trouble = Literal["failed", "busy", "quota", "auth"]


@dataclass(frozen=True)
class AgentReply:
    """What an agent said at its end. `usd` is None where it names no price; `fault` says why nothing can be used."""

    text: str = ""
    fault: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None
    turns: int = 1


class Dialect(Protocol):
    """One command line. `executable` is what is looked up on the PATH, `provider` whose models it drives."""

    executable: str
    provider: str
    package: str  # what npm knows it as
    install: str  # how to get it
    login: str  # how to let it in
    keys: tuple[str, ...]  # variables that let it in, each on its own; the usual one first
    variables: tuple[str, ...]  # of the user's environment, all it is given beside the surroundings
    inside: tuple[str, ...]  # variables that a process finds around it when this agent started it
    instructions: str  # the file at the root of its folder that it follows
    skills: str  # where below its folder it looks for skills

    def arguments(self, access: Access, model: str | None, last_message: Path) -> tuple[str, ...]:
        """The command without its prompt, which comes on standard input."""

    def settle(self, home: Path, environ: Mapping[str, str]) -> dict[str, str]:
        """Makes a home of its own ready; gives further variables. A login of the user's is linked, never copied."""

    def seat(self, home: Path, folder: Path, system: str) -> tuple[str, ...]:
        """Lets a settled agent follow what stands in `folder` and nothing above it; gives further arguments.

        `system`, where there is any, joins its system prompt.
        """

    def may_sign_in(self, environ: Mapping[str, str]) -> bool:
        """Is there a key or a login it could use? Looks, and reads nothing."""

    def reply(self, stdout: str, last_message: str | None) -> AgentReply:
        """What it printed, read strictly; an unreadable reply is a fault."""
